"""The files of a model: found once, kept as absolute paths, so that models of several packages can share one world."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import mujoco


@dataclass
class Missing:
    """A file that a model names and nobody has.

    Attributes:
        kind: ``mesh``, ``texture``, ``height field`` or ``skin``.
        name: The file as the model names it.
        searched: Where it was looked for.
    """

    kind: str
    name: str
    searched: list[Path] = field(default_factory=list)

    def text(self, where: str, model: Path) -> str:
        """The error about it: whose model it is and where the file was looked for."""
        places = ", ".join(str(place) for place in self.searched)
        return f"{where}: expected the {self.kind} {self.name!r} of {model.name}, got no such file; looked in {places}"


def read_model(path: Path) -> mujoco.MjSpec:
    """Parses a model file.

    Raises:
        ValueError: MuJoCo's reason.
        OSError: The file can't be read.
    """
    with path.open("rb"):
        pass
    return mujoco.MjSpec.from_file(str(path))


def make_paths_absolute(
    spec: mujoco.MjSpec, path: Path, meshdirs: Sequence[Path] = (), texturedirs: Sequence[Path] = ()
) -> list[Missing]:
    """Rewrites every file reference of a model to an absolute path.

    The model's own directories come first, so nothing elsewhere can shadow its files.

    Args:
        spec: The model, not yet attached.
        path: Its file.
        meshdirs: Where meshes, height fields and skins are looked for after the model's own directory.
        texturedirs: The same for textures.

    Returns:
        What was not found; those references stay as they are.
    """
    home = path.absolute().parent
    own_meshes, own_textures = home / spec.meshdir, home / (spec.texturedir or spec.meshdir)
    strip = bool(spec.strippath)
    meshes = _finder([own_meshes, *meshdirs, home], strip, spec.assets)
    textures = _finder([own_textures, *texturedirs, home], strip, spec.assets)
    missing: list[Missing] = []
    for kind, elements, find in (
        ("mesh", spec.meshes, meshes),
        ("height field", spec.hfields, meshes),
        ("skin", spec.skins, meshes),
        ("texture", spec.textures, textures),
    ):
        for element in elements:
            element.file = _resolved(element.file, kind, find, missing)
    for texture in spec.textures:
        faces = list(texture.cubefiles)
        if any(faces):
            texture.cubefiles = [_resolved(face, "texture", textures, missing) for face in faces]
    spec.strippath = False
    return missing


def _resolved(name: str, kind: str, find: Callable[[str], Path | list[Path] | None], missing: list[Missing]) -> str:
    if not name:
        return name
    found = find(name)
    if isinstance(found, list):
        missing.append(Missing(kind, name, found))
    return str(found) if isinstance(found, Path) else name


def _finder(places: Iterable[Path], strip: bool, assets: dict[str, bytes]) -> Callable[[str], Path | list[Path] | None]:
    folders = list(dict.fromkeys(os.fspath(place) for place in places))

    def find(name: str) -> Path | list[Path] | None:
        """The file, the places where it is not, or None for one that is held in memory."""
        if name in assets:
            return None
        wanted = os.path.basename(name) if strip else name
        candidates = [os.path.abspath(os.path.join(folder, wanted)) for folder in folders]
        found = next((candidate for candidate in candidates if os.path.isfile(candidate)), None)
        return Path(found) if found else [Path(place) for place in dict.fromkeys(map(os.path.dirname, candidates))]

    return find


def files_of(spec: mujoco.MjSpec) -> list[Path]:
    """Every file that a model with absolute paths reads when it is compiled, sorted."""
    names = {element.file for group in (spec.meshes, spec.hfields, spec.skins, spec.textures) for element in group}
    names |= {face for texture in spec.textures for face in texture.cubefiles}
    return sorted(Path(name) for name in names if name and Path(name).is_absolute())
