"""What the page asks for and does not get."""

from __future__ import annotations

import logging
from collections.abc import Callable

LOG = logging.getLogger("roqsim")


class Refusals:
    """Tells the page each time, and the terminal once of each reason.

    Args:
        tell: Tells the page.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._told: set[str] = set()

    def __call__(self, reason: str) -> None:
        self._tell(reason)
        if reason not in self._told:
            self._told.add(reason)
            LOG.warning("browser: refused: %s", reason)
