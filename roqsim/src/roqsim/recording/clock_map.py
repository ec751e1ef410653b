"""``*.clock_map.csv``: which wall time belongs to which simulated time, to place a run among what else happened."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from roqsim.recording.ring import Batch
from roqsim.recording.sink import Meta
from roqsim.recording.text_file import TextFile

INTERVAL = 0.1
"""Wall seconds between two lines."""


class ClockMap(TextFile):
    """Lines of Unix time and simulated time, both in seconds.

    Args:
        path: Where it goes; nothing may be there.
    """

    header = "wall_ts,sim_ts"

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._slot = -1.0
        self._last: tuple[float, float] | None = None
        self._written = -1.0

    def write(self, batch: Batch) -> None:
        """Writes a line each tenth of a second, and keeps the last sample for the end."""
        epoch = time.time() - time.monotonic()
        slots = np.floor(batch.walls / INTERVAL)
        for row in np.flatnonzero(np.diff(slots, prepend=self._slot)).tolist():
            self._line(epoch + float(batch.walls[row]), float(batch.times[row]))
        self._slot = float(slots[-1])
        self._last = (epoch + float(batch.walls[-1]), float(batch.times[-1]))

    def close(self, meta: Meta) -> None:
        """Writes the last sample's line and finishes the file."""
        if self._last is not None and self._last[1] > self._written:
            self._line(*self._last)
        super().close(meta)

    def _line(self, wall: float, simulated: float) -> None:
        self.add(f"{wall:.6f},{simulated:.9g}\n")
        self._written = simulated
