"""What a depth camera makes of distances: its limits, its noise, its file format."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MILLIMETRES = 1000.0

CEILING = 65.535
"""The largest distance in metres that a 16 bit picture of millimetres holds."""


@dataclass(frozen=True)
class DepthModel:
    """How a device measures distances along its optical axis.

    A stereo or structured-light camera measures a disparity with a constant error, so that the error of the distance
    grows with its square: ``sigma = stddev + stddev_quadratic * z^2``.

    Attributes:
        range_min: Shortest measurable distance in metres.
        range_max: Longest measurable distance in metres.
        stddev: Standard deviation in metres.
        stddev_quadratic: Growth of the standard deviation with the square of the distance, in 1/m.
        dropout: Fraction of the pixels that are lost by chance.
    """

    range_min: float
    range_max: float
    stddev: float = 0.0
    stddev_quadratic: float = 0.0
    dropout: float = 0.0

    @property
    def is_random(self) -> bool:
        """Whether it needs random numbers."""
        return bool(self.stddev or self.stddev_quadratic or self.dropout)

    def measure(self, depth: np.ndarray, rng: np.random.Generator | None) -> np.ndarray:
        """Measures.

        Args:
            depth: ``(h, w)`` float32 true distances in metres, ``inf`` for nothing.
            rng: Random numbers, where ``is_random``.

        Returns:
            ``(h, w)`` float32 metres of its own memory, ``inf`` where nothing is measured.
        """
        measured = np.array(depth, dtype=np.float32, order="C")
        seen = (measured >= self.range_min) & (measured <= self.range_max)
        if self.stddev or self.stddev_quadratic:
            noise = rng.standard_normal(measured.shape, dtype=np.float32)
            with np.errstate(invalid="ignore"):
                noise *= self.stddev + self.stddev_quadratic * measured * measured
                measured += noise
        if self.dropout:
            seen &= rng.random(measured.shape, dtype=np.float32) >= self.dropout
        measured[~seen] = np.inf
        return np.maximum(measured, 0.0, out=measured)


def to_millimetres(depth: np.ndarray) -> np.ndarray:
    """``(h, w)`` uint16 millimetres, rounded to the nearest; 0 where nothing is measured or it does not fit."""
    millimetres = np.rint(np.asarray(depth, dtype=np.float64) * MILLIMETRES)
    millimetres[~(millimetres <= CEILING * MILLIMETRES)] = 0.0
    return millimetres.astype(np.uint16)
