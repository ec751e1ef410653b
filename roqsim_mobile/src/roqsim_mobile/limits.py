"""What a base is allowed to do along one axis: speed first, then how fast the speed may change."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class AxisLimits:
    """Limits of one component of a velocity.

    Attributes:
        lowest: Least speed, m/s or rad/s; negative.
        highest: Greatest speed.
        acceleration: Greatest change of speed per second away from zero.
        deceleration: Greatest change of speed per second towards zero.
    """

    lowest: float
    highest: float
    acceleration: float = inf
    deceleration: float = inf

    def next(self, wanted: float, last: float, period: float) -> float:
        """The speed to command.

        Args:
            wanted: What was asked for, m/s or rad/s.
            last: What was commanded one period ago.
            period: Seconds between two commands.
        """
        wanted = min(max(wanted, self.lowest), self.highest)
        change = wanted - last
        bound = (self.deceleration if change * last < 0.0 else self.acceleration) * period
        if change > bound:
            return last + bound
        if change < -bound:
            return last - bound
        return wanted
