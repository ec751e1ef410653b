"""From true distances to what a range sensor reports: limits, noise, resolution and lost rays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, kw_only=True)
class RangeModel:
    """How a device measures distances.

    A true distance below ``range_min`` is too close, one beyond ``range_max`` no return. Others get zero-mean Gaussian
    noise, are floored at 0, held to the same two limits, and rounded to ``resolution``. Lost rays are no returns.

    Attributes:
        range_min: Near limit in metres.
        range_max: Far limit in metres.
        too_close: Reported below the near limit; None reports the measured distance.
        no_return: Reported where nothing is hit within the far limit, and for a lost ray.
        stddev: Standard deviation of a distance in metres.
        stddev_relative: Standard deviation as a fraction of the true distance, at and beyond ``relative_from``; 0 keeps
            ``stddev`` everywhere.
        relative_from: True distance in metres from which on ``stddev_relative`` applies.
        resolution: Step of the reported distances in metres; 0 for none.
        dropout: Probability that a ray is lost.
    """

    range_min: float = 0.0
    range_max: float = math.inf
    too_close: float | None = -math.inf
    no_return: float = math.inf
    stddev: float = 0.0
    stddev_relative: float = 0.0
    relative_from: float = 0.0
    resolution: float = 0.0
    dropout: float = 0.0

    @cached_property
    def is_noisy(self) -> bool:
        """Whether distances carry noise."""
        return self.stddev > 0.0 or self.stddev_relative > 0.0

    @cached_property
    def is_random(self) -> bool:
        """Whether ``measure`` draws random numbers."""
        return self.is_noisy or self.dropout > 0.0

    @cached_property
    def _near(self) -> np.ndarray:
        """The near limit as an array, which NumPy compares with faster than with a float."""
        return np.array(self.range_min)

    @cached_property
    def is_exact(self) -> bool:
        """Whether a distance is reported as it is, apart from the limits."""
        return not (self.is_random or self.resolution > 0.0)

    def sigma(self, distances: np.ndarray) -> np.ndarray:
        """``(n,)`` the standard deviation in metres at true distances ``(n,)``."""
        if self.stddev_relative == 0.0:
            return np.full(distances.shape, self.stddev)
        return np.where(distances >= self.relative_from, self.stddev_relative * distances, self.stddev)

    def measure(self, distances: np.ndarray, rng: np.random.Generator | None = None) -> np.ndarray:
        """What the device reports.

        Args:
            distances: ``(n,)`` true distances in metres, inf where nothing was hit within ``range_max``.
            rng: The source of noise; not needed where ``is_random`` is false.

        Returns:
            ``(n,)`` float32 metres, a new array.
        """
        if not self.is_exact:
            return self._inexact(distances, rng)
        ranges = distances.astype(np.float32)
        if self.too_close is not None and self.range_min > 0.0:
            ranges[distances < self._near] = self.too_close
        if self.no_return != math.inf:
            ranges[np.isinf(distances)] = self.no_return
        return ranges

    def _inexact(self, distances: np.ndarray, rng: np.random.Generator | None) -> np.ndarray:
        close, missed = distances < self.range_min, np.isinf(distances)
        measured = np.where(missed, 0.0, distances)
        if self.is_noisy:
            measured += self.sigma(measured) * rng.standard_normal(len(measured))
            np.maximum(measured, 0.0, out=measured)
            missed |= ~close & (measured > self.range_max)
            close |= ~missed & (measured < self.range_min)
        if self.resolution > 0.0:
            measured = np.rint(measured / self.resolution) * self.resolution
        if self.dropout > 0.0:
            missed |= rng.random(len(measured)) < self.dropout
        if self.too_close is not None:
            measured[close] = self.too_close
        measured[missed] = self.no_return
        return measured.astype(np.float32)
