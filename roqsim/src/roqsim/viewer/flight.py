"""Flying through the world with keys that are held down."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

NEAR = 0.1
"""Distance in metres from the eye to the point that the mouse turns it about in flight, so that it hardly moves."""

SPEED = 0.6
"""Speed, as a multiple of the distance to what was looked at when the flight began, per second."""

SPEED_LIMITS = (0.3, 20.0)
"""The least and the greatest speed in m/s."""

FASTER = 4.0
"""What Shift multiplies the speed by."""

SHIFTS = (340, 344)
"""GLFW's numbers of both Shift keys."""

MOVES: Mapping[str, tuple[float, float, float]] = {
    "W": (1.0, 0.0, 0.0),
    "S": (-1.0, 0.0, 0.0),
    "D": (0.0, 1.0, 0.0),
    "A": (0.0, -1.0, 0.0),
    "E": (0.0, 0.0, 1.0),
    "Q": (0.0, 0.0, -1.0),
}
"""What each key adds: along the view, to the right, up along the world's z axis."""

_SHOWN = [index for index, (_, _, letter) in enumerate(mujoco.mjVISSTRING) if letter in MOVES]
_DRAWN = [index for index, (_, _, letter) in enumerate(mujoco.mjRNDSTRING) if letter in MOVES]


@dataclass
class _Switches:
    """The switches of MuJoCo's window that share their letters with the flight."""

    shown: np.ndarray
    drawn: np.ndarray


class Flight:
    """A camera that is flown; every method is called with the window's lock held.

    Args:
        option: The window's visualization options.
        scene: The window's scene of user geoms, whose flags are those of the picture.
    """

    def __init__(self, option: mujoco.MjvOption, scene: mujoco.MjvScene) -> None:
        self.speed = 0.0
        self._option, self._scene = option, scene
        self._distance = 0.0
        self._kept: _Switches | None = None

    @property
    def is_on(self) -> bool:
        """Whether the keys fly."""
        return self._kept is not None

    def begin(self, cam: mujoco.MjvCamera) -> None:
        """Takes off from where a free camera is, without moving it."""
        self._kept = _Switches(self._option.flags[_SHOWN].copy(), self._scene.flags[_DRAWN].copy())
        self._distance = float(cam.distance)
        self.speed = min(max(SPEED * self._distance, SPEED_LIMITS[0]), SPEED_LIMITS[1])
        _pivot(cam, NEAR)

    def end(self, cam: mujoco.MjvCamera) -> None:
        """Lands: the eye stays, and the mouse turns about a point as far away as at the beginning."""
        self._kept = None
        _pivot(cam, self._distance)

    def move(self, cam: mujoco.MjvCamera, is_down: Callable[[int], bool], seconds: float) -> None:
        """Flies on.

        Args:
            cam: The camera.
            is_down: Whether a key is held, by GLFW's number.
            seconds: Wall time since the last call.
        """
        self._keep_switches()
        wanted = np.sum([step for key, step in MOVES.items() if is_down(ord(key))] or [(0.0, 0.0, 0.0)], axis=0)
        if not wanted.any():
            return
        ahead = direction(cam)
        azimuth = math.radians(cam.azimuth)
        right = np.array([math.sin(azimuth), -math.cos(azimuth), 0.0])
        along = wanted[0] * ahead + wanted[1] * right + wanted[2] * np.array([0.0, 0.0, 1.0])
        length = float(np.linalg.norm(along))
        if length > 0.0:
            speed = self.speed * (FASTER if any(is_down(key) for key in SHIFTS) else 1.0)
            cam.lookat[:] += along / length * speed * seconds

    def _keep_switches(self) -> None:
        """Puts back what MuJoCo's window switched by a letter that steers the flight."""
        self._option.flags[_SHOWN] = self._kept.shown
        self._scene.flags[_DRAWN] = self._kept.drawn


def direction(cam: mujoco.MjvCamera) -> np.ndarray:
    """``(3,)`` the unit vector along which a free camera looks, in the world."""
    azimuth, elevation = math.radians(cam.azimuth), math.radians(cam.elevation)
    flat = math.cos(elevation)
    return np.array([flat * math.cos(azimuth), flat * math.sin(azimuth), math.sin(elevation)])


def _pivot(cam: mujoco.MjvCamera, distance: float) -> None:
    """Moves the point that a camera turns about along its line of sight; the eye stays."""
    cam.lookat[:] += (distance - cam.distance) * direction(cam)
    cam.distance = distance
