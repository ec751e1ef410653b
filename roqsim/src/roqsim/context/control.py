"""The state of a run as people steer it: running or paused, steps and resets that were asked for."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

from roqsim.errors import RoqsimError

if TYPE_CHECKING:
    from roqsim.config.world import SimConfig


class RunControl:
    """What a driver consults between ticks; every method may be called from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._paused = False
        self._over = False
        self._steps: list[tuple[int, Future]] = []
        self._resets: list[Future] = []
        self._reloads: list[tuple[SimConfig | None, Future]] = []

    @property
    def paused(self) -> bool:
        """Whether the driver holds the simulation."""
        return self._paused

    def pause(self) -> None:
        """Holds the simulation at the next tick boundary; commands go on being run."""
        with self._changed:
            self._paused = True
            self._changed.notify_all()

    def resume(self) -> None:
        """Lets the simulation run."""
        with self._changed:
            self._paused = False
            self._changed.notify_all()

    def step(self, n: int = 1) -> Future:
        """Asks for ``n`` ticks while paused; the future gives the simulated time that was reached, in seconds.

        Raises:
            ValueError: If ``n`` is not positive.
        """
        if n < 1:
            raise ValueError(f"control.step: expected n >= 1, got {n!r}")
        future: Future = Future()
        with self._changed:
            if self._over:
                future.cancel()
                return future
            self._steps.append((n, future))
            self._changed.notify_all()
        return future

    def reset(self) -> Future:
        """Asks for a reset at the next tick boundary; the future gives the new episode."""
        future: Future = Future()
        with self._changed:
            if self._over:
                future.cancel()
                return future
            self._resets.append(future)
            self._changed.notify_all()
        return future

    def reload(self, config: SimConfig | None = None) -> Future:
        """Asks for another world at the next tick boundary; the future gives its ``ModelGeneration``.

        With a mistake in the world the future gives that error, and the run goes on as it is.

        Args:
            config: The loaded world; None for the one that runs, read again from where it came from.
        """
        future: Future = Future()
        with self._changed:
            if self._over:
                future.cancel()
                return future
            self._reloads.append((config, future))
            self._changed.notify_all()
        return future

    @property
    def has_requests(self) -> bool:
        """Whether a step, a reset or a reload waits to be done."""
        return bool(self._steps or self._resets or self._reloads)

    def take_steps(self) -> list[tuple[int, Future]]:
        """The steps that were asked for since the last call."""
        with self._changed:
            taken, self._steps = self._steps, []
        return taken

    def take_resets(self) -> list[Future]:
        """The resets that were asked for since the last call."""
        with self._changed:
            taken, self._resets = self._resets, []
        return taken

    def take_reloads(self) -> list[tuple[SimConfig | None, Future]]:
        """The reloads that were asked for since the last call."""
        with self._changed:
            taken, self._reloads = self._reloads, []
        return taken

    def refuse_reloads(self, who: str) -> None:
        """Answers the reloads that were asked for: whoever drives this run does none."""
        for _, future in self.take_reloads():
            if future.set_running_or_notify_cancel():
                future.set_exception(RoqsimError(f"control.reload: expected a driver that reloads, got {who}"))

    def cancel(self) -> None:
        """Gives up on what was asked for: the run is over, and what is asked for later is cancelled as it comes."""
        with self._changed:
            self._over = True
        for _, future in self.take_steps():
            future.cancel()
        for future in self.take_resets():
            future.cancel()
        for _, future in self.take_reloads():
            future.cancel()
