"""The ground that plugins build on: a built-in world, an MJCF file, or nothing where a plugin brings its own."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import mujoco

from roqsim.errors import BuildError, ConfigError, NotFoundError, RoqsimError, suggest
from roqsim.mj.files import make_paths_absolute, read_model
from roqsim.mj.home import Home, read_home
from roqsim.plugin import Plugin
from roqsim.scene.builtin import empty_room
from roqsim.scene.studio import studio
from roqsim.urdf.source import is_urdf
from roqsim.worlds import MJCF, SPAWN_IT, resolve_world

WHERE = "sim.world"

BUILTIN = {"empty_room": empty_room, "studio": studio}
"""The worlds that need no file."""

DEFAULT = "empty_room"

INTEGRATOR = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
"""What worlds without a file of their own are integrated with: stable with stiff drives, at Euler's price."""


@dataclass(frozen=True)
class Base:
    """A world before any component was added.

    Attributes:
        spec: What components build on.
        home: The keyframe that its file brings, by names.
        source: What it was made from, for error texts.
    """

    spec: mujoco.MjSpec
    home: Home
    source: str


def make_base(world: str | None, base_dir: Path, plugins: Sequence[Plugin]) -> Base:
    """Makes the base world.

    Args:
        world: What ``sim.world`` says, or None.
        base_dir: What a relative path starts from.
        plugins: The components; one that brings its own world wins over ``sim.world``.

    Raises:
        ConfigError: If two components bring a world.
        NotFoundError: If there is no such world.
        BuildError: If its file can not be read.
    """
    provider = world_provider(plugins)
    if provider is not None:
        return _made(mujoco.MjSpec(), provider.address)
    name = DEFAULT if world is None else world
    if name in BUILTIN:
        return _made(BUILTIN[name](), name)
    return _from_file(_find(name, base_dir))


def _made(spec: mujoco.MjSpec, source: str) -> Base:
    spec.option.integrator = INTEGRATOR
    return Base(spec, Home(), source)


def world_provider(plugins: Sequence[Plugin]) -> Plugin | None:
    """The component that brings its own ground and light, or None.

    Raises:
        ConfigError: If there are several.
    """
    providers = [plugin for plugin in plugins if plugin.provides_world]
    if len(providers) > 1:
        names = " and ".join(repr(plugin.address) for plugin in providers)
        raise ConfigError(
            f"components: expected one component that brings the world, got {names}; remove or disable the others"
        )
    return providers[0] if providers else None


def _find(name: str, base_dir: Path) -> Path:
    is_path = Path(name).suffix.lower() in MJCF or os.sep in name
    if not is_path and ":" not in name:
        hint = suggest(name, BUILTIN)
        others = "" if difflib.get_close_matches(name, BUILTIN) else ", the path of an MJCF file, or package:world"
        raise NotFoundError(f"{WHERE}: expected a built-in world, got {name!r}; {hint}{others}")
    try:
        return resolve_world(name, base_dir, MJCF).path
    except RoqsimError as error:
        raise NotFoundError(f"{WHERE}: {error}") from None


def _from_file(path: Path) -> Base:
    if is_urdf(path):
        raise ConfigError(f"{WHERE}: expected an MJCF file, got {str(path)!r}, which is a URDF; {SPAWN_IT}")
    try:
        spec = read_model(path)
    except (OSError, ValueError) as error:
        raise BuildError(f"{WHERE}: expected an MJCF file, got {str(path)!r}; {_one_line(error)}") from None
    missing = make_paths_absolute(spec, path)
    if missing:
        raise NotFoundError("\n".join(each.text(WHERE, path) for each in missing))
    home = read_home(spec, None, WHERE)
    for key in list(spec.keys):
        spec.delete(key)
    return Base(spec, home, str(path))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
