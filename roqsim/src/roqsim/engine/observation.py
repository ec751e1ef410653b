"""Who looks on from outside the world: recorders, which see every due state after all plugins' hooks."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING, Protocol

from roqsim.context import Endpoint, SimContext
from roqsim.engine.schedule import NEVER, Slot
from roqsim.errors import RoqsimError, reason_of

if TYPE_CHECKING:
    from roqsim.engine.engine import Engine

SAMPLE = Slot("engine.observer", "sample", 1, bool, False)
"""What stands in the place of a hook while observers look."""


class Observer(Protocol):
    """Sees an episode from its begin to its end; it reads, and writes nothing of the simulation.

    Attributes:
        every_steps: Ticks between two samples.
    """

    every_steps: int

    def begin(self, engine: Engine) -> None:
        """An episode begins: called after each reset."""

    def sample(self, ctx: SimContext) -> None:
        """A due tick was reached: called after every plugin's ``post_step``; what it raises ends the run."""

    def close(self, reason: str, failed: bool) -> None:
        """The episode is over, for a reason; called once for each ``begin``."""

    def end(self) -> None:
        """There will be no other episode."""


class Observers:
    """All observers of one engine.

    Attributes:
        every: Ticks between two samples.
        sample: Lets everybody whose tick it is see the state.
    """

    def __init__(self) -> None:
        self._all: list[Observer] = []
        self._watching: list[Observer] = []
        self.every = NEVER
        self.sample: Callable[[SimContext], None] = self._each

    def add(self, observer: Observer) -> None:
        """Takes an observer in; it sees the episodes that begin from now on."""
        if observer.every_steps < 1:
            raise ValueError(f"Engine.observe: expected every_steps >= 1, got {observer.every_steps!r}")
        self._all.append(observer)

    def begin(self, engine: Engine) -> None:
        """Tells everybody that an episode begins."""
        for observer in self._all:
            observer.begin(engine)
            self._watching.append(observer)
        if self._all:
            self.every = math.gcd(*(observer.every_steps for observer in self._all))
            self.sample = self._all[0].sample if len(self._all) == 1 else self._each

    def _each(self, ctx: SimContext) -> None:
        for observer in self._watching:
            if not ctx.tick % observer.every_steps:
                observer.sample(ctx)

    def next_due(self, tick: int) -> int:
        """The first tick after this one that somebody wants to see."""
        return tick + self.every - tick % self.every

    def close(self, reason: str, failed: bool) -> list[RoqsimError]:
        """Tells everybody that the episode is over.

        Returns:
            What went wrong with that; nobody's failure keeps another one from being told.
        """
        failures: list[RoqsimError] = []
        watching, self._watching = self._watching, []
        for observer in watching:
            try:
                observer.close(reason, failed)
            except RoqsimError as error:
                failures.append(error)
            except Exception as error:
                failures.append(RoqsimError(f"{type(observer).__name__}: close failed: {reason_of(error)}"))
                failures[-1].__cause__ = error
        return failures

    def next_episode(self) -> None:
        """Tells everybody that the episode ends because another one begins.

        Raises:
            RoqsimError: What somebody fails with.
        """
        for failure in self.close("the run was reset", False):
            raise failure

    def end(self, ctx: SimContext, error: BaseException | None) -> list[RoqsimError]:
        """Tells everybody that the run is over: why the driver or a plugin stopped it, or what it failed with."""
        if error is None:
            failures = self.close(ctx.stop_reason or "the run ended", ctx.stop_failed)
        else:
            failures = self.close(" ".join(str(error).split()) or type(error).__name__, True)
        for observer in self._all:
            observer.end()
        return failures


_HOOK_RUNNERS: set[CodeType] = set()


def runs_hooks(function: Callable) -> Callable:
    """Marks a function as one that runs plugins' hooks, for ``origin``; it costs its calls nothing."""
    _HOOK_RUNNERS.add(function.__code__)
    return function


@dataclass(frozen=True)
class Origin:
    """Where a call comes from.

    Attributes:
        in_hook: Whether a plugin's hook made it.
        writes: How many ``Endpoint.write`` lie between, one within the other.
    """

    in_hook: bool
    writes: int


def origin() -> Origin:
    """Where the calling code was called from, found by looking at the stack: for what happens rarely."""
    writes, frame = 0, sys._getframe(1)
    while frame is not None:
        if frame.f_code in _HOOK_RUNNERS:
            return Origin(True, writes)
        writes += frame.f_code is Endpoint.write.__code__
        frame = frame.f_back
    return Origin(False, writes)
