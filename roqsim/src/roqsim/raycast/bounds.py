"""Bounding spheres that MuJoCo 3 leaves unturned when it casts many rays, and how a cast gets around it.

``mj_multiRay`` skips a body whose bounding sphere a ray does not meet. The sphere's centre stands in the body's
inertial frame; MuJoCo 3.17 adds it to ``xipos`` without turning it by ``ximat``, so rays pass through a turned body
whose sphere is not centred on its centre of mass. MuJoCo 4.0.1 turns it. ``mj_ray`` knows no such sphere.
"""

from __future__ import annotations

import functools

import mujoco
import numpy as np

CENTRED = 1e-9
"""Metres between the centre of mass and the sphere's centre that do not matter."""

PROBE = """
<mujoco>
  <worldbody>
    <body pos="3 0 0" quat="0 1 0 0">
      <inertial pos="0 0 3" mass="1" diaginertia="1 1 1"/>
      <geom type="box" size=".1 .1 .1"/>
    </body>
  </worldbody>
</mujoco>
"""
"""A box straight ahead, upside down, whose centre of mass is 3 m off."""


class TurnedBounds:
    """Moves ``xipos`` around a cast, so that the sum with the unturned centre is where the sphere really is.

    Args:
        model: The compiled model.
        bodies: ``(k,)`` the bodies whose spheres are off their centres of mass.
    """

    def __init__(self, model: mujoco.MjModel, bodies: np.ndarray) -> None:
        self._bodies = bodies
        self._centres = _centres(model)[bodies]
        self._columns = self._centres[:, :, None].copy()
        self._axes = np.empty((len(bodies), 9))
        self._matrices = self._axes.reshape(-1, 3, 3)
        self._kept, self._moved = np.empty((len(bodies), 3)), np.empty((len(bodies), 3))
        self._turned = self._moved[:, :, None]

    def turn(self, data: mujoco.MjData) -> None:
        """Moves ``xipos``; to be undone by ``restore`` right after the cast."""
        self._xipos, bodies, moved = data.xipos, self._bodies, self._moved
        self._xipos.take(bodies, axis=0, out=self._kept, mode="clip")
        data.ximat.take(bodies, axis=0, out=self._axes, mode="clip")
        np.matmul(self._matrices, self._columns, out=self._turned)
        moved -= self._centres
        moved += self._kept
        self._xipos[bodies] = moved

    def restore(self) -> None:
        """Puts ``xipos`` back, to the bit."""
        self._xipos[self._bodies] = self._kept


def bounds_to_turn(model: mujoco.MjModel, excluded: np.ndarray) -> TurnedBounds | None:
    """The bounding spheres that this MuJoCo would leave unturned, or None where there are none.

    Args:
        model: The compiled model.
        excluded: Bodies that no ray sees anyway.
    """
    is_off = np.any(np.abs(_centres(model)) > CENTRED, axis=1)
    is_off[excluded] = False
    is_off[0] = False  # the world is never turned
    if not is_off.any() or not leaves_bounds_unturned():
        return None
    return TurnedBounds(model, np.flatnonzero(is_off))


@functools.cache
def leaves_bounds_unturned() -> bool:
    """Whether this MuJoCo's ``mj_multiRay`` misses the box of ``PROBE``."""
    model = mujoco.MjModel.from_xml_string(PROBE)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    geoms, distances = np.empty(1, dtype=np.int32), np.empty(1)
    groups = np.ones(mujoco.mjNGROUP, dtype=np.uint8)
    ahead = np.array([1.0, 0.0, 0.0])
    mujoco.mj_multiRay(model, data, np.zeros(3), ahead, groups, 1, -1, geoms, distances, None, 1, mujoco.mjMAXVAL)
    return bool(geoms[0] < 0)


def _centres(model: mujoco.MjModel) -> np.ndarray:
    """``(nbody, 3)`` metres from each body's centre of mass to its sphere's centre, in its inertial frame."""
    has_sphere = model.body_bvhadr >= 0
    centres = np.zeros((model.nbody, 3))
    centres[has_sphere] = model.bvh_aabb[model.body_bvhadr[has_sphere], :3]
    return centres
