"""A device with three axes: from a true vector to what it reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from roqsim.mj import poses

Vector = tuple[float, float, float]

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, kw_only=True)
class Triad:
    """How three axes measure a vector: ``matrix @ truth + bias + drift + noise``, limited, then rounded.

    Attributes:
        matrix: ``(3, 3)`` rows: scale, misalignment, cross-talk.
        bias: ``(3,)`` what is reported where there is nothing, in the unit of the vector.
        stddev: Standard deviation of one reading.
        limit: Largest magnitude of a component; ``inf`` for none.
        resolution: Step of the reported components; 0 for none.
    """

    matrix: tuple[Vector, Vector, Vector] = IDENTITY
    bias: Vector = (0.0, 0.0, 0.0)
    stddev: float = 0.0
    limit: float = math.inf
    resolution: float = 0.0

    @property
    def is_random(self) -> bool:
        """Whether ``measure`` draws random numbers."""
        return self.stddev > 0.0

    @cached_property
    def _matrix(self) -> np.ndarray | None:
        return None if self.matrix == IDENTITY else np.array(self.matrix)

    @cached_property
    def _bias(self) -> np.ndarray:
        return np.array(self.bias)

    def measure(
        self, truth: Sequence[float], rng: np.random.Generator | None = None, drift: np.ndarray | None = None
    ) -> np.ndarray:
        """What the device reports.

        Args:
            truth: ``(3,)`` the vector along the device's axes.
            rng: The source of noise; not needed where ``is_random`` is false.
            drift: ``(3,)`` further bias of the moment.

        Returns:
            ``(3,)`` a new array.
        """
        value = np.array(truth, dtype=float) if self._matrix is None else self._matrix @ truth
        value += self._bias
        if drift is not None:
            value += drift
        if self.stddev > 0.0:
            value += self.stddev * rng.standard_normal(3)
        if self.limit != math.inf:
            np.clip(value, -self.limit, self.limit, out=value)
        if self.resolution > 0.0:
            value = np.rint(value / self.resolution) * self.resolution
        return value


def skewed(scale_error: Vector, misalignment: Vector) -> tuple[Vector, Vector, Vector]:
    """The matrix of a triad that is turned against its housing and reads too much or too little.

    Args:
        scale_error: ``(3,)`` by which fraction each axis reads too much.
        misalignment: Roll, pitch, yaw of the triad in its housing in radians.
    """
    if scale_error == (0.0, 0.0, 0.0) and misalignment == (0.0, 0.0, 0.0):
        return IDENTITY
    turned = poses.to_matrix(poses.from_euler(*misalignment)).T
    rows = (1.0 + np.array(scale_error))[:, None] * turned
    return tuple(tuple(row) for row in rows.tolist())
