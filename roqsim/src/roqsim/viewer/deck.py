"""What plays a recording: where in it one is, how fast it goes on, and what a person does about that."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""The speeds that keys go through, in simulated seconds a wall second."""

SKIP = 5.0
"""Simulated seconds of one skip."""

FIXED = "this is a recording: it can be watched, not changed"
"""What somebody is told who pulls at it."""

FASTEST = 1000.0
"""The highest speed."""


class Deck:
    """Plays, holds, seeks; every method may be called from any thread.

    Args:
        times: ``(n,)`` simulated seconds of the samples, rising, at least one.
        speed: Simulated seconds a wall second.
        at: Where to begin, in simulated seconds; at the beginning by default.
        paused: Whether it is held at first.
        clock: Monotonic wall time in seconds.
    """

    def __init__(
        self,
        times: np.ndarray,
        *,
        speed: float = 1.0,
        at: float | None = None,
        paused: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._times, self._clock = np.asarray(times, dtype=float), clock
        self._lock = threading.RLock()
        self._speed, self._paused = speed, paused
        self._base = self.start if at is None else min(max(at, self.start), self.stop)
        self._since = clock()

    # What is

    @property
    def start(self) -> float:
        """Simulated seconds of the first sample."""
        return float(self._times[0])

    @property
    def stop(self) -> float:
        """Simulated seconds of the last sample."""
        return float(self._times[-1])

    @property
    def time(self) -> float:
        """Simulated seconds that the clock of the replay shows."""
        with self._lock:
            gone = 0.0 if self._paused else (self._clock() - self._since) * self._speed
            return min(self._base + gone, self.stop)

    @property
    def index(self) -> int:
        """The sample to show: the newest that is not in the future."""
        return max(int(np.searchsorted(self._times, self.time, side="right")) - 1, 0)

    @property
    def paused(self) -> bool:
        """Whether it is held; at its end a recording holds by itself."""
        return self._paused or self.time >= self.stop

    @property
    def speed(self) -> float:
        """Simulated seconds a wall second."""
        return self._speed

    def describe(self) -> str:
        """Where it is, for people."""
        at_end = " (end)" if self.time >= self.stop else ""
        state = f"paused{at_end}" if self.paused else f"x {self._speed:g}"
        return f"replay {self._times[self.index]:.2f} / {self.stop:.2f} s  {state}"

    # What a person does

    def toggle(self) -> None:
        """Plays, or holds; from its end it plays from the beginning."""
        if self.paused:
            self.play()
        else:
            self.pause()

    def play(self) -> None:
        """Goes on; from its end, from the beginning."""
        with self._lock:
            base = self.time
            self._set(self.start if base >= self.stop else base, paused=False)

    def pause(self) -> None:
        """Holds."""
        with self._lock:
            self._set(self.time, paused=True)

    def seek(self, t: float) -> None:
        """Goes to a simulated time in seconds, or as near to it as there is something."""
        if np.isfinite(t):
            with self._lock:
                self._set(t, paused=self._paused)

    def skip(self, direction: int) -> None:
        """Goes on or back: by one sample while held, else by ``SKIP`` seconds."""
        with self._lock:
            if self.paused:
                self.step(direction)
            else:
                self.seek(self.time + direction * SKIP)

    def step(self, samples: int = 1) -> None:
        """Holds, so many samples further on."""
        with self._lock:
            index = min(max(self.index + samples, 0), len(self._times) - 1)
            self._set(float(self._times[index]), paused=True)

    def set_speed(self, speed: float) -> None:
        """Plays at another speed from now on; what is no speed is ignored."""
        if 0.0 < speed <= FASTEST:
            with self._lock:
                self._set(self.time, paused=self._paused)
                self._speed = float(speed)

    def shift_speed(self, direction: int) -> None:
        """The next faster or slower of ``SPEEDS``."""
        with self._lock:
            further = [each for each in SPEEDS if (each - self._speed) * direction > 0.0]
            if further:
                self.set_speed(min(further, key=lambda each: abs(each - self._speed)))

    def _set(self, base: float, *, paused: bool) -> None:
        self._base = min(max(base, self.start), self.stop)
        self._since, self._paused = self._clock(), paused
