"""What a person at a window, or a command, asks of a run that a scenario steps: to hold, to step, to begin again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

from roqsim.engine import Engine
from roqsim.viewer import Viewer

IDLE_WAIT = 0.02
"""Wall seconds between two looks at the window while the run is held."""


class Steering:
    """Serves ``ctx.control`` between the ticks of a scenario, which owns the loop.

    Args:
        engine: The run.
        restart: Puts it to its beginning.
    """

    def __init__(self, engine: Engine, restart: Callable[[], None]) -> None:
        self._engine, self._ctx, self._control = engine, engine.ctx, engine.ctx.control
        self._restart = restart
        self._owed: deque[tuple[int, Future]] = deque()

    def before(self, view: Viewer | None) -> None:
        """Serves what is asked for; while the run is paused, returns only for a tick that somebody asked for.

        Args:
            view: What is kept alive meanwhile.
        """
        if not (self._control.has_requests or self._control.paused):
            return
        self._serve()
        while self._control.paused and not self._owed and not self._ctx.stop_requested:
            self._ctx.commands.wait(IDLE_WAIT)
            self._engine.idle()
            if view is not None:
                view.sync()
            self._serve()

    def after(self) -> None:
        """Counts a tick; whoever asked for the last of some is told the simulated time, in seconds."""
        if not self._owed:
            return
        left, future = self._owed.popleft()
        if left > 1:
            self._owed.appendleft((left - 1, future))
        elif not future.done():
            future.set_result(self._ctx.sim_time)

    def _serve(self) -> None:
        for future in self._control.take_resets():
            self._restart()
            future.set_result(self._ctx.episode)
        self._owed.extend(self._control.take_steps())
        self._control.refuse_reloads("a scenario, which owns its world")
