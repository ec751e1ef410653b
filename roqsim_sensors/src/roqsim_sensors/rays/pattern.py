"""Where the rays of a sensor that measures clouds of points go, and when each of them is fired."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roqsim_sensors.rays.sweep import Sweep


@dataclass(frozen=True)
class Pattern:
    """The rays of one period, in the order in which they are fired.

    Attributes:
        directions: ``(n, 3)`` unit vectors in the sensor's frame: x ahead, y to the left, z up.
        ring: ``(n,)`` uint16 number of the laser or line that fires.
        phase: ``(n,)`` fractions of the period in [0, 1) at which they are fired, never decreasing.
        order: ``(n,)`` the rays row by row, top row first, or None where they form no rows.
        height: How many rows there are; 1 where they form none.
    """

    directions: np.ndarray
    ring: np.ndarray
    phase: np.ndarray
    order: np.ndarray | None = None
    height: int = 1

    def edges(self, slices: int) -> list[int]:
        """The first ray of each of so many equal parts of the period, and the number of rays."""
        return np.searchsorted(self.phase, np.arange(slices + 1) / slices - 1e-12).tolist()


def directions(azimuth: np.ndarray, elevation: np.ndarray) -> np.ndarray:
    """``(n, 3)`` unit vectors.

    Args:
        azimuth: ``(n,)`` radians about z from the x axis.
        elevation: ``(n,)`` radians above the x-y plane.
    """
    level = np.cos(elevation)
    return np.stack([level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)], axis=-1)


def spinning(elevations: Sequence[float], columns: Sweep, offsets: Sequence[float] | None = None) -> Pattern:
    """Lasers of fixed elevations that turn about z: all of them fire at each azimuth.

    Args:
        elevations: ``(rings,)`` radians above the x-y plane.
        columns: The azimuths, in the order in which they are passed.
        offsets: ``(rings,)`` radians that are added to the azimuth of each laser; none by default.
    """
    rings = len(elevations)
    shift = np.zeros(rings) if offsets is None else np.asarray(offsets, dtype=float)
    azimuth = (columns.angles()[:, None] + shift).ravel()
    elevation = np.tile(np.asarray(elevations, dtype=float), columns.rays)
    ring = np.tile(np.arange(rings, dtype=np.uint16), columns.rays)
    phase = np.repeat(np.arange(columns.rays) / columns.rays, rings)
    from_top = np.argsort(-np.asarray(elevations), kind="stable")
    order = (np.arange(columns.rays) * rings + from_top[:, None]).ravel()
    return Pattern(directions(azimuth, elevation), ring, phase, order, rings)


def raster(azimuths: Sweep, elevations: Sweep) -> Pattern:
    """Lines that are drawn one after the other, each along the azimuths.

    Args:
        azimuths: Along each line, in the order in which they are passed.
        elevations: Of the lines, in the order in which they are drawn.
    """
    lines, points = elevations.rays, azimuths.rays
    azimuth = np.tile(azimuths.angles(), lines)
    elevation = np.repeat(elevations.angles(), points)
    ring = np.repeat(np.arange(lines, dtype=np.uint16), points)
    count = lines * points
    from_top = np.arange(count) if elevations.increment <= 0 else np.arange(count).reshape(lines, points)[::-1].ravel()
    return Pattern(directions(azimuth, elevation), ring, np.arange(count) / count, from_top, lines)


GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
"""The number that fractions approach worst: what advances by it comes close to no earlier place for the longest."""


@dataclass(frozen=True)
class Incommensurable:
    """A scan that never repeats: elevation swings while azimuth turns, at rates with no common multiple.

    Prisms or mirrors that turn at such rates draw a rosette that is denser the longer one looks (Liu, Zhang, Hong:
    "Low-Cost Retina-Like Robotic Lidars Based on Incommensurable Scanning", IEEE/ASME Transactions on Mechatronics
    27(1), 2022). Makers keep the curves of their devices to themselves; this one swings at an even pace, so that
    elevations are equally likely.

    Attributes:
        point_rate: Points in a second.
        turns_hz: Turns of the azimuth in a second.
        swings: Whole swings of the elevation in a turn; ``GOLDEN`` is added to them.
        elevation_min: Lowest elevation in radians.
        elevation_max: Highest elevation in radians.
        lines: Lasers that fire in turn, their swings evenly apart.
    """

    point_rate: float
    turns_hz: float
    swings: int
    elevation_min: float
    elevation_max: float
    lines: int

    def pattern(self, first: int, count: int) -> Pattern:
        """The points of a number ``first`` and the ones after it: a pure function of the number.

        Args:
            first: Points fired since the start.
            count: How many points the period has.
        """
        number = first + np.arange(count)
        ring = number % self.lines
        turns = number * (self.turns_hz / self.point_rate)
        swing = (turns * (self.swings + GOLDEN) + ring / self.lines) % 1.0
        height = 1.0 - np.abs(2.0 * swing - 1.0)
        elevation = self.elevation_min + (self.elevation_max - self.elevation_min) * height
        rays = directions(2.0 * math.pi * (turns % 1.0), elevation)
        return Pattern(rays, ring.astype(np.uint16), np.arange(count) / count)


def cone(half_angle: float, circles: int) -> np.ndarray:
    """``(1 + 3 circles (circles + 1), 3)`` unit vectors about the x axis: the axis, and circles out to the edge.

    Args:
        half_angle: From the axis to the edge in radians.
        circles: How many there are, the k-th of 6 k rays.
    """
    rays = [np.array([[1.0, 0.0, 0.0]])]
    for circle in range(1, circles + 1):
        angle = half_angle * circle / circles
        turn = 2.0 * math.pi * np.arange(6 * circle) / (6 * circle)
        across = math.sin(angle)
        rays.append(np.stack([np.full(len(turn), math.cos(angle)), across * np.cos(turn), across * np.sin(turn)], 1))
    return np.concatenate(rays)
