"""Which geoms can touch at all: MuJoCo's own rule, as ``mj_collision`` applies it.

An explicit ``<pair>`` always can. Else the masks of the two geoms have to agree in one direction, their bodies must not
be welded together, nor be parent and child (but for what hangs on the world, and unless the flag is off), and no
``<exclude>`` names them. Absent entities have neither masks nor pairs.
"""

from __future__ import annotations

import mujoco
import numpy as np
from roqsim.presence import UNREACHABLE

from roqsim_sensors.monitors.watch import GROUND_TYPES


def can_collide(model: mujoco.MjModel, geoms: np.ndarray, others: np.ndarray) -> np.ndarray:
    """``(n, m)`` bool: whether each of ``(n,)`` geoms can touch each of ``(m,)`` others, explicit pairs included."""
    a, b = np.asarray(geoms, dtype=int)[:, None], np.asarray(others, dtype=int)[None, :]
    allowed = _masks_agree(model, a, b) & ~_bodies_excluded(model, model.geom_bodyid[a], model.geom_bodyid[b])
    # No geom touches itself, and MuJoCo has no way to tell two planes or height fields apart.
    allowed &= (a != b) & ~(_is_ground(model, a) & _is_ground(model, b))
    there = model.pair_margin > UNREACHABLE
    for first, second in zip(model.pair_geom1[there].tolist(), model.pair_geom2[there].tolist(), strict=True):
        allowed |= ((a == first) & (b == second)) | ((a == second) & (b == first))
    return allowed


def _masks_agree(model: mujoco.MjModel, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    types, affinities = model.geom_contype, model.geom_conaffinity
    return ((types[a] & affinities[b]) | (types[b] & affinities[a])) != 0


def _bodies_excluded(model: mujoco.MjModel, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether bodies never touch, whatever the masks of their geoms say."""
    welds, parents = model.body_weldid, model.body_parentid
    weld_a, weld_b = welds[a], welds[b]
    excluded = weld_a == weld_b
    if not model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT):
        above_a, above_b = welds[parents[weld_a]], welds[parents[weld_b]]
        excluded |= (weld_a != 0) & (weld_b != 0) & ((weld_a == above_b) | (weld_b == above_a))
    for signature in model.exclude_signature.tolist():
        first, second = signature >> 16, signature & 0xFFFF
        excluded |= ((a == first) & (b == second)) | ((a == second) & (b == first))
    return excluded


def _is_ground(model: mujoco.MjModel, geoms: np.ndarray) -> np.ndarray:
    return np.isin(model.geom_type[geoms], GROUND_TYPES)
