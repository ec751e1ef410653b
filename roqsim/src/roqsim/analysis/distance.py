"""How far apart two things are: between their nearest surfaces, and between their origins."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import mujoco
import numpy as np

from roqsim.analysis.poses import Thing
from roqsim.analysis.quantity import vector
from roqsim.analysis.table import Column, Row
from roqsim.mj.contacts import geoms_of, subtree

NOTHING = (math.nan,) * 3
"""A point that there is not."""

FAR = 1e6
"""Metres beyond which nothing is looked for."""


class Distance:
    """The distance between two bodies, each with everything that hangs on it; on the world, what is fixed to it.

    Where one hangs on the other, it is no part of it. Surfaces are those that can collide; where a thing has none, all
    that it shows.

    Args:
        model: The compiled model.
        data: Its state.
        things: The two.
        is_absent: Whether a body is absent; there is then no distance.
    """

    title = "distance"
    keys = ()
    drawn = ("distance", "origins")

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        things: tuple[Thing, Thing],
        is_absent: Callable[[int], bool] = lambda body: False,
    ) -> None:
        self._model, self._data, self._is_absent = model, data, is_absent
        self._bodies = [body for _, body in things]
        (first, _), (second, _) = things
        self.title = f"distance of {first} and {second}"
        mine, other = (_extent(model, body) for body in self._bodies)
        trees = [mine - other, other] if self._bodies[1] in mine else [mine, other - mine]
        self._geoms = [_surfaces(model, tree) for tree in trees]
        names = [f"{each}.nearest" for each in ("first", "second")]
        self.columns = (
            Column("distance", "m"),
            Column("origins", "m"),
            *(column for name in names for column in vector(name, "m")),
        )

    def rows(self) -> Iterator[Row]:
        """One row; ``distance`` is negative where they overlap, NaN where one has no surface or is absent."""
        if any(self._is_absent(body) for body in self._bodies):
            yield (math.nan, math.nan, *NOTHING, *NOTHING)
            return
        first, second = (self._data.xpos[body] for body in self._bodies)
        distance, points = self._nearest()
        yield (distance, float(np.linalg.norm(first - second)), *points)

    def _nearest(self) -> tuple[float, tuple[float, ...]]:
        model, data = self._model, self._data
        bounds = sorted(
            (_lower_bound(model, data, a, b), a, b) for a in self._geoms[0] for b in self._geoms[1] if a != b
        )
        best, points, segment = math.inf, (*NOTHING, *NOTHING), np.empty(6)
        for bound, a, b in bounds:
            if bound >= best:
                break
            reach = min(best, FAR)
            found = mujoco.mj_geomDistance(model, data, a, b, reach, segment)
            if found < reach:
                best, points = float(found), tuple(segment.tolist())
        return (best, points) if math.isfinite(best) else (math.nan, points)


def _extent(model: mujoco.MjModel, body: int) -> frozenset[int]:
    """The bodies that make up a thing."""
    return subtree(model, body) if body else frozenset(np.flatnonzero(model.body_weldid == 0).tolist())


def _surfaces(model: mujoco.MjModel, bodies: frozenset[int]) -> list[int]:
    geoms = sorted(geoms_of(model, bodies))
    solid = [geom for geom in geoms if model.geom_contype[geom] or model.geom_conaffinity[geom]]
    return solid or geoms


def _lower_bound(model: mujoco.MjModel, data: mujoco.MjData, a: int, b: int) -> float:
    """No surface is nearer than this; what has no bounding sphere, such as a plane, may be anywhere."""
    radii = float(model.geom_rbound[a]), float(model.geom_rbound[b])
    if not all(radii):
        return -math.inf
    return float(np.linalg.norm(data.geom_xpos[a] - data.geom_xpos[b])) - sum(radii)
