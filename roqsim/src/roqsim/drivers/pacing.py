"""Holds simulated time to wall time: sleeps most of the way, then spins the last stretch."""

from __future__ import annotations

import time
from collections.abc import Callable

SPIN = 0.001
"""Seconds before a deadline at which sleeping ends: what an ordinary kernel may oversleep."""

LONGEST_NAP = 0.05
"""Seconds after which a sleep looks up: a very slow run still ends, pauses and answers when it is asked to."""

FORGIVEN_LAG = 0.1
"""Seconds of lag that are caught up; a longer one is forgiven rather than raced after."""

SLOW_AFTER = 2.0
"""Seconds of wall time that must be lost in all before a run is called too slow."""

SLOW_FALLS = 3
"""How often it must have fallen behind by then: a machine that was suspended once is not slow."""

SLOW_SHARE = 0.01
"""The share of the wall time that must be lost: a hiccup an hour is not slow either."""


class Pacer:
    """Makes simulated time pass at a factor of wall time.

    Args:
        factor: Simulated seconds a wall second; None for as fast as possible.
        clock: Monotonic wall time in seconds.
        sleep: Sleeps for some seconds.
        is_wanted: Asked during a long wait: whether there is something better to do than to wait on.

    Attributes:
        lost: Wall seconds by which the run fell behind and that were forgiven.
        falls: How often that happened.
    """

    def __init__(
        self,
        factor: float | None,
        *,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
        is_wanted: Callable[[], bool] = lambda: False,
    ) -> None:
        self.factor = factor
        self.lost = 0.0
        self.falls = 0
        self._began = clock()
        self._clock = clock
        self._sleep = sleep
        self._is_wanted = is_wanted
        self.restart(0.0)

    def restart(self, sim_time: float) -> None:
        """Begins anew at a simulated time (s): after a pause or a reset nothing is owed."""
        self._wall_start = self._clock()
        self._sim_start = sim_time

    def wait(self, sim_time: float) -> None:
        """Returns when wall time has caught up with a simulated time (s), or when the run is wanted for something."""
        if self.factor is None:
            return
        deadline = self._wall_start + (sim_time - self._sim_start) / self.factor
        ahead = deadline - self._clock()
        if ahead <= 0.0:
            self._fall_behind(-ahead, sim_time)
            return
        while ahead > LONGEST_NAP:
            self._sleep(LONGEST_NAP)
            if self._is_wanted():
                return
            ahead = deadline - self._clock()
        if ahead > SPIN:
            self._sleep(ahead - SPIN)
        while self._clock() < deadline:
            pass

    def _fall_behind(self, lag: float, sim_time: float) -> None:
        if lag > FORGIVEN_LAG:
            self.lost += lag
            self.falls += 1
            self.restart(sim_time)

    @property
    def is_too_slow(self) -> bool:
        """Whether the run lost so much, and so often, that it cannot hold its pace."""
        if self.lost <= SLOW_AFTER or self.falls < SLOW_FALLS:
            return False
        return self.lost > SLOW_SHARE * (self._clock() - self._began)
