"""A touch as a sampled signal: short ones are held until they have been seen, and bouncing counts once."""

from __future__ import annotations

NEVER = -1
"""The tick of what has not happened."""


class Latch:
    """Remembers when something was last touched. All times are ticks.

    Args:
        apart: How long a touch has to be over before the next one is a new one; 1 for a single tick.
        hold: For how long after its last tick a touch is still shown.

    Attributes:
        last: The last tick with a touch.
        count: How many touches began.
    """

    __slots__ = ("_apart", "_hold", "count", "last")

    def __init__(self, apart: int, hold: int) -> None:
        self._apart, self._hold = max(1, apart), max(1, hold)
        self.release()

    def release(self) -> None:
        """Forgets everything, for a reset."""
        self.last = NEVER
        self.count = 0

    def touch(self, tick: int) -> bool:
        """Notes a touch; true if a new one began."""
        began = self.last == NEVER or tick - self.last > self._apart
        self.last = tick
        self.count += began
        return began

    def is_shown(self, tick: int) -> bool:
        """Whether a touch is to be reported at a tick."""
        return self.last != NEVER and tick - self.last < self._hold
