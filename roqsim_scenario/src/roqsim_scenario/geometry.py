"""Positions and orientations as a scenario states them, and what is measured between them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from roqsim.errors import RoqsimError
from roqsim.mj.poses import Quaternion, multiply

AXES = ("x", "y", "z")

MEASURED = {
    "distance": (0, 1, 2),
    "planar": (0, 1),
    "vertical": (2,),
    "x": (0,),
    "y": (1,),
    "z": (2,),
}
"""The axes along which a difference is measured, by the name of the mode."""


def separation(a: Sequence[float], b: Sequence[float], mode: str) -> float:
    """The distance in metres between two ``(3,)`` positions, measured as a mode of ``MEASURED`` says."""
    return math.dist(*([place[axis] for axis in MEASURED[mode]] for place in (a, b)))


def name_of_enumerator(value: object) -> str:
    """The name of an enumerator, which arrives as ``(name, value)``."""
    return str(value[0] if isinstance(value, tuple | list) else value)


def vector(struct: Mapping[str, float], keys: Sequence[str] = AXES) -> tuple[float, ...]:
    """The members of a struct such as ``position_3d`` in an order."""
    return tuple(float(struct[key]) for key in keys)


def quaternion(struct: Mapping[str, float]) -> Quaternion:
    """The orientation wxyz of an ``orientation_3d``: turned about x by roll, then about y by pitch, then z by yaw.

    The axes are the world's, as everywhere in ROS (REP-103).
    """
    turns = [(math.cos(struct[key] / 2.0), math.sin(struct[key] / 2.0)) for key in ("roll", "pitch", "yaw")]
    (cr, sr), (cp, sp), (cy, sy) = turns
    return multiply(multiply((cy, 0.0, 0.0, sy), (cp, 0.0, sp, 0.0)), (cr, sr, 0.0, 0.0))


def roll_pitch_yaw(orientation: Sequence[float]) -> tuple[float, float, float]:
    """The three angles in radians that ``quaternion`` made a wxyz orientation of; pitch is within a right angle."""
    w, x, y, z = (float(each) for each in orientation)
    roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = math.asin(max(-1.0, min(1.0, 2.0 * (w * y - z * x))))
    yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return roll, pitch, yaw


def turned(a: np.ndarray, b: np.ndarray) -> float:
    """The angle in radians, at most pi, of the shortest turn from one wxyz orientation to another."""
    w, *axis = multiply(tuple(b.tolist()), (float(a[0]), *(-a[1:]).tolist()))
    return 2.0 * math.atan2(math.hypot(*axis), abs(w))


@dataclass(frozen=True)
class Region:
    """A box along the axes of the world.

    Attributes:
        lower: ``(3,)`` metres, its smallest coordinates.
        upper: ``(3,)`` metres, its largest ones; without a height it has no limits in z.
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def __post_init__(self) -> None:
        flat = [axis for axis, low, high in zip("xy", self.lower, self.upper, strict=False) if not low < high]
        flat += ["z"] if self.lower[2] > self.upper[2] else []
        if flat:
            text = f"lower below upper in {' and '.join(flat)}, got {self.lower!r} and {self.upper!r}"
            raise RoqsimError(f"region: expected {text}")

    def contains(self, position: Sequence[float]) -> bool:
        """Whether a ``(3,)`` position is in it."""
        axes = (0, 1) if self.lower[2] == self.upper[2] else (0, 1, 2)
        return all(self.lower[axis] <= position[axis] <= self.upper[axis] for axis in axes)
