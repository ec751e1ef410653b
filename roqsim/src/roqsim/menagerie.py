"""MuJoCo Menagerie: robots by name through the optional ``mujoco-menagerie`` package, or from a checkout.

Nothing is downloaded here. ``MENAGERIE_ROOT`` names a checkout and goes first; otherwise a robot must be in the
package's cache, and an error says which command puts it there.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from types import ModuleType

from roqsim.errors import NotFoundError, suggest

PACKAGE = "menagerie"
"""What stands before the colon of a reference."""

ROOT_VARIABLE = "MENAGERIE_ROOT"


@functools.lru_cache(maxsize=1)
def _package() -> ModuleType | None:
    try:
        import mujoco_menagerie
    except ImportError:
        return None
    return mujoco_menagerie


def _root() -> Path | None:
    value = os.environ.get(ROOT_VARIABLE)
    return Path(value) if value else None


def is_there() -> bool:
    """Whether there is a checkout or the package, so that short names can mean its robots."""
    return _root() is not None or _package() is not None


def _folders(root: Path) -> list[str]:
    """The robots of a checkout: each folder that holds a model file."""
    if not root.is_dir():
        return []
    return sorted(folder.name for folder in root.iterdir() if folder.is_dir() and any(folder.glob("*.xml")))


def names() -> list[str]:
    """The names of all robots that the checkout or the package's registry knows, on this machine or not."""
    root, package = _root(), _package()
    if root is not None:
        return _folders(root)
    return package.names() if package is not None else []


def candidates(name: str) -> list[str]:
    """What a short name can mean: the robot called so, else ``robot/file`` of those with a model file called so."""
    known = names()
    if name in known:
        return [name]
    root, package = _root(), _package()
    if root is not None:
        return [f"{robot}/{name}" for robot in known if (root / robot / f"{name}.xml").is_file()]
    if package is None:
        return []
    found = [(robot.name, entry) for robot in package.robots() for entry in robot.entry_points]
    return [f"{robot}/{name}" for robot, entry in found if entry.name == name and entry.kind == "robot"]


def find(name: str) -> Path:
    """The model file of a robot.

    Args:
        name: ``robot``, or ``robot/file`` for one of its other model files, such as ``boston_dynamics_spot/spot_arm``.

    Raises:
        NotFoundError: there is no such robot, or it is not on this machine; it says which command gets it.
    """
    robot, _, variant = name.partition("/")
    root, package = _root(), _package()
    if root is None and package is None:
        raise NotFoundError(
            f"'{PACKAGE}:{name}' needs the package mujoco-menagerie; "
            f"install it with pip install 'roqsim[menagerie]', or set {ROOT_VARIABLE} to a checkout"
        )
    if root is not None:
        return _in_checkout(root, robot, variant)
    return _in_cache(package, robot, variant)


def _in_checkout(root: Path, robot: str, variant: str) -> Path:
    folder = root / robot
    if not robot or not folder.is_dir():
        raise NotFoundError(f"{ROOT_VARIABLE}={root} has no robot {robot!r}; {suggest(robot, _folders(root))}")
    files = {path.stem: path for path in sorted(folder.glob("*.xml"))}
    if variant:
        if variant not in files:
            raise NotFoundError(f"the robot {robot!r} has no model {variant!r}; {suggest(variant, files)}")
        return files[variant].resolve()
    models = [stem for stem in files if not stem.startswith("scene") and not stem.endswith("_mjx")]
    best = _default_model(robot, models)
    if best is None:
        listed = ", ".join(repr(f"{PACKAGE}:{robot}/{stem}") for stem in models or files)
        raise NotFoundError(f"the robot {robot!r} has several models; write one of {listed}")
    return files[best].resolve()


def _default_model(robot: str, models: list[str]) -> str | None:
    """The registry's default, else the only model, else the one that the folder is named for."""
    package = _package()
    if package is not None and robot in package.names():
        default = package.get(robot).default_model
        if default in models:
            return default
    if len(models) == 1:
        return models[0]
    matches = [stem for stem in models if robot == stem or robot.endswith(f"_{stem}")]
    return matches[0] if len(matches) == 1 else None


def _in_cache(package: ModuleType, robot: str, variant: str) -> Path:
    if robot not in package.names():
        raise NotFoundError(f"the menagerie has no robot {robot!r}; {suggest(robot, package.names())}")
    entry = package.get(robot)
    file_name = variant or entry.default_model
    if file_name not in entry.entry_names:
        raise NotFoundError(f"the robot {robot!r} has no model {file_name!r}; {suggest(file_name, entry.entry_names)}")
    cache = package.Cache()
    if not cache.is_cached(entry):
        size = f" ({entry.download_size / 1e6:.0f} MB)" if entry.download_size else ""
        command = f"mujoco-menagerie prefetch {robot}"
        raise NotFoundError(f"the robot {robot!r} is not on this machine; get it{size} with: {command}")
    return (cache.model_path(entry) / entry.entry(file_name).file).resolve()
