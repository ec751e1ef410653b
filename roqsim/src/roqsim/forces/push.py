"""A push on a body as a function of time, and the impulse that it gives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from roqsim.config.schema import opt

Vector = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class WrenchCommand:
    """A force and a torque that rise, hold and fall: a trapezium over time.

    A push of force F that lasts D seconds with ramps of R seconds gives an impulse of F (D - R).
    """

    force: Vector = opt((0.0, 0.0, 0.0), unit="N")
    """Force while it holds."""
    torque: Vector = opt((0.0, 0.0, 0.0), unit="Nm")
    """Torque while it holds, beside that of the force about the centre of mass."""
    frame: Literal["world", "body"] = opt("world")
    """Whose axes force and torque are given along; the body's turn with it."""
    point: Vector | None = opt(None, unit="m")
    """Where the force acts, in the body's frame; its centre of mass where nothing is said."""
    start: float = opt(0.0, ge=0, unit="s")
    """When it begins: simulated time in a schedule, time from now in a command."""
    duration: float | None = opt(None, gt=0, unit="s")
    """How long it lasts, ramps included; until it is cleared where nothing is said."""
    ramp: float = opt(0.0, ge=0, unit="s")
    """How long it takes to rise, and to fall at the end."""

    def __post_init__(self) -> None:
        if self.duration is not None and 2.0 * self.ramp > self.duration:
            raise ValueError(
                f"ramp: expected at most half of the duration of {self.duration!r} s, got {self.ramp!r}; shorten it"
            )


class Push:
    """A command with its begin on the simulation's clock.

    Args:
        command: The push.
        start: Simulated time of its begin in seconds.
    """

    def __init__(self, command: WrenchCommand, start: float) -> None:
        self.command = command
        self.start = start
        self.duration = math.inf if command.duration is None else command.duration

    @property
    def end(self) -> float:
        """Simulated time of its end in seconds; infinite where it lasts until it is cleared."""
        return self.start + self.duration

    def mean(self, begin: float, end: float) -> float:
        """The mean of the trapezium, whose height is one, over an interval of simulated time in seconds.

        A force that is held for a step at this fraction of its height gives exactly the push's impulse in it.
        """
        a = min(max(begin - self.start, 0.0), self.duration)
        b = min(max(end - self.start, 0.0), self.duration)
        if b <= a:
            return 0.0
        ramp = self.command.ramp
        if b - a == end - begin and a >= ramp and b <= self.duration - ramp:
            return 1.0
        return (self._area(b) - self._area(a)) / (end - begin)

    def _area(self, t: float) -> float:
        """The area under the trapezium up to ``t`` seconds after its begin."""
        ramp, left = self.command.ramp, self.duration - t
        if t < ramp:
            return t * t / (2.0 * ramp)
        if left < ramp:
            return self.duration - ramp - left * left / (2.0 * ramp)
        return t - ramp / 2.0
