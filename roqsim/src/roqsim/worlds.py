"""Finding worlds: by path, or as ``package:world`` in the packages that bring some."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from roqsim import family
from roqsim.errors import NotFoundError, suggest
from roqsim.providers import Provider, find_provider, providers
from roqsim.registry import WORLDS

YAML = (".yaml", ".yml")
MJCF = (".xml", ".mjcf")
FOLDER = "WORLDS_DIR"

SPAWN_IT = "a world has it by a component: 'spawn_robot: {model: robot.urdf}'"
"""What to do with a URDF, which is a model and no world."""


@dataclass(frozen=True)
class WorldAsset:
    """A world that was found.

    Attributes:
        name: Its short name.
        path: Its file.
        package: The provider it comes from, or None for a path.
        folder: The provider's folder, or None for a path.
    """

    name: str
    path: Path
    package: str | None = None
    folder: Path | None = None

    @property
    def ref(self) -> str:
        """The reference that names it on any machine: ``package:world``, or the path."""
        return f"{self.package}:{self.name}" if self.package else str(self.path)

    def sibling_ref(self, path: Path) -> str:
        """A reference to another file of the same package, such as ``package:depot/depot.xml``."""
        return f"{self.package}:{Path(os.path.relpath(path, self.folder)).as_posix()}"


def resolve_world(ref: str, base_dir: str | Path | None = None, suffixes: Sequence[str] = (*YAML, *MJCF)) -> WorldAsset:
    """Finds the file of a world.

    Args:
        ref: A path, or ``package:world``.
        base_dir: What a relative path starts from; the working directory where None.
        suffixes: Which kinds of file will do; of one name the first kind wins.

    Raises:
        NotFoundError: there is none; it says what is near.
    """
    path = Path(base_dir or ".") / Path(ref).expanduser()
    if os.path.isfile(path):
        return _of_kind(WorldAsset(path.stem, path.absolute()), ref, suffixes)
    package, colon, name = ref.partition(":")
    if colon and "/" not in package:
        provider = find_provider(WORLDS, FOLDER, package)
        found = _file_in(provider, name, suffixes)
        if found is not None:
            return WorldAsset(name, found, provider.name, provider.folder)
        other = _file_in(provider, name, (*YAML, *MJCF))
        if other is not None:
            return _of_kind(WorldAsset(name, other), ref, suffixes)
        hint = suggest(name, _names_in(provider, suffixes))
        raise NotFoundError(f"the package {package!r} has no world {name!r}; {hint}")
    raise NotFoundError(_no_world(ref, path, suffixes))


def _of_kind(asset: WorldAsset, ref: str, suffixes: Sequence[str]) -> WorldAsset:
    if asset.path.suffix.lower() not in suffixes:
        kinds = " or ".join(suffixes)
        hint = f"; {SPAWN_IT}" if asset.path.suffix.lower() == ".urdf" else ""
        raise NotFoundError(f"expected a file that ends in {kinds}, got {ref!r}{hint}")
    return asset


def _no_world(ref: str, path: Path, suffixes: Sequence[str]) -> str:
    if os.path.isdir(path):
        return f"expected the file of a world, got the folder {ref!r}; name the YAML file in it"
    packaged = [asset.ref for asset in list_worlds()] if path.suffix.lower() not in suffixes else []
    named = [each for each in packaged if each.partition(":")[2] == ref]
    if named:
        return f"there is no file {ref!r}; did you mean {named[0]!r}?"
    folder = path.parent
    paths = folder.iterdir() if os.path.isdir(folder) else ()
    files = [str(Path(ref).parent / each.name) for each in paths if each.suffix.lower() in suffixes]
    hints = [suggest(ref, [*files, *packaged]) if files or packaged else "check the path"]
    if path.suffix.lower() not in suffixes and not hints[0].startswith("did you mean"):
        hints.append(family.who_may_bring_it())
    return f"there is no file {ref!r}; {'; '.join(filter(None, hints))}"


def _file_in(provider: Provider, name: str, suffixes: Sequence[str]) -> Path | None:
    if not name:
        return None
    exact = provider.folder / name
    if exact.suffix.lower() in (*YAML, *MJCF):
        return exact.resolve() if os.path.isfile(exact) and exact.suffix.lower() in suffixes else None
    short = Path(name).name
    tried = [folder / f"{short}{s}" for s in suffixes for folder in (exact.parent, exact)]
    return next((path.resolve() for path in tried if os.path.isfile(path)), None)


def _names_in(provider: Provider, suffixes: Sequence[str]) -> list[str]:
    nested = (path for path in provider.folder.glob("*/*") if path.stem == path.parent.name)
    files = [*provider.folder.glob("*"), *nested]
    return sorted({path.stem for path in files if path.suffix.lower() in suffixes})


def list_worlds() -> list[WorldAsset]:
    """Every YAML world of every installed provider, sorted by reference."""
    found, _ = providers(WORLDS, FOLDER)
    assets = [
        WorldAsset(name, _file_in(provider, name, YAML), provider.name, provider.folder)
        for provider in found.values()
        for name in _names_in(provider, YAML)
    ]
    return sorted(assets, key=lambda asset: asset.ref)
