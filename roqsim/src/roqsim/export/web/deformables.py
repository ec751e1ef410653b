"""What bends: skins and flexes, as triangles whose vertices follow bodies."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco
import numpy as np

from roqsim.export.surfaces import Surface
from roqsim.mj.poses import to_matrix

INFLUENCES = 4
"""How many bodies a vertex can follow in a browser."""

CABLE_SIDES = 6
"""Facets around a flex that is a line."""


@dataclass(frozen=True)
class Deformable:
    """Triangles whose vertices follow bodies.

    Attributes:
        surface: In the world, as it is while every body stands in its ``bind`` pose.
        bodies: ``(b,)`` ids of the bodies.
        bind_positions: ``(b, 3)`` metres in the world.
        bind_quaternions: ``(b, 4)`` wxyz.
        followed: ``(n, 4)`` rows of ``bodies`` for each vertex.
        weights: ``(n, 4)`` how much it follows each; they sum to 1.
    """

    surface: Surface
    bodies: np.ndarray
    bind_positions: np.ndarray
    bind_quaternions: np.ndarray
    followed: np.ndarray
    weights: np.ndarray


def skin_deformable(model: mujoco.MjModel, skin: int) -> Deformable:
    """A skin in the pose that it was made in.

    Args:
        model: The compiled model.
        skin: The skin's id.
    """
    vertices = _span(model.skin_vert, model.skin_vertadr[skin], model.skin_vertnum[skin])
    bones = _span(np.arange(model.nskinbone), model.skin_boneadr[skin], model.skin_bonenum[skin])
    weights = np.zeros((len(vertices), len(bones)))
    for column, bone in enumerate(bones):
        of_bone = (model.skin_bonevertadr[bone], model.skin_bonevertnum[bone])
        weights[_span(model.skin_bonevertid, *of_bone), column] += _span(model.skin_bonevertweight, *of_bone)
    start = int(model.skin_texcoordadr[skin])
    uv = _span(model.skin_texcoord, start, len(vertices)) if start >= 0 else None
    triangles = _span(model.skin_face, model.skin_faceadr[skin], model.skin_facenum[skin])
    return Deformable(
        Surface(vertices, triangles, uv),
        model.skin_bonebodyid[bones],
        model.skin_bonebindpos[bones],
        model.skin_bonebindquat[bones],
        *_strongest(weights),
    )


def flex_deformable(model: mujoco.MjModel, data: mujoco.MjData, flex: int) -> Deformable:
    """A flex in the current state: a line as a tube, a sheet from both sides, a solid's hull.

    Each vertex follows its body; one that is interpolated follows the four nodes that count most.

    Args:
        model: The compiled model.
        data: A state whose kinematics are current.
        flex: The flex's id.
    """
    start, number = int(model.flex_vertadr[flex]), int(model.flex_vertnum[flex])
    vertices = data.flexvert_xpos[start : start + number].copy()
    bodies, weights = _influences(model, data, flex)
    dimension = int(model.flex_dim[flex])
    if dimension == 3:
        shell = _span(model.flex_shell, model.flex_shelldataadr[flex], 3 * int(model.flex_shellnum[flex]))
        surface, rows = Surface(vertices, shell.reshape(-1, 3)), np.arange(number)
    else:
        width = dimension + 1
        elements = _span(model.flex_elem, model.flex_elemdataadr[flex], width * int(model.flex_elemnum[flex]))
        elements = elements.reshape(-1, width)
        make = _tube if dimension == 1 else _sheet
        surface, rows = make(model, flex, vertices, elements)
    followed, strengths = _strongest(weights[rows])
    return Deformable(surface, bodies, data.xpos[bodies].copy(), data.xquat[bodies].copy(), followed, strengths)


def _influences(model: mujoco.MjModel, data: mujoco.MjData, flex: int) -> tuple[np.ndarray, np.ndarray]:
    """Bodies of a flex, and ``(n, b)`` how much each of its vertices follows each of them."""
    start, number = int(model.flex_vertadr[flex]), int(model.flex_vertnum[flex])
    if not int(model.flex_interp[flex]):
        bodies, rows = np.unique(model.flex_vertbodyid[start : start + number], return_inverse=True)
        return bodies, np.eye(len(bodies))[rows]
    first, nodes = int(model.flex_nodeadr[flex]), int(model.flex_nodenum[flex])
    bodies, columns = np.unique(model.flex_nodebodyid[first : first + nodes], return_inverse=True)
    weights = np.zeros((number, len(bodies)))
    # A vertex is a weighted mean of the nodes: it goes as far along with a node as it follows it.
    model, scratch = copy.copy(model), copy.copy(data)
    model.flex_centered[flex] = 0
    before = data.flexvert_xpos[start : start + number]
    for node, column in enumerate(columns):
        offset = to_matrix(tuple(data.xquat[bodies[column]].tolist()))[2]
        model.flex_node[first + node] += offset
        mujoco.mj_flex(model, scratch)
        model.flex_node[first + node] -= offset
        weights[:, column] += scratch.flexvert_xpos[start : start + number, 2] - before[:, 2]
    return bodies, weights


def _strongest(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The four greatest of ``(n, b)`` weights: ``(n, 4)`` their columns, and ``(n, 4)`` themselves, summing to 1."""
    columns = np.argsort(-weights, axis=1, kind="stable")[:, :INFLUENCES]
    found = np.take_along_axis(weights, columns, axis=1)
    missing = ((0, 0), (0, INFLUENCES - columns.shape[1]))
    total = found.sum(axis=1, keepdims=True)
    return np.pad(columns, missing), np.pad(found / np.where(total > 0.0, total, 1.0), missing)


def _sheet(model: mujoco.MjModel, flex: int, vertices: np.ndarray, elements: np.ndarray) -> tuple[Surface, np.ndarray]:
    """Both sides of a flex of triangles, and for each of its vertices the flex's."""
    uv, rows, triangles = None, np.arange(len(vertices)), elements
    start = int(model.flex_texcoordadr[flex])
    if start >= 0:
        texture = _span(model.flex_elemtexcoord, model.flex_elemdataadr[flex], elements.size)
        kinds, corners = np.unique(np.column_stack([elements.ravel(), texture]), axis=0, return_inverse=True)
        rows, triangles, uv = kinds[:, 0], corners.reshape(-1, 3), model.flex_texcoord[start + kinds[:, 1]]
        uv = np.vstack([uv, uv])
    # Each side has vertices of its own, because their normals are opposite.
    both = np.vstack([triangles, triangles[:, ::-1] + len(rows)])
    rows = np.concatenate([rows, rows])
    return Surface(vertices[rows], both, uv), rows


def _tube(model: mujoco.MjModel, flex: int, vertices: np.ndarray, elements: np.ndarray) -> tuple[Surface, np.ndarray]:
    """A tube along a flex of line segments, and for each of its vertices the flex's."""
    radius = float(model.flex_radius[flex])
    angles = 2.0 * np.pi * np.arange(CABLE_SIDES) / CABLE_SIDES
    points, triangles, rows = [], [], []
    ring = np.arange(CABLE_SIDES)
    for index, (a, b) in enumerate(elements.tolist()):
        along = vertices[b] - vertices[a]
        side = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
        side /= max(float(np.linalg.norm(side)), 1e-12)
        up = np.cross(along, side)
        up /= max(float(np.linalg.norm(up)), 1e-12)
        around = radius * (np.outer(np.cos(angles), side) + np.outer(np.sin(angles), up))
        points += [vertices[a] + around, vertices[b] + around]
        rows += [a] * CABLE_SIDES + [b] * CABLE_SIDES
        near, far = 2 * index * CABLE_SIDES + ring, (2 * index + 1) * CABLE_SIDES + ring
        triangles += [
            np.column_stack([near, np.roll(near, -1), np.roll(far, -1)]),
            np.column_stack([near, np.roll(far, -1), far]),
        ]
    return Surface(np.vstack(points), np.vstack(triangles)), np.array(rows)


def _span(array: np.ndarray, start: int, number: int) -> np.ndarray:
    return array[int(start) : int(start) + int(number)]
