"""Errors that wander: a random walk, and a bias that forgets (first-order Gauss-Markov).

Both are known at any time without the measurements before it: steps are drawn in blocks, keyed on the run's seed, the
episode and the block, so a sensor that nobody watched for an hour has drifted as far as one that was read all along.
"""

from __future__ import annotations

import math
from itertools import accumulate

import numpy as np
from roqsim.seed import Streams

BLOCK = 256
"""How many steps are drawn at once."""


class Wander:
    """A process of unit size, one value a sampling period.

    A random walk starts at 0 and has the variance ``t`` after ``t`` seconds; a Gauss-Markov process has the variance 1
    at all times, and is correlated by ``exp(-t / correlation_time)`` over ``t`` seconds.

    Args:
        name: Who draws: the component's address with a suffix.
        size: How many components it has, independent of each other.
        period: Seconds between two values.
        correlation_time: Seconds after which a value is forgotten; ``inf`` for a random walk.
    """

    def __init__(self, name: str, size: int, period: float, correlation_time: float = math.inf) -> None:
        self._name, self._size, self._streams = name, size, Streams()
        self._is_walk = math.isinf(correlation_time)
        self._decay = 1.0 if self._is_walk else math.exp(-period / correlation_time)
        self._step = math.sqrt(period) if self._is_walk else math.sqrt(1.0 - self._decay**2)
        self._key: tuple[int | None, int] | None = None
        self._block = -1
        self._values = np.zeros((BLOCK + 1, size))

    def at(self, seed: int | None, episode: int, index: int) -> np.ndarray:
        """The value after ``index`` periods.

        Args:
            seed: The run's seed.
            episode: How many resets the run has seen.
            index: Sampling periods since the reset.

        Returns:
            ``(size,)`` not to be written.
        """
        block, row = divmod(index, BLOCK)
        if self._key != (seed, episode) or block < self._block:
            self._key, self._block = (seed, episode), -1
        while self._block < block:
            self._next(seed, episode)
        return self._values[row]

    def _next(self, seed: int | None, episode: int) -> None:
        start = self._values[-1] if self._block >= 0 else self._first(seed, episode)
        self._block += 1
        numbers = self._streams.at(seed, episode, self._block, self._name)
        steps = self._step * numbers.standard_normal((BLOCK, self._size))
        decay = self._decay
        self._values = np.array(list(accumulate(steps, lambda value, step: decay * value + step, initial=start)))

    def _first(self, seed: int | None, episode: int) -> np.ndarray:
        if self._is_walk:
            return np.zeros(self._size)
        return self._streams.at(seed, episode, 0, f"{self._name}.start").standard_normal(self._size)


class Drift:
    """A bias that wanders: a Gauss-Markov part and a random walk.

    Args:
        name: Who draws: the component's address with a suffix.
        size: How many components it has.
        period: Seconds between two measurements.
        stddev: Standard deviation of the Gauss-Markov part, in the unit of the measurement; 0 for none.
        correlation_time: Its correlation time in seconds.
        walk: Standard deviation of the random walk after one second, in the unit of the measurement per sqrt(s); 0 for
            none.
    """

    def __init__(
        self, name: str, size: int, period: float, *, stddev: float, correlation_time: float, walk: float
    ) -> None:
        self._stddev, self._walk = stddev, walk
        self._forgetting = Wander(f"{name}.bias", size, period, correlation_time) if stddev > 0.0 else None
        self._walking = Wander(f"{name}.walk", size, period) if walk > 0.0 else None

    def at(self, seed: int | None, episode: int, index: int) -> np.ndarray | None:
        """``(size,)`` the bias after ``index`` periods, None where there is none."""
        bias = None
        if self._forgetting is not None:
            bias = self._stddev * self._forgetting.at(seed, episode, index)
        if self._walking is not None:
            walked = self._walk * self._walking.at(seed, episode, index)
            bias = walked if bias is None else bias + walked
        return bias
