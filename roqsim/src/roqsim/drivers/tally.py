"""How far a run has got, over all its episodes and worlds, and how far it may go."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Where a run ends by itself; None for no limit.

    Attributes:
        seconds: Simulated seconds over all episodes.
        steps: Physics steps over all episodes.
    """

    seconds: float | None = None
    steps: int | None = None

    def in_steps(self, dt: float) -> int | None:
        """The earlier limit as a number of steps of ``dt`` seconds."""
        by_time = None if self.seconds is None else round(self.seconds / dt)
        return min((limit for limit in (by_time, self.steps) if limit is not None), default=None)


def limit_text(steps: int, simulated: float) -> str:
    """Says that a limit ended a run, after so many steps and simulated seconds."""
    return f"the limit of {steps} step{'s' if steps != 1 else ''} ({simulated:.6g} s) is reached"


class Tally:
    """Counts the steps of a run.

    Args:
        limits: Where it ends.
        dt: The physics step of its world in seconds.

    Attributes:
        steps: Physics steps so far.
        episodes: Episodes of the worlds that are gone.
    """

    def __init__(self, limits: Limits, dt: float) -> None:
        self.steps = self.episodes = 0
        self._limits, self._dt = limits, dt
        self._steps_before, self._seconds_before = 0, 0.0

    @property
    def simulated(self) -> float:
        """Simulated seconds so far."""
        return self._seconds_before + (self.steps - self._steps_before) * self._dt

    @property
    def left(self) -> int | None:
        """How many more steps there may be; None where there is no limit."""
        seconds, steps = self._limits.seconds, self._limits.steps
        here = Limits(
            None if seconds is None else max(seconds - self._seconds_before, 0.0),
            None if steps is None else steps - self._steps_before,
        ).in_steps(self._dt)
        return None if here is None else here - (self.steps - self._steps_before)

    @property
    def end(self) -> float | None:
        """Simulated seconds at which the limit is reached; None where there is none."""
        left = self.left
        return None if left is None else self.simulated + left * self._dt

    def begin_world(self, dt: float, episodes: int) -> None:
        """Goes on in another world.

        Args:
            dt: Its physics step in seconds.
            episodes: How many the world before had.
        """
        self._seconds_before, self._steps_before = self.simulated, self.steps
        self._dt = dt
        self.episodes += episodes
