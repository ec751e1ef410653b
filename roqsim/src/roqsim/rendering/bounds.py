"""What is in a picture: the drawn geoms of a model, and the boxes around them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np

from roqsim.presence import ABSENT_GROUP
from roqsim.rendering.scene import DRAWN_GROUPS

CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
"""``(8, 3)`` the corners of a box in units of its half edges."""

DEFAULT_RGBA = (0.5, 0.5, 0.5, 1.0)
"""The colour of a geom that states none."""


def drawn_geoms(model: mujoco.MjModel, groups: Iterable[int] = DRAWN_GROUPS) -> np.ndarray:
    """``(n,)`` ids of the geoms that a picture shows: of these groups, present, and not wholly transparent."""
    shown = np.isin(model.geom_group, [group for group in groups if group != ABSENT_GROUP])
    # A geom's own colour wins over its material's, unless it is MuJoCo's default.
    by_material = (model.geom_matid >= 0) & np.all(model.geom_rgba == DEFAULT_RGBA, axis=1)
    alpha = model.geom_rgba[:, 3].copy()
    alpha[by_material] = model.mat_rgba[model.geom_matid[by_material], 3]
    return np.flatnonzero(shown & (alpha > 0.0))


@dataclass(frozen=True)
class Boxes:
    """Geoms with the boxes around them.

    Attributes:
        geoms: ``(n,)`` ids; -1 for a place that no geom marks.
        centres: ``(n, 3)`` metres in the world.
        corners: ``(n, 8, 3)`` metres in the world.
    """

    geoms: np.ndarray
    centres: np.ndarray
    corners: np.ndarray

    def __len__(self) -> int:
        return len(self.geoms)

    @property
    def low(self) -> np.ndarray:
        """``(3,)`` the least coordinates of all corners."""
        return self.corners.reshape(-1, 3).min(axis=0)

    @property
    def high(self) -> np.ndarray:
        """``(3,)`` the greatest coordinates of all corners."""
        return self.corners.reshape(-1, 3).max(axis=0)

    @property
    def diagonal(self) -> float:
        """The diagonal in metres of the upright box around everything."""
        return float(np.linalg.norm(self.high - self.low))

    def __or__(self, other: Boxes) -> Boxes:
        return Boxes(
            np.concatenate([self.geoms, other.geoms]),
            np.concatenate([self.centres, other.centres]),
            np.concatenate([self.corners, other.corners]),
        )


def boxes_of(model: mujoco.MjModel, data: mujoco.MjData, geoms: np.ndarray) -> Boxes:
    """The boxes around geoms, in the state's current poses; planes have none, because they need have no end.

    Args:
        model: The compiled model.
        data: A state whose kinematics are current.
        geoms: ``(n,)`` ids.
    """
    geoms = geoms[model.geom_type[geoms] != int(mujoco.mjtGeom.mjGEOM_PLANE)]
    middle, half = model.geom_aabb[geoms, :3], model.geom_aabb[geoms, 3:]
    R_WG = data.geom_xmat[geoms].reshape(-1, 3, 3)
    corners = np.einsum("nij,nkj->nki", R_WG, middle[:, None] + CORNERS * half[:, None])
    corners += data.geom_xpos[geoms][:, None]
    return Boxes(geoms, corners.mean(axis=1), corners)


def box_around(point: np.ndarray, half: float) -> Boxes:
    """A cube that stands for something without geoms."""
    centre = np.asarray(point, dtype=float)
    return Boxes(np.array([-1]), centre[None], (centre + half * CORNERS)[None])


def carried_geoms(model: mujoco.MjModel, body: int) -> np.ndarray:
    """``(n,)`` ids of the geoms of a body and of everything that hangs on it."""
    carried = np.zeros(model.nbody, dtype=bool)
    carried[body] = True
    for index in range(body + 1, model.nbody):
        carried[index] = carried[model.body_parentid[index]]
    return np.flatnonzero(carried[model.geom_bodyid])


def lowest_point(model: mujoco.MjModel, data: mujoco.MjData, geoms: np.ndarray) -> float:
    """The least height in metres of what geoms show, ``inf`` for none; of meshes by every vertex, else by the box.

    Args:
        model: The compiled model.
        data: A state whose kinematics are current.
        geoms: ``(n,)`` ids; planes do not count.
    """
    heights = [np.inf]
    is_mesh = model.geom_type[geoms] == int(mujoco.mjtGeom.mjGEOM_MESH)
    for geom in geoms[is_mesh]:
        mesh = model.geom_dataid[geom]
        start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        up_G = data.geom_xmat[geom].reshape(3, 3)[2]
        heights.append(float((model.mesh_vert[start : start + count] @ up_G).min() + data.geom_xpos[geom, 2]))
    boxes = boxes_of(model, data, geoms[~is_mesh])
    if len(boxes):
        heights.append(float(boxes.low[2]))
    return min(heights)
