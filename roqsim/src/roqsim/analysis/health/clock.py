"""How simulated time went by on the clock on the wall, from the rows that a run streams."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from roqsim.analysis.health.lines import Lines

TAIL_BYTES = 1 << 18
"""Bytes of the end of a clock map that are read: minutes of rows."""


@dataclass(frozen=True)
class Clock:
    """The first row and the last ones.

    Attributes:
        wall: ``(n,)`` Unix epoch seconds, rising.
        sim: ``(n,)`` simulated seconds.
        first: Wall and simulated seconds of the very first row.
    """

    wall: np.ndarray
    sim: np.ndarray
    first: tuple[float, float]

    @property
    def last_wall(self) -> float:
        """Unix epoch seconds of the newest row."""
        return float(self.wall[-1])

    @property
    def last_sim(self) -> float:
        """Simulated seconds of the newest row."""
        return float(self.sim[-1])

    @property
    def wall_span(self) -> float:
        """Wall seconds from the very first to the newest row."""
        return self.last_wall - self.first[0]

    @property
    def factor(self) -> float:
        """Simulated seconds a wall second over the whole run; NaN where none passed."""
        return (self.last_sim - self.first[1]) / self.wall_span if self.wall_span > 0.0 else math.nan

    def within(self, seconds: float) -> tuple[float, float]:
        """Wall and simulated seconds that passed over the newest ``seconds`` of wall time, or what there is of them."""
        start = int(np.searchsorted(self.wall, self.last_wall - seconds, side="left"))
        return self.last_wall - float(self.wall[start]), self.last_sim - float(self.sim[start])


def read_clock(path: Path) -> Clock | None:
    """Reads a ``*.clock_map.csv`` or a ``sim_poses.csv``; None where there is no row in it yet.

    Raises:
        OSError: It can't be read.
    """
    lines = Lines(path)
    head, tail = _pairs(lines.head()), _pairs(lines.tail(TAIL_BYTES))
    return make_clock([*head[:1], *tail] if tail and head and tail[0] != head[0] else tail)


def make_clock(pairs: Sequence[tuple[float, float]]) -> Clock | None:
    """A clock from rows of wall and simulated seconds, the very first one among them; None where there is none."""
    if not pairs:
        return None
    rows = np.array(pairs, dtype=float)
    return Clock(rows[:, 0], rows[:, 1], (float(rows[0, 0]), float(rows[0, 1])))


def _pairs(rows: Sequence[dict[str, str]]) -> list[tuple[float, float]]:
    found = []
    for row in rows:
        try:
            wall, sim = ("wall_ts", "sim_ts") if "wall_ts" in row else ("wall_time", "timestamp")
            pair = float(row[wall]), float(row[sim])
        except (KeyError, ValueError):
            continue
        if all(map(math.isfinite, pair)):
            found.append(pair)
    return found
