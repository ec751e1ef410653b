"""One tick and many: posted commands, due hooks, physics, samples, in this order."""

from __future__ import annotations

import operator

from roqsim.config.world import SimConfig
from roqsim.context import SimContext
from roqsim.engine.guard import Guard
from roqsim.engine.hooks import HookTable
from roqsim.engine.observation import SAMPLE, Observers, runs_hooks
from roqsim.engine.schedule import Schedule, Slot
from roqsim.errors import RoqsimError

COMMAND = Slot("", "a posted command", 1, bool, False)
"""What stands in the place of a hook while posted commands are looked at."""


class Ticks:
    """The part of an engine that runs between its resets; everything that it touches is bound before."""

    cfg: SimConfig
    ctx: SimContext
    _hooks: HookTable
    _observers: Observers
    _guard: Guard
    _pre: Schedule
    _post: Schedule

    def step(self) -> None:
        """One tick: commands, due ``pre_step`` hooks, physics, due ``post_step`` hooks, snapshot."""
        ctx = self.ctx
        if self._pending:
            self._drain()
        tick = ctx.tick
        if tick >= self._next_pre:
            tick = self._before(tick)
        self._step(self._model, self._data)
        ctx.tick = tick = tick + 1
        if self._warned != self._calm:
            self._diverged()
            return
        if tick >= self._next_post:
            self._next_post = self._run(self._post, tick)
        if tick >= self._next_sample:
            self._sample()
        if ctx.snapshots_wanted:
            ctx.publish_snapshot()

    def advance(self, n: int) -> int:
        """Up to ``n`` ticks with the same result as ``n`` calls of ``step``, in one MuJoCo call where nothing is due.

        A stop request ends it early, at the tick that made it.

        Returns:
            How many ticks were done.
        """
        n = operator.index(n)
        if n < 0:
            raise ValueError(f"Engine.advance: expected n >= 0, got {n!r}")
        ctx = self.ctx
        began, left = ctx.tick, n
        while left > 0:
            if self._pending:
                self._drain()
            tick = ctx.tick
            if tick >= self._next_pre:
                tick = self._before(tick)
            # Comparisons, because a call of min() and max() takes thrice as long.
            until = tick + left
            if until > self._next_pre:
                until = self._next_pre
            if until > self._next_post:
                until = self._next_post
            if until <= tick:
                until = tick + 1
            left -= until - tick
            if until > self._next_sample:
                self._next_sample = self._sampling(tick, self._next_sample, until)
                tick = ctx.tick
            self._step(self._model, self._data, until - tick)
            ctx.tick = tick = until
            if self._warned != self._calm:
                self._diverged()
                return n - left
            if tick >= self._next_post:
                self._next_post = self._run(self._post, tick)
            if tick >= self._next_sample:
                self._sample()
            if ctx.snapshots_wanted:
                ctx.publish_snapshot()
            if ctx.stop_reason is not None:
                break
        return ctx.tick - began

    def _bind_sampling(self) -> None:
        """Makes ``_sampling``: it steps to each tick before ``until`` that is to be seen; gives the next such tick."""
        ctx, step, model, data = self.ctx, self._step, self._model, self._data
        every, sample = self._observers.every, self._observers.sample

        def run(tick: int, due: int, until: int) -> int:
            try:
                while due < until:
                    step(model, data, due - tick)
                    ctx.tick = tick = due
                    sample(ctx)
                    due += every
            except Exception as error:
                raise self._fail(SAMPLE, error) from error
            return due

        self._sampling = run

    def _sample(self) -> None:
        """Lets the observers see the tick."""
        try:
            self._observers.sample(self.ctx)
        except Exception as error:
            raise self._fail(SAMPLE, error) from error
        self._next_sample += self._observers.every

    def idle(self) -> None:
        """What a driver does while paused: runs the posted commands, without a step."""
        self._require_open("idle")
        if self.ctx.commands and self._drain():
            self.ctx.publish_snapshot()

    def _drain(self) -> int:
        """Runs the posted commands and looks at what they wrote."""
        ran = self.ctx.drain_commands()
        try:
            self._guard.check_writes(COMMAND)
        except RoqsimError as error:
            self.shutdown(error=error)
            raise
        return ran

    def _before(self, tick: int) -> int:
        if not self._began:
            self._require_open("step")
            self.reset()
            tick = 0
        self._next_pre = self._run(self._pre, tick)
        return tick

    @runs_hooks
    def _run(self, schedule: Schedule, tick: int) -> int:
        """Runs the hooks of a phase that are due and returns the next tick at which any is."""
        if tick >= schedule.alarm:
            schedule.ring(tick)
        ctx, guard, soonest, table = self.ctx, self._guard, schedule.alarm, schedule.table
        for every, run, reads_derived, slot in table:
            late = tick % every
            if not late:
                if reads_derived:
                    ctx.refresh()
                try:
                    run(ctx)
                    if slot.writes and not guard.is_sound():
                        guard.check_writes(slot)
                except (Exception, SystemExit) as error:
                    raise self._fail(slot, error) from error
            if tick + every - late < soonest:
                soonest = tick + every - late
        return soonest if schedule.table is table else schedule.next_due(tick)

    def _fail(self, slot: Slot, error: Exception) -> Exception:
        is_ours = slot is SAMPLE and isinstance(error, RoqsimError)
        wrapped = error if is_ours else self._hooks.failure(slot.address, slot.hook, error)
        self.shutdown(error=wrapped)
        return wrapped

    def _diverged(self) -> None:
        ctx = self.ctx
        tick = ctx.tick - self._guard.bad_steps()
        error = self._guard.divergence(tick)
        if self.cfg.sim.on_divergence == "reset":
            ctx.log.error("%s; the run begins again, as sim.on_divergence asks", error)
            self._observers.close(str(error), True)
            self.reset()
            return
        self.shutdown(error=error)
        raise error
