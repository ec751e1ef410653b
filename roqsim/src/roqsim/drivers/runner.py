"""The standalone loop: sets an engine up, paces it, steers it by ``ctx.control`` and ends it by one door."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from concurrent.futures import Future

from roqsim.config.world import SimConfig
from roqsim.context import SimContext
from roqsim.drivers.pacing import Pacer
from roqsim.drivers.progress import Progress
from roqsim.drivers.signals import stop_on_signals
from roqsim.drivers.summary import Summary
from roqsim.drivers.tally import Limits, Tally, limit_text
from roqsim.drivers.world_source import WorldSource
from roqsim.engine import Engine
from roqsim.errors import RoqsimError
from roqsim.viewer import Viewer

LOG = logging.getLogger("roqsim")

PACED_CHUNK = 0.005
"""Simulated seconds between two looks at the clock, at real time."""

FREE_CHUNK = 0.05
"""Wall seconds between two looks at the progress, as fast as possible."""

WATCHED_CHUNK = 1.0 / 60.0
"""Wall seconds after which somebody who watches wants to see something new."""

IDLE_WAIT = 0.02
"""Wall seconds between two looks at the controls while paused."""


class Runner:
    """Drives one engine from its first reset to its shutdown.

    Args:
        engine: An engine that was set up; the runner shuts it down.
        factor: Simulated seconds a wall second; None for as fast as possible.
        limits: Where the run ends by itself.
        progress: Who reports on it, or None.
        views: Who shows it: opened after the first reset, told between ticks, closed at the end.
        source: Where its world is read again from, and what holds for every world of it; None where nothing is known.
    """

    def __init__(
        self,
        engine: Engine,
        factor: float | None,
        limits: Limits | None = None,
        progress: Progress | None = None,
        views: Sequence[Viewer] = (),
        source: WorldSource | None = None,
    ) -> None:
        self._engine = engine
        self._source = source
        self._tally = Tally(limits or Limits(), engine.ctx.dt)
        self._pacer = Pacer(factor, is_wanted=self._is_wanted)
        self._ctx.pace = factor
        self._progress = progress
        self._views = tuple(views)
        self._free_chunk = min(FREE_CHUNK, WATCHED_CHUNK) if self._views else FREE_CHUNK
        self._chunk = self._first_chunk(factor)
        self._told_slow = False

    @property
    def _ctx(self) -> SimContext:
        return self._engine.ctx

    def _first_chunk(self, factor: float | None) -> int:
        if factor is None:
            wanted = self._free_chunk
        else:
            wanted = PACED_CHUNK * factor
            if self._views:
                wanted = min(wanted, WATCHED_CHUNK * factor)
        return max(1, round(wanted / self._ctx.dt))

    def run(self) -> Summary:
        """Runs until a limit, a stop request, a signal or an error.

        Returns:
            What the run came to; a plugin that failed, or a state that diverged, is its ``error``.

        Raises:
            RoqsimError: If the run could not begin; everything is closed by then.
        """
        with stop_on_signals(self._engine):
            try:
                self._engine.reset()
                for view in self._views:
                    view.open(self._engine)
            except BaseException as error:
                self._close(log=True, error=error)
                raise
            start = time.perf_counter()
            self._pacer.restart(0.0)
            failures = self._guarded_loop()
            wall = time.perf_counter() - start
            failures += self._close(log=False, error=failures[0] if failures else None)
        return self._summary(wall, failures)

    def _guarded_loop(self) -> list[RoqsimError]:
        """Runs the loop; what a component or the state made of it is returned, anything else closes and goes on."""
        try:
            self._loop()
        except RoqsimError as error:
            return [error]
        except BaseException as error:
            self._close(log=True, error=error)
            raise
        return []

    def _close(self, *, log: bool, error: BaseException | None = None) -> list[RoqsimError]:
        try:
            for view in self._views:
                view.close()
        finally:
            if self._progress:
                self._progress.close()
            failures = self._engine.shutdown(log=log, error=error)
        return failures

    def _loop(self) -> None:
        control, tally = self._ctx.control, self._tally
        while not self._ctx.stop_requested:
            if control.has_requests:
                self._serve_requests()
            elif control.paused:
                self._idle()
            elif (left := tally.left) is not None and left <= 0:
                self._ctx.request_stop(limit_text(tally.steps, tally.simulated))
                break
            else:
                self._run_on(self._chunk if left is None else min(self._chunk, left))
            for view in self._views:
                view.sync()
            if self._progress:
                self._progress.update(self._ctx.sim_time, tally.simulated, paused=control.paused)
        self._engine.idle()

    def _run_on(self, n: int) -> None:
        """Does up to ``n`` steps and waits until wall time has caught up."""
        ctx = self._ctx
        episode = ctx.episode
        self._advance(n)
        if ctx.episode != episode:
            self._pacer.restart(ctx.sim_time)
        self._pacer.wait(ctx.sim_time)
        self._tell_if_slow()

    def _advance(self, n: int) -> None:
        start, tick = time.perf_counter(), self._ctx.tick
        try:
            done = self._engine.advance(n)
        except RoqsimError:
            self._tally.steps += max(0, self._ctx.tick - tick)
            raise
        self._tally.steps += done
        if self._pacer.factor is not None:
            return
        spent = time.perf_counter() - start
        if spent > 0.0 and done:
            self._chunk = max(1, min(round(done * self._free_chunk / spent), 10 * self._chunk))

    def _is_wanted(self) -> bool:
        """Runs what was posted; whether somebody waits for more than that."""
        self._engine.idle()
        control = self._ctx.control
        return self._ctx.stop_requested or control.has_requests or control.paused

    def _idle(self) -> None:
        self._ctx.commands.wait(IDLE_WAIT)
        self._engine.idle()
        self._pacer.restart(self._ctx.sim_time)

    def _serve_requests(self) -> None:
        for config, future in self._ctx.control.take_reloads():
            if future.set_running_or_notify_cancel():
                self._reload(config, future)
        ctx = self._ctx
        for future in ctx.control.take_resets():
            self._engine.reset()
            self._pacer.restart(0.0)
            future.set_result(ctx.episode)
        for n, future in ctx.control.take_steps():
            self._tally.steps += self._engine.advance(n)
            self._pacer.restart(ctx.sim_time)
            future.set_result(ctx.sim_time)

    def _reload(self, config: SimConfig | None, future: Future) -> None:
        """Goes over to another world; with a mistake in it, the run goes on as it is."""
        episodes = self._ctx.episode
        try:
            if config is None:
                config = self._read_again()
            seed = None if self._source is None else self._source.seed_of(config)
            self._engine.reload(config, seed=seed)
        except RoqsimError as error:
            future.set_exception(error)
            if not self._engine.is_open:
                raise
            LOG.error("the world was not reloaded, and the run goes on: %s", error)
            return
        except BaseException as error:
            future.set_exception(error)
            raise
        self._begin_world(episodes)
        LOG.info("the world was reloaded: %s", self._engine.generations())
        future.set_result(self._ctx.model_generation)

    def _read_again(self) -> SimConfig:
        if self._source is None:
            raise RoqsimError("control.reload: expected a world, got None; this run knows no file to read it from")
        return self._source.load()

    def _begin_world(self, episodes: int) -> None:
        """Counts, paces and shows from now on what the engine has gone over to."""
        ctx = self._ctx
        self._tally.begin_world(ctx.dt, episodes)
        if self._source is not None:
            self._pacer.factor = ctx.pace = self._source.factor(self._engine.cfg)
        self._chunk = self._first_chunk(self._pacer.factor)
        if self._progress:
            self._progress.limit = self._tally.end
        for view in self._views:
            if hasattr(view, "reload"):
                view.reload(self._engine)
            else:
                view.close()
                view.open(self._engine)
        self._pacer.restart(0.0)

    def _tell_if_slow(self) -> None:
        if self._told_slow or not self._pacer.is_too_slow:
            return
        self._told_slow = True
        simulated = self._tally.simulated
        reached = simulated / (simulated / self._pacer.factor + self._pacer.lost)
        LOG.warning(
            "the run cannot keep up: %.3g x real time of the %.3g asked for; "
            "raise sim.timestep, lower a sensor's rate, or take --pacing asap",
            reached,
            self._pacer.factor,
        )

    def _summary(self, wall: float, failures: Sequence[RoqsimError]) -> Summary:
        ctx = self._ctx
        told = failures if ctx.stop_failed else failures[1:]
        for failure in told:
            LOG.error("%s", failure, exc_info=failure.__cause__)
        return Summary(
            reason=ctx.stop_reason if ctx.stop_failed or not failures else str(failures[0]),
            failed=ctx.stop_failed or bool(failures),
            error=failures[0] if failures and not ctx.stop_failed else None,
            simulated=self._tally.simulated,
            wall=wall,
            steps=self._tally.steps,
            episodes=self._tally.episodes + ctx.episode,
            seed=ctx.seed,
            streams=tuple(self._engine.streams()),
        )
