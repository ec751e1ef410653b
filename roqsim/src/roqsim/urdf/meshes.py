"""Mesh files that MuJoCo does not read by itself, as OBJ texts: STL in letters, and Collada."""

from __future__ import annotations

import re
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


@dataclass(frozen=True)
class Part:
    """A part of a mesh in one colour.

    Attributes:
        obj: The part as OBJ; None for the whole file, which MuJoCo reads.
        rgba: Its colour, None where the file has none.
    """

    obj: bytes | None
    rgba: tuple[float, float, float, float] | None = None


def read_parts(path: Path, *, coloured: bool) -> list[Part]:
    """What MuJoCo is given for a mesh file.

    Args:
        path: The file.
        coloured: Whether each colour is to be a part of its own; else there is one part.

    Raises:
        UnreadableMeshError: Nothing here reads the file.
    """
    suffix = path.suffix.lower()
    if suffix == COLLADA:
        return _read_collada(path, coloured)
    if suffix not in READ_BY_MUJOCO:
        raise UnreadableMeshError(
            f"{suffix or 'no ending'}; convert it to .stl or .obj (MuJoCo reads {', '.join(READ_BY_MUJOCO)})"
        )
    if suffix == ".stl" and _is_text(path):
        return [Part(_read_stl_text(path))]
    return [Part(None)]


def _is_text(path: Path) -> bool:
    """Whether an STL file is one in letters: a binary one has the size that its own count of faces says."""
    with path.open("rb") as file:
        header = file.read(_HEADER)
    if not header.lstrip().startswith(b"solid"):
        return False
    return path.stat().st_size != _HEADER + _FACE * int.from_bytes(header[80:84], "little")


def _read_stl_text(path: Path) -> bytes:
    try:
        corners = [[float(number) for number in match.groups()] for match in _VERTEX.finditer(path.read_bytes())]
    except ValueError as error:
        raise UnreadableMeshError(f"an STL with {error}; convert it anew") from None
    if not corners or len(corners) % 3:
        raise UnreadableMeshError(f"an STL of {len(corners)} vertices, which make no triangles; convert it anew")
    return to_obj(np.array(corners), np.arange(len(corners)).reshape(-1, 3))


def to_obj(vertices: np.ndarray, faces: np.ndarray) -> bytes:
    """A mesh as OBJ.

    Args:
        vertices: ``(n, 3)`` positions in metres; equal ones become one.
        faces: ``(m, 3)`` indices of vertices, counter-clockwise seen from outside.
    """
    unique, inverse = np.unique(vertices, axis=0, return_inverse=True)
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in unique.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (inverse.reshape(-1)[faces] + 1).tolist()]
    return "\n".join([*lines, ""]).encode()


def _read_collada(path: Path, coloured: bool) -> list[Part]:
    try:
        import collada
    except ImportError:
        hint = "pip install 'roqsim[collada]', convert it to .stl or .obj, or leave what is drawn out (visual: false)"
        raise UnreadableMeshError(f"Collada, which needs a reader; {hint}") from None
    try:
        document = collada.Collada(str(path), ignore=[collada.common.DaeUnsupportedError])
        triangles = _triangles_by_colour(document)
    except Exception as error:
        raise UnreadableMeshError(f"{type(error).__name__}: {error}; convert it to .stl or .obj") from None
    if not triangles:
        raise UnreadableMeshError("a Collada file without triangles; convert it to .stl or .obj")
    if not coloured:
        triangles = {None: [corners for group in triangles.values() for corners in group]}
    parts = []
    for rgba, groups in triangles.items():
        corners = np.concatenate(groups)
        parts.append(Part(to_obj(corners.reshape(-1, 3), np.arange(corners.shape[0] * 3).reshape(-1, 3)), rgba))
    return parts


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
