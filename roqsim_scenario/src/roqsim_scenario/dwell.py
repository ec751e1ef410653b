"""How long something has been true."""

from __future__ import annotations

import math

from roqsim.errors import RoqsimError


class Dwell:
    """Is over once something was true for long enough without a break.

    Args:
        duration: Simulated seconds; 0 for a single look.

    Raises:
        RoqsimError: If it is negative or not finite.
    """

    def __init__(self, duration: float) -> None:
        self._duration = checked("dwell", duration, zero=True)
        self._since: float | None = None

    def is_over(self, is_true: bool, now: float) -> bool:
        """Takes a look at a simulated time in seconds."""
        if not is_true:
            self._since = None
            return False
        if self._since is None or now < self._since:
            self._since = now
        # Both times are whole steps: less than a nanosecond between them is rounding.
        return now - self._since >= self._duration - 1e-9


def checked(name: str, value: object, *, zero: bool = False) -> float:
    """A finite number that is positive, or zero where that is allowed.

    Raises:
        RoqsimError: If it is anything else.
    """
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if not math.isfinite(number) or number < 0.0 or (number == 0.0 and not zero):
        raise RoqsimError(f"{name}: expected a number {'>= 0' if zero else '> 0'}, got {value!r}")
    return number
