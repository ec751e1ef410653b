"""Rates that a fixed physics step can hold: a whole number of steps apart, for ever."""

from __future__ import annotations

from dataclasses import dataclass

QUIET_SHIFT = 0.005
"""A rate moved by less than this fraction is not worth a word."""

NOTABLE_SHIFT = 0.05
"""A rate moved by more than this fraction is a warning that names its neighbours."""

FLOAT_SLACK = 1e-9
"""How far above the physics rate a request may be through rounding alone."""

SLOWEST = 2.0**62
"""More steps than a run has, where a rate next to zero comes to rest."""


@dataclass(frozen=True)
class Rate:
    """A requested rate and the one that the physics step can hold.

    Attributes:
        requested_hz: What was asked for, in Hz.
        every_steps: How many physics steps lie between two events; 0 means never.
        dt: The physics step in seconds.
    """

    requested_hz: float
    every_steps: int
    dt: float

    @property
    def realised_hz(self) -> float:
        """The rate that is held, in Hz."""
        return 1.0 / (self.every_steps * self.dt) if self.every_steps else 0.0

    @property
    def period(self) -> float:
        """The time between two events in seconds, infinite for a rate of zero."""
        return self.every_steps * self.dt if self.every_steps else float("inf")

    @property
    def shift(self) -> float:
        """By which fraction of the request the rate was moved, without a sign."""
        return abs(self.realised_hz - self.requested_hz) / self.requested_hz if self.requested_hz else 0.0

    def neighbours(self) -> tuple[float, ...]:
        """The nearest rates that the step can hold, slowest first, in Hz."""
        around = {max(1, self.every_steps + offset) for offset in (1, 0, -1)}
        return tuple(1.0 / (steps * self.dt) for steps in sorted(around, reverse=True))


def snap(rate_hz: float, dt: float) -> Rate:
    """Moves a rate to the nearest one that is a whole number of steps.

    Args:
        rate_hz: The requested rate in Hz; 0 means never.
        dt: The physics step in seconds.

    Returns:
        The rate, with the number of steps between two events.

    Raises:
        ValueError: If the rate is negative, not a number, or above the physics rate.
    """
    if not rate_hz >= 0.0:
        raise ValueError(f"expected a rate >= 0 Hz, got {rate_hz!r}")
    if rate_hz == 0.0:
        return Rate(0.0, 0, dt)
    physics_hz = 1.0 / dt
    if rate_hz > physics_hz * (1.0 + FLOAT_SLACK):
        raise ValueError(f"expected a rate <= {physics_hz:g} Hz (one physics step of {dt:g} s), got {rate_hz!r}")
    exact = min(physics_hz / rate_hz, SLOWEST)
    below = max(1, int(exact))
    nearest = min((below, below + 1), key=lambda steps: abs(physics_hz / steps - rate_hz))
    return Rate(float(rate_hz), nearest, dt)


def announcement(rate: Rate) -> str | None:
    """What to say about a rate that was moved, or None where the move is too small to mention."""
    if rate.shift <= QUIET_SHIFT:
        return None
    text = (
        f"{rate.requested_hz:g} Hz runs at {rate.realised_hz:.6g} Hz (every {rate.every_steps} steps of {rate.dt:g} s)"
    )
    if rate.shift <= NOTABLE_SHIFT:
        return text
    near = ", ".join(f"{hz:.6g}" for hz in rate.neighbours())
    return f"{text}; this step can hold {near} Hz"
