"""Triangles of what is drawn: meshes, height fields, and planes that are seen from one side."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np


@dataclass(frozen=True)
class Surface:
    """Triangles.

    Attributes:
        vertices: ``(n, 3)`` metres.
        triangles: ``(m, 3)`` rows of ``vertices``, counterclockwise as seen from outside.
        uv: ``(n, 2)`` texture coordinates, the first row of the picture at v = 0; None where there are none.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    uv: np.ndarray | None = None


def mesh_surface(model: mujoco.MjModel, mesh: int) -> Surface:
    """A mesh in its geom's frame.

    A vertex on an edge that is to look sharp has a normal for each side; it is given once for each, so that who
    computes normals from the triangles finds the edge again.

    Args:
        model: The compiled model.
        mesh: The mesh's id.
    """
    faces = slice(int(model.mesh_faceadr[mesh]), int(model.mesh_faceadr[mesh] + model.mesh_facenum[mesh]))
    vertices = _rows(model.mesh_vert, model.mesh_vertadr[mesh], model.mesh_vertnum[mesh])
    corners = [model.mesh_face[faces].ravel(), model.mesh_facenormal[faces].ravel()]
    start = int(model.mesh_texcoordadr[mesh])
    if start >= 0:
        corners.append(model.mesh_facetexcoord[faces].ravel())
    kinds, triangles = np.unique(np.column_stack(corners), axis=0, return_inverse=True)
    uv = _rows(model.mesh_texcoord, start, model.mesh_texcoordnum[mesh])[kinds[:, 2]] if start >= 0 else None
    return Surface(vertices[kinds[:, 0]], triangles.reshape(-1, 3), uv)


def hfield_surface(model: mujoco.MjModel, hfield: int) -> Surface:
    """A height field in its geom's frame: its top, and walls down to its base along the rim.

    Args:
        model: The compiled model.
        hfield: The height field's id.
    """
    rows, columns = int(model.hfield_nrow[hfield]), int(model.hfield_ncol[hfield])
    half_x, half_y, top, base = model.hfield_size[hfield].tolist()
    heights = _rows(model.hfield_data, model.hfield_adr[hfield], rows * columns) * top
    x, y = np.meshgrid(np.linspace(-half_x, half_x, columns), np.linspace(-half_y, half_y, rows))
    vertices = np.column_stack([x.ravel(), y.ravel(), heights])
    uv = np.column_stack([x.ravel() / half_x, y.ravel() / half_y]) / 2.0 + 0.5
    grid = np.arange(rows * columns).reshape(rows, columns)
    surface = _quads(grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1])
    rim = np.concatenate([grid[0, :-1], grid[:-1, -1], grid[-1, :0:-1], grid[:0:-1, 0]])
    # The walls' vertices are their own, so that the rim stays sharp.
    upper, lower = vertices[rim], vertices[rim] * [1.0, 1.0, 0.0] - [0.0, 0.0, base]
    first = len(vertices) + np.arange(len(rim))
    second, below = np.roll(first, -1), len(rim)
    walls = _quads(first + below, second + below, second, first)
    return Surface(np.vstack([vertices, upper, lower]), np.vstack([surface, walls]), np.vstack([uv, uv[rim], uv[rim]]))


def plane_surface(half_x: float, half_y: float) -> Surface:
    """A plane in its geom's frame, seen from the side that its z axis points to, as MuJoCo draws it.

    Args:
        half_x: Half its length along x in metres.
        half_y: Half its length along y in metres.
    """
    corners = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    vertices = np.column_stack([corners * [half_x, half_y], np.zeros(4)])
    return Surface(vertices, np.array([[0, 1, 2], [0, 2, 3]]), corners / 2.0 + 0.5)


def _quads(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """``(m, 3)`` two triangles for each four corners, which go counterclockwise."""
    a, b, c, d = (np.ravel(each) for each in (a, b, c, d))
    return np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def _rows(array: np.ndarray, start: int, number: int) -> np.ndarray:
    return array[int(start) : int(start) + int(number)]
