"""Triangles as files: binary STL, and OBJ where there are too many of them."""

from __future__ import annotations

import mujoco
import numpy as np

MOST_STL_FACES = 200_000
"""The triangles of an STL file that MuJoCo reads."""

RINGS = 24
"""Circles of latitude of the sphere that stands for ellipsoids; its faces miss a unit sphere by less than 1 %."""

FACE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
"""A triangle of a binary STL."""


def mesh_file(model: mujoco.MjModel, mesh: int, suffix: str) -> tuple[str, bytes]:
    """A mesh of a model in its geom's frame.

    Args:
        model: The compiled model.
        mesh: The mesh's id.
        suffix: ``.stl`` or ``.obj``, which is what it gets where it is too large for STL.

    Returns:
        The ending that the file has to have, and its content.
    """
    first, number = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    vertices = model.mesh_vert[first : first + number]
    first, number = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    faces = model.mesh_face[first : first + number]
    if suffix == ".obj" or number > MOST_STL_FACES:
        return ".obj", to_obj(vertices, faces)
    return ".stl", to_stl(vertices, faces)


def to_stl(vertices: np.ndarray, faces: np.ndarray) -> bytes:
    """Triangles as binary STL.

    Args:
        vertices: ``(n, 3)`` positions in metres.
        faces: ``(m, 3)`` indices of vertices, counter-clockwise seen from outside.
    """
    corners = np.asarray(vertices, dtype=float)[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    triangles = np.zeros(len(faces), dtype=FACE)
    triangles["normal"] = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
    triangles["corners"] = corners
    return bytes(80) + len(faces).to_bytes(4, "little") + triangles.tobytes()


def to_obj(vertices: np.ndarray, faces: np.ndarray) -> bytes:
    """Triangles as OBJ; see ``to_stl``."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(vertices, dtype=float).tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (np.asarray(faces) + 1).tolist()]
    return "\n".join([*lines, ""]).encode()


def unit_sphere() -> bytes:
    """A sphere of radius 1 as STL, to be scaled to ellipsoids; its corners lie on the sphere."""
    latitude = np.linspace(0.0, np.pi, RINGS + 1)[1:-1, None]
    longitude = np.arange(2 * RINGS)[None, :] * (np.pi / RINGS)
    ring = [
        np.sin(latitude) * np.cos(longitude),
        np.sin(latitude) * np.sin(longitude),
        np.cos(latitude) + 0 * longitude,
    ]
    vertices = np.vstack([np.stack(ring, axis=-1).reshape(-1, 3), [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    grid = np.arange(len(vertices) - 2).reshape(RINGS - 1, 2 * RINGS)
    top, bottom = len(vertices) - 2, len(vertices) - 1
    right = np.roll(grid, -1, axis=1)
    upper, lower = (grid[:-1].ravel(), right[:-1].ravel()), (grid[1:].ravel(), right[1:].ravel())
    caps = [np.column_stack([np.full(2 * RINGS, top), grid[0], right[0]])]
    caps += [np.column_stack([np.full(2 * RINGS, bottom), right[-1], grid[-1]])]
    sides = [np.column_stack([upper[0], lower[0], lower[1]]), np.column_stack([upper[0], lower[1], upper[1]])]
    return to_stl(vertices, np.vstack([*caps, *sides]))
