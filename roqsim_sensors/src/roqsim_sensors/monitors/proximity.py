"""The smallest distance between two groups of geoms.

``mj_geomDistance`` measures the true shapes, one pair at a time. Most pairs are too far apart to matter: the distance
from a sphere around the one geom to the box around the other bounds theirs from below. Pairs are visited in the order
of that bound, and the search ends where it exceeds what has been found.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

STRIDE = 0.25
"""How far the first group may move in metres before its distances to what is fixed are bounded anew."""

SLACK = 1e-6
"""Metres by which a pair may be farther than expected; the choice between equal pairs must not hang on rounding."""


@dataclass(frozen=True)
class Nearest:
    """The closest pair.

    Attributes:
        distance: Metres between the surfaces, negative where they overlap.
        geom: The geom of the first group.
        other: The geom of the second group.
        p_geom: ``(3,)`` metres in the world: the nearest point of ``geom``.
        p_other: ``(3,)`` metres in the world: the nearest point of ``other``.
    """

    distance: float
    geom: int
    other: int
    p_geom: np.ndarray
    p_other: np.ndarray


class Boxes:
    """The boxes around the geoms of a group, and how far points are outside of them.

    Args:
        model: The compiled model.
        geoms: ``(m,)`` their ids.
    """

    def __init__(self, model: mujoco.MjModel, geoms: np.ndarray) -> None:
        self._geoms = geoms
        self._centre, self._half = model.geom_aabb[geoms, :3], model.geom_aabb[geoms, 3:]

    def outside(self, data: mujoco.MjData, points: np.ndarray, columns: np.ndarray | slice) -> np.ndarray:
        """``(n, k)`` metres from ``(n, 3)`` points of the world to some of the boxes, 0 inside."""
        geoms = self._geoms[columns]
        rotations = data.geom_xmat[geoms].reshape(-1, 3, 3)
        away = points[:, None, :] - data.geom_xpos[geoms]
        local = np.einsum("kji,nkj->nki", rotations, away)
        local -= self._centre[columns]
        np.abs(local, out=local)
        local -= self._half[columns]
        np.maximum(local, 0.0, out=local)
        return np.sqrt(np.einsum("nki,nki->nk", local, local))


class Proximity:
    """Finds the closest pair of two groups of geoms again and again.

    What it finds depends on the state alone; what it remembers only saves time.

    Args:
        model: The compiled model.
        geoms: ``(n,)`` ids of the first group.
        others: ``(m,)`` ids of the second group.
        allowed: ``(n, m)`` which pairs count, as ``can_collide`` gives them.
        reach: Metres beyond which nothing is looked for.
    """

    def __init__(
        self, model: mujoco.MjModel, geoms: np.ndarray, others: np.ndarray, allowed: np.ndarray, reach: float
    ) -> None:
        mine, theirs = allowed.any(axis=1), allowed.any(axis=0)
        self._model, self._reach = model, reach
        self._geoms, self._others = np.asarray(geoms)[mine], np.asarray(others)[theirs]
        self._allowed = allowed[np.ix_(mine, theirs)]
        self._boxes = Boxes(model, self._others)
        self._offset = model.geom_aabb[self._geoms, :3]
        # MuJoCo's own sphere is tighter for round shapes, but stands around the geom's origin; a plane has none.
        half, exact = np.linalg.norm(model.geom_aabb[self._geoms, 3:], axis=1), model.geom_rbound[self._geoms]
        is_centred = ~self._offset.any(axis=1) & (exact > 0.0)
        self._radius = np.where(is_centred, np.minimum(exact, half), half)
        bodies = model.geom_bodyid[self._others]
        is_fixed = (model.body_weldid[bodies] == 0) & (model.body_mocapid[model.body_rootid[bodies]] < 0)
        self._fixed, self._moving = np.flatnonzero(is_fixed), np.flatnonzero(~is_fixed)
        self._segment = np.empty(6)
        self.forget()

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return int(self._allowed.sum())

    def forget(self) -> None:
        """Begins anew, after what is fixed may have been moved."""
        self._anchor: np.ndarray | None = None
        self._last: tuple[int, int] | None = None

    def find(self, data: mujoco.MjData) -> Nearest | None:
        """The closest pair within reach, or None.

        Args:
            data: A state whose kinematics are current.
        """
        if not self._geoms.size:
            return None
        places = self._places(data)
        middle = (places.min(axis=0) + places.max(axis=0)) / 2.0
        away = places - middle
        around = float((np.sqrt(np.einsum("ni,ni->n", away, away)) + self._radius).max())
        # The pair that was closest before is rarely far from it now, and rules most others out.
        limit = self._reach
        if self._last is not None:
            limit = min(limit, mujoco.mj_geomDistance(self._model, data, *self._last, limit, None) + SLACK)
        near = np.concatenate((self._near_fixed(data, middle, limit + around), self._moving))
        best = self._search(data, np.sort(near), places, limit)
        self._last = None if best is None else (best.geom, best.other)
        return best

    def _places(self, data: mujoco.MjData) -> np.ndarray:
        """``(n, 3)`` the middles of the boxes around the first group, in the world."""
        rotations = data.geom_xmat[self._geoms].reshape(-1, 3, 3)
        return data.geom_xpos[self._geoms] + np.einsum("nij,nj->ni", rotations, self._offset)

    def _near_fixed(self, data: mujoco.MjData, middle: np.ndarray, limit: float) -> np.ndarray:
        """The fixed geoms that a point may be closer to than ``limit``.

        Distances to them are known from where the point was last; they can't have shrunk by more than it has moved.
        """
        moved = np.inf if self._anchor is None else float(np.linalg.norm(middle - self._anchor))
        if moved > STRIDE:
            outside = self._boxes.outside(data, middle[None, :], self._fixed)[0]
            order = np.argsort(outside, kind="stable")
            self._anchor, self._sorted, self._outside, moved = middle, self._fixed[order], outside[order], 0.0
        return self._sorted[: np.searchsorted(self._outside, limit + moved, side="right")]

    def _search(self, data: mujoco.MjData, columns: np.ndarray, places: np.ndarray, limit: float) -> Nearest | None:
        """The closest pair with one of some columns, if it is closer than ``limit``."""
        outside = self._boxes.outside(data, places, columns)
        # Inside a box the overlap may be deeper than the radius.
        bounds = np.where(outside > 0.0, outside - self._radius[:, None], -np.inf)
        bounds[~self._allowed[:, columns]] = np.inf
        rows, cols = np.nonzero(bounds < limit)
        values = bounds[rows, cols]
        order = np.argsort(values, kind="stable")
        best = None
        for value, row, col in zip(*(each[order].tolist() for each in (values, rows, cols)), strict=True):
            if value >= limit:
                break
            geom, other = int(self._geoms[row]), int(self._others[columns[col]])
            distance = mujoco.mj_geomDistance(self._model, data, geom, other, self._reach, self._segment)
            if distance < limit:
                limit = distance
                best = Nearest(distance, geom, other, self._segment[:3].copy(), self._segment[3:].copy())
        return best
