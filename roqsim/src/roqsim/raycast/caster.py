"""Casting rays into a model, one at a time or many."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np

from roqsim.presence import ABSENT_GROUP
from roqsim.raycast import pool
from roqsim.raycast.bounds import bounds_to_turn

VISUAL_GROUP = 2
"""The geom group of what is only drawn."""

GROUPS = 6
"""How many geom groups MuJoCo has."""

UNIT_TOLERANCE = 1e-9
"""By how much a ray's length may differ from one."""


def visible_groups(*, visual: bool = False) -> np.ndarray:
    """``(6,)`` uint8: which geom groups rays hit; render-only geometry where asked for, absent entities never."""
    groups = np.ones(GROUPS, dtype=np.uint8)
    groups[ABSENT_GROUP] = 0
    groups[VISUAL_GROUP] = visual
    return groups


def welded_geoms(model: mujoco.MjModel, body: int) -> np.ndarray:
    """The ids of all geoms that cannot move against a body; none for the world itself."""
    root = int(model.body_weldid[body])
    if root == 0:
        return np.flatnonzero(_own_group(model, body)[model.geom_bodyid])
    return np.flatnonzero(model.body_weldid[model.geom_bodyid] == root)


def _own_group(model: mujoco.MjModel, body: int) -> np.ndarray:
    """``(nbody,)`` the bodies of a carrier that is fixed to the world: its topmost body and all welded below it."""
    top = body
    while top and int(model.body_parentid[top]) != 0:
        top = int(model.body_parentid[top])
    own = np.zeros(model.nbody, dtype=bool)
    own[top] = top != 0
    for index in range(1, model.nbody):
        own[index] |= own[model.body_parentid[index]] and model.body_weldid[index] == 0
    return own


class RayCaster:
    """Casts one bundle of rays again and again, without allocating.

    Args:
        model: The compiled model.
        count: How many rays the bundle has.
        carrier: The body that carries the sensor; everything welded to it is invisible. None hides nothing.
        max_range: The far limit in metres.
        groups: ``(6,)`` uint8 geom groups to hit; ``visible_groups()`` by default.
        threads: How many threads may share a cast, None for one a core up to four; a bundle too small to gain by it is
            cast on one all the same.
        with_normals: Whether to find the normals of the surfaces that are hit.

    Attributes:
        distances: ``(count,)`` metres along each ray to what it hits, ``inf`` where it hits nothing within the limit;
            after ``shoot`` -1, or what lies beyond the limit, until ``finish``.
        normals: ``(count, 3)`` unit normals in the world where something was hit, or None.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        count: int,
        *,
        carrier: int | None = None,
        max_range: float = np.inf,
        groups: np.ndarray | None = None,
        threads: int | None = 1,
        with_normals: bool = False,
    ) -> None:
        self._model = model
        self._count = count
        self._max_range = float(max_range)
        self._cutoff = min(self._max_range, float(mujoco.mjMAXVAL))
        self._groups = visible_groups() if groups is None else np.asarray(groups, dtype=np.uint8)
        self._geom_group = model.geom_group
        hidden = np.zeros(0, dtype=int) if carrier is None else welded_geoms(model, carrier)
        bodies = np.unique(model.geom_bodyid[hidden])
        self._excluded = int(bodies[0]) if bodies.size == 1 else -1
        self._hidden = hidden if bodies.size > 1 else None
        self._bounds = bounds_to_turn(model, bodies)
        self.distances = np.full(count, np.inf)
        self.normals = np.zeros((count, 3)) if with_normals else None
        self._geoms = np.full(count, -1, dtype=np.int32)
        self._missed = np.ones(count, dtype=bool)
        # As unsigned integers, MuJoCo's -1 for a miss is larger than any distance: one comparison finds both kinds.
        self._bits = self.distances.view(np.uint64)
        self._limit = np.array(self._max_range)
        self._limit_bits = self._limit.view(np.uint64)
        self._is_finished = True
        self._threads = pool.default_threads() if threads is None else threads
        self._is_large = self._threads > 1 and count >= pool.PAYS_FROM
        self._pool: pool.RayPool | None = None
        self._release: Callable[[], object] | None = None

    @property
    def geoms(self) -> np.ndarray:
        """``(count,)`` int32 ids of the geoms that were hit, -1 for none; overwritten by the next cast."""
        self.finish()
        self._geoms[self._missed] = -1
        return self._geoms

    def hits(self, near: float) -> np.ndarray:
        """``(k,)`` the numbers of the rays that hit something from a distance in metres on, up to the limit."""
        found = np.less_equal(self.distances, self._limit, out=self._missed)
        found &= self.distances >= near
        self._is_finished = False
        return found.nonzero()[0]

    def geoms_at(self, rays: np.ndarray) -> np.ndarray:
        """``(k,)`` int32 ids of the geoms that ``(k,)`` rays hit; they have to be among the hits."""
        return self._geoms.take(rays)

    def cast(
        self, data: mujoco.MjData, origin_W: np.ndarray, rays_W: np.ndarray, rows: slice | None = None
    ) -> np.ndarray:
        """Casts the bundle, or some of its rays, from one point.

        Args:
            data: A state whose kinematics are current; no other thread may use it or the model meanwhile.
            origin_W: ``(3,)`` metres in the world.
            rays_W: ``(count, 3)`` contiguous unit vectors in the world.
            rows: The rays to cast, a slice without a step; what was found for the others stays.

        Returns:
            ``distances``, overwritten by the next call.
        """
        self.shoot(data, origin_W, rays_W, rows)
        self.finish()
        return self.distances

    def finish(self) -> None:
        """Makes ``inf`` of the distances of what is missed; after ``shoot``, where it matters."""
        if not self._is_finished:
            np.greater(self._bits, self._limit_bits, out=self._missed)
            self.distances[self._missed] = np.inf
            self._is_finished = True

    def shoot(self, data: mujoco.MjData, origin_W: np.ndarray, rays_W: np.ndarray, rows: slice | None = None) -> None:
        """Casts the bundle, or some of its rays, for who asks for the ``hits`` only; see ``cast``."""
        hidden, group = self._hidden, self._geom_group
        self._is_finished = False
        if self._bounds is not None:
            self._bounds.turn(data)
        if hidden is not None:
            # MuJoCo excludes one body; the geoms of the others hide in the group that no ray sees.
            kept = group[hidden]
            group[hidden] = ABSENT_GROUP
        try:
            if rows is not None or self._is_large:
                self._share_out(data, origin_W, rays_W, rows)
            else:
                self._cast(data, origin_W, rays_W, self._geoms, self.distances, self.normals, self._count)
        finally:
            if hidden is not None:
                group[hidden] = kept
            if self._bounds is not None:
                self._bounds.restore()

    def close(self) -> None:
        """Gives the threads back, which the first large cast has started; another cast does without them."""
        self._threads, self._is_large = 1, False
        if self._release is not None:
            self._release()
            self._pool, self._release = None, None

    def _share_out(self, data: mujoco.MjData, origin_W: np.ndarray, rays_W: np.ndarray, rows: slice | None) -> None:
        first, last, _ = (slice(None) if rows is None else rows).indices(self._count)
        count = last - first
        if self._is_large and count >= pool.PAYS_FROM:
            if self._pool is None:
                self._pool, self._release = pool.lease(self, self._model, self._threads)

            def job(of_thread: mujoco.MjData, start: int, stop: int) -> None:
                self._cast_rows(of_thread, origin_W, rays_W, slice(first + start, first + stop), stop - start)

            self._pool.run(data, job, count)
        elif count > 0:
            self._cast_rows(data, origin_W, rays_W, slice(first, last), count)

    def _cast_rows(
        self, data: mujoco.MjData, origin_W: np.ndarray, rays_W: np.ndarray, rows: slice, count: int
    ) -> None:
        normals = None if self.normals is None else self.normals[rows]
        self._cast(data, origin_W, rays_W[rows], self._geoms[rows], self.distances[rows], normals, count)

    def _cast(
        self,
        data: mujoco.MjData,
        origin_W: np.ndarray,
        rays_W: np.ndarray,
        geoms: np.ndarray,
        distances: np.ndarray,
        normals: np.ndarray | None,
        count: int,
    ) -> None:
        mujoco.mj_multiRay(
            self._model,
            data,
            origin_W,
            rays_W.ravel(),
            self._groups,
            1,
            self._excluded,
            geoms,
            distances,
            None if normals is None else normals.ravel(),
            count,
            self._cutoff,
        )


def unit(rays: np.ndarray) -> np.ndarray:
    """``(n, 3)`` contiguous float64 rays scaled to length one.

    Raises:
        ValueError: If a ray has no direction.
    """
    array = np.ascontiguousarray(rays, dtype=float).reshape(-1, 3)
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    if not np.all(np.isfinite(lengths)) or np.any(lengths == 0.0):
        raise ValueError("expected rays with a finite, non-zero length")
    return array if np.all(np.abs(lengths - 1.0) <= UNIT_TOLERANCE) else array / lengths


def cast(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    origin_W: np.ndarray,
    rays_W: np.ndarray,
    *,
    carrier: int | None = None,
    max_range: float = np.inf,
    groups: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Casts rays once; a sensor that does it again and again keeps a ``RayCaster``.

    Args:
        model: The compiled model.
        data: A state whose kinematics are current.
        origin_W: ``(3,)`` metres in the world.
        rays_W: ``(n, 3)`` directions in the world, of any length but zero.
        carrier: The body that carries the sensor; everything welded to it is invisible.
        max_range: The far limit in metres.
        groups: ``(6,)`` geom groups to hit.

    Returns:
        ``(n,)`` distances in metres (``inf`` where nothing was hit) and ``(n,)`` geom ids (-1 for none).
    """
    rays = unit(rays_W)
    caster = RayCaster(model, len(rays), carrier=carrier, max_range=max_range, groups=groups)
    return caster.cast(data, np.asarray(origin_W, dtype=float), rays), caster.geoms
