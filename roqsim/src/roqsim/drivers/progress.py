"""Tells people how a run is getting on: one line that is rewritten on a terminal, a few lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

TERMINAL_INTERVAL = 0.25
"""Seconds of wall time between two updates on a terminal."""

FIRST_LOG_INTERVAL = 10.0
"""Seconds of wall time before the first line in a log; each further one waits twice as long."""


class Progress:
    """Reports simulated time, real-time factor and what is left.

    Args:
        limit: Simulated seconds at which the run ends, or None.
        stream: Where to write.
        clock: Monotonic wall time in seconds.

    Attributes:
        limit: Simulated seconds at which the run ends, or None.
    """

    def __init__(
        self, limit: float | None, stream: TextIO | None = None, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self.limit = limit
        self._clock = clock
        self._terminal = self._stream.isatty()
        self._interval = TERMINAL_INTERVAL if self._terminal else FIRST_LOG_INTERVAL
        self._start = self._last = self._shown = clock()
        self._last_sim = 0.0
        self._drawn = 0

    def update(self, sim_time: float, simulated: float, *, paused: bool = False) -> None:
        """Writes a line if it is time for one.

        Args:
            sim_time: Simulated seconds since the last reset.
            simulated: Simulated seconds since the start, over all episodes.
            paused: Whether the run is held.
        """
        now = self._clock()
        if now - self._shown < self._interval:
            return
        factor = (simulated - self._last_sim) / (now - self._last)
        self._last, self._last_sim = now, simulated
        text = f"{sim_time:.2f} s simulated, {'paused' if paused else f'{factor:.3g} x real time'}"
        if self.limit is not None:
            text += f", {max(self.limit - simulated, 0.0):.2f} s to go"
        self._write(text)
        self._shown = now
        if not self._terminal:
            self._interval *= 2.0

    def _write(self, text: str) -> None:
        if self._terminal:
            self._stream.write("\r" + text.ljust(self._drawn))
            self._drawn = len(text)
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Takes the line off a terminal."""
        if self._terminal and self._drawn:
            self._stream.write("\r" + " " * self._drawn + "\r")
            self._stream.flush()
