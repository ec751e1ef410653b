"""A closed room of flat walls in which every ray's length is known, and devices in it."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

TIMESTEP = 0.002
POSITION = [0.4, -0.7, 1.1]
ANGLES = {"roll": 0.3, "pitch": -0.2, "yaw": 1.1}

FEW_RAYS = {
    "lidar_3d": {"rings": 8, "azimuths": 90},
    "livox_mid360": {"point_rate": 20_000},
    "seyond_robin_w1g": {"lines": 12, "points": 30},
    "range_sensor": {},
}
"""What keeps a device's tests short."""


class ClosedRoom:
    """Its inner walls in metres; the world's own floor is the floor."""

    low = np.array([-3.0, -4.0, 0.0])
    high = np.array([2.5, 3.5, 2.8])
    position = np.array(POSITION)

    @classmethod
    def component(cls) -> dict:
        """The four walls and the ceiling."""
        thick, instances = 0.2, []
        for axis, side in ((0, -1), (0, 1), (1, -1), (1, 1), (2, 1)):
            position = (cls.low + cls.high) / 2
            position[axis] = (cls.high if side > 0 else cls.low)[axis] + side * thick / 2
            size = cls.high - cls.low + 2 * thick
            size[axis] = thick
            name = f"{'xyz'[axis]}_{'high' if side > 0 else 'low'}"
            instances.append({"name": name, "size": size.tolist(), "pose": {"position": position.tolist()}})
        return {"boxes": {"motion": "static", "instances": instances}, "name": "walls"}

    @classmethod
    def distances(cls, origins: np.ndarray, rays: np.ndarray) -> np.ndarray:
        """``(n,)`` metres along ``(n, 3)`` unit rays from ``(n, 3)`` or ``(3,)`` points inside to the walls."""
        with np.errstate(divide="ignore", invalid="ignore"):
            lengths = np.where(rays == 0, np.inf, (np.where(rays > 0, cls.high, cls.low) - origins) / rays)
        return lengths.min(axis=-1)


def rotation(roll: float = 0.0, pitch: float = 0.0, yaw: float = 0.0) -> np.ndarray:
    """``(3, 3)`` axes of a frame that was turned by roll, pitch, yaw about fixed axes."""
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(angle), np.sin(angle)) for angle in (roll, pitch, yaw))
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


@pytest.fixture
def room():
    """The room, with the rotation of the device in it as ``R_WS``."""
    ClosedRoom.R_WS = rotation(**ANGLES)
    return ClosedRoom


@pytest.fixture
def device(world):
    """Opens the room with one device in it: ``device("lidar_3d", rings=4)`` gives engine, plugin and endpoint."""

    def make(ref: str, *others: dict, sim: dict | None = None, seed: int | None = None, **config):
        pose = {"position": POSITION, "orientation": ANGLES}
        entry = {ref: {"pose": pose, **FEW_RAYS[ref], **config}}
        sim = {"timestep": TIMESTEP, **(sim or {})}
        engine = world({"sim": sim, "components": [ClosedRoom.component(), *others, entry]}, seed=seed)
        plugin = next(plugin for plugin in engine.plugins if plugin.address == ref)
        return engine, plugin, engine.ctx.interface.get("", plugin.stream)

    return make


@pytest.fixture(autouse=True)
def no_worker_left():
    """Threads that cast rays end with the simulation."""
    yield
    gc.collect()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("rays-")]
