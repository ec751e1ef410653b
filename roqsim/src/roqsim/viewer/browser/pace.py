"""How much a page can take: it takes in one message with each frame that it draws, and the rest queues up in it.

Studio sends 60 frames of its user interface a second to whoever holds the controls. A page that draws fewer, because it
has no graphics card, would fall behind for ever.
"""

from __future__ import annotations

MESSAGE = 65_536
"""Bytes that Studio's server hands to a page at once."""

PATIENCE = 1.0
"""Seconds after which a page that draws nothing is sent something all the same: others look on with it."""


class Pace:
    """Lets a frame of the user interface go when the page has taken in what went before."""

    def __init__(self) -> None:
        self._drawn = 0
        self._free = 0
        self._began = 0.0
        self._keeps_up = True

    def draw(self) -> None:
        """Counts a frame that the page drew; from one thread only."""
        self._drawn += 1

    def begin(self, now: float) -> bool:
        """Whether to make a frame at a wall time in seconds; true counts it as sent."""
        self._keeps_up = self._drawn >= self._free
        if not self._keeps_up and now - self._began < PATIENCE:
            return False
        self._began = now
        self._free = self._drawn + 1
        return True

    def admit(self, size: int) -> bool:
        """Whether a picture of some bytes may go with the frame; true counts it as sent."""
        if self._keeps_up:
            self._free += 1 + size // MESSAGE
        return self._keeps_up
