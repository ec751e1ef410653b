"""Mesh files that MuJoCo does not read by itself, as triangles: STL in letters, and Collada."""

from __future__ import annotations

import functools
import re
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

READ_BY_MUJOCO = (".stl", ".obj", ".msh")

COLLADA = ".dae"

_HEADER, _FACE = 84, 50
"""Bytes of a binary STL's header and of one face."""

_VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


class UnreadableMeshError(Exception):
    """A mesh that can't be read; the text says why and what to do."""


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a mesh in one colour, or a whole file that MuJoCo reads.

    Attributes:
        vertices: ``(n, 3)`` positions in metres; None for a whole file.
        faces: ``(m, 3)`` indices of vertices, counter-clockwise seen from outside; None for a whole file.
        rgba: Its colour, None where the file has none.
    """

    vertices: np.ndarray | None = None
    faces: np.ndarray | None = None
    rgba: tuple[float, float, float, float] | None = None

    @property
    def is_file(self) -> bool:
        """Whether MuJoCo reads the file itself."""
        return self.vertices is None

    @classmethod
    def from_corners(cls, corners: np.ndarray, rgba: tuple[float, float, float, float] | None = None) -> Part:
        """A part of ``(m, 3, 3)`` corners of triangles; equal ones become one vertex."""
        vertices, inverse = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
        return cls(vertices, inverse.reshape(-1, 3), rgba)


def read_parts(path: Path, *, coloured: bool) -> list[Part]:
    """What MuJoCo is given for a mesh file; the same parts as long as the file is unchanged.

    Args:
        path: The file.
        coloured: Whether each colour is to be a part of its own; else there is one part.

    Raises:
        UnreadableMeshError: Nothing here reads the file.
    """
    status = path.stat()
    return _read_parts(path, coloured, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=256)
def _read_parts(path: Path, coloured: bool, mtime_ns: int, size: int) -> list[Part]:
    suffix = path.suffix.lower()
    if suffix == COLLADA:
        return _read_collada(path, coloured)
    if suffix not in READ_BY_MUJOCO:
        raise UnreadableMeshError(
            f"{suffix or 'no ending'}; convert it to .stl or .obj (MuJoCo reads {', '.join(READ_BY_MUJOCO)})"
        )
    if suffix == ".stl" and _is_text(path):
        return [Part.from_corners(_read_stl_text(path))]
    return [Part()]


def _is_text(path: Path) -> bool:
    """Whether an STL file is one in letters: a binary one has the size that its own count of faces says."""
    with path.open("rb") as file:
        header = file.read(_HEADER)
    if not header.lstrip().startswith(b"solid"):
        return False
    return path.stat().st_size != _HEADER + _FACE * int.from_bytes(header[80:84], "little")


def _read_stl_text(path: Path) -> np.ndarray:
    """``(m, 3, 3)`` corners of triangles."""
    try:
        corners = [[float(number) for number in match.groups()] for match in _VERTEX.finditer(path.read_bytes())]
    except ValueError as error:
        raise UnreadableMeshError(f"an STL with {error}; convert it anew") from None
    if not corners or len(corners) % 3:
        raise UnreadableMeshError(f"an STL of {len(corners)} vertices, which make no triangles; convert it anew")
    return np.array(corners).reshape(-1, 3, 3)


def _read_collada(path: Path, coloured: bool) -> list[Part]:
    try:
        import collada
    except ImportError:
        hint = "pip install 'roqsim[collada]', convert it to .stl or .obj, or leave what is drawn out (visual: false)"
        raise UnreadableMeshError(f"Collada, which needs a reader; {hint}") from None
    try:
        # What the reader itself uses that is going to leave is nobody's business here.
        with warnings.catch_warnings(action="ignore"):
            document = collada.Collada(str(path), ignore=[collada.common.DaeUnsupportedError])
            triangles = _triangles_by_colour(document)
    except Exception as error:
        raise UnreadableMeshError(f"{type(error).__name__}: {error}; convert it to .stl or .obj") from None
    if not triangles:
        raise UnreadableMeshError("a Collada file without triangles; convert it to .stl or .obj")
    if not coloured:
        triangles = {None: [corners for group in triangles.values() for corners in group]}
    return [Part.from_corners(np.concatenate(groups), rgba) for rgba, groups in triangles.items()]


def _triangles_by_colour(document: object) -> dict[object, list[np.ndarray]]:
    """``(n, 3, 3)`` corners in metres by colour. As in ROS, the file's unit counts and its up axis doesn't."""
    metres = float(document.assetInfo.unitmeter or 1.0)
    found: dict[object, list[np.ndarray]] = {}
    for geometry in document.scene.objects("geometry") if document.scene is not None else ():
        for primitive in geometry.primitives():
            if hasattr(primitive, "triangleset"):
                primitive = primitive.triangleset()
            if not hasattr(primitive, "vertex_index") or primitive.vertex_index is None:
                continue
            corners = np.asarray(primitive.vertex, dtype=float)[np.asarray(primitive.vertex_index)]
            if corners.ndim == 3 and len(corners):
                found.setdefault(_colour(primitive), []).append(metres * corners)
    return found


def _colour(primitive: object) -> tuple[float, float, float, float] | None:
    diffuse = getattr(getattr(primitive.material, "effect", None), "diffuse", None)
    if not isinstance(diffuse, tuple | list) or len(diffuse) < 3:
        return None
    red, green, blue = (float(part) for part in diffuse[:3])
    return red, green, blue, 1.0
