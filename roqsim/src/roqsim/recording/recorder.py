"""Records the episodes of an engine: takes samples on its thread, and hands the rest to a writer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from roqsim.errors import ConfigError
from roqsim.json_value import json_value
from roqsim.mj.state import size
from roqsim.rates import snap
from roqsim.recording.journal import Journal
from roqsim.recording.provenance import StreamCount, begin_facts, world_facts
from roqsim.recording.ring import PATIENCE, Inlet
from roqsim.recording.sink import Meta, Sink
from roqsim.recording.writer import Writer

if TYPE_CHECKING:
    from roqsim.config.world import SimConfig
    from roqsim.context import SimContext
    from roqsim.engine import Engine

FPS = 25.0
"""Samples a simulated second where nothing is said, in Hz."""


class Recorder:
    """An observer that writes every episode into files of its own.

    Args:
        make_sinks: Names the files of an episode, given its number among the recorded ones: 1, 2, …
        every_steps: Ticks between two samples; or what gives them for a physics step in seconds, asked for each world.
        is_lazy: Whether the files are made at the first sample after the reset rather than by the reset.
        finished: Called whenever the files of an episode are finished.
    """

    def __init__(
        self,
        make_sinks: Callable[[int], Sequence[Sink]],
        every_steps: int | Callable[[float], int],
        *,
        is_lazy: bool = False,
        finished: Callable[[], None] | None = None,
    ) -> None:
        self._cadence = every_steps
        self.every_steps = 1 if callable(every_steps) else every_steps
        self._make_sinks, self._is_lazy, self._finished = make_sinks, is_lazy, finished
        self._world: dict[str, object] = {}
        self._config: SimConfig | None = None
        self._episodes = 0
        self._is_open = self._has_files = False
        self._told = 0.0
        self._writer = Writer()

    def begin(self, engine: Engine) -> None:
        """Takes the first sample and, unless it is lazy, makes the files.

        Raises:
            RoqsimError: A file cannot be made.
        """
        ctx = self._ctx = engine.ctx
        if self._config is not engine.cfg:
            self._config, self._world = engine.cfg, world_facts(engine.cfg)
            if callable(self._cadence):
                self.every_steps = self._cadence(ctx.dt)
        self._episodes += 1
        self._meta = begin_facts(engine, self._world, self.every_steps)
        self._inlet = Inlet(self._writer.rows(size(ctx.model)), self._tend, self._writer.wait)
        self._take = self._inlet.sampler(ctx)
        self._journal = Journal(ctx, lambda: self._inlet.head, self._noted)
        self._streams = StreamCount(ctx)
        self._is_open, self._has_files = True, False
        self._journal.watch()
        self._take(ctx)
        self.sample = self._first_sample if self._is_lazy else self._take
        if not self._is_lazy:
            self._start()

    def _first_sample(self, ctx: SimContext) -> None:
        """Makes the files late, where they were not known earlier; the tick keeps calling this."""
        if not self._has_files:
            self._start()
        self._take(ctx)

    def _start(self) -> None:
        try:
            self._writer.open(self._ctx.dt, self._make_sinks(self._episodes), self._meta)
        except Exception:
            self._is_open = False
            self._journal.leave()
            raise
        self._has_files = True
        self._noted()

    def _noted(self) -> None:
        """Hands on what was noted, once there are files for it."""
        if self._has_files and (notes := self._journal.take_notes()):
            self._writer.note(notes)

    def _tend(self) -> None:
        """Tells the writer that there is something to do, and now and then what became of the run."""
        now = time.monotonic()
        if now - self._told >= PATIENCE:
            self._told = now
            self._writer.tell(self._status())
        else:
            self._writer.look()

    def flush(self) -> None:
        """Blocks until what was sampled by now can be read from the files, whatever happens later.

        Raises:
            RoqsimError: A file cannot be written.
        """
        if self._is_open and self._has_files:
            self._writer.tell(self._status())
            self._writer.flush(self._inlet.head)

    def _status(self) -> Meta:
        return {"tick": self._ctx.tick, "streams": self._streams.rows(), **self._outside()}

    def _outside(self) -> Meta:
        return {"other_commands": self._journal.others, "first_other_tick": self._journal.first_other}

    def close(self, reason: str, failed: bool) -> None:
        """Takes the last sample and finishes the files.

        Raises:
            RoqsimError: A file cannot be written.
        """
        if not self._is_open:
            return
        self._is_open = False
        self._journal.leave()
        if not self._has_files:
            self._start()
        ctx = self._ctx
        is_sound = np.isfinite(ctx.data.qpos).all() and np.isfinite(ctx.data.qvel).all()
        if self._inlet.last_tick() != ctx.tick and is_sound and self._writer.failure is None:
            self._take(ctx)
        self._streams.end()
        final = {
            "complete": True,
            "stop_reason": reason,
            "stop_failed": failed,
            "steps": ctx.tick,
            "streams": self._streams.rows(),
            **self._outside(),
        }
        self._writer.finish(self._inlet.head, {**self._meta, **json_value(final)})
        if self._finished is not None:
            self._finished()

    def end(self) -> None:
        """Lets the writer go."""
        self._writer.end()

    def sample(self, ctx: SimContext) -> None:
        """Takes a sample; ``begin`` puts the quickest way to do so in this place."""
        self._take(ctx)


def record(engine: Engine, path: str | Path, fps: float = FPS) -> Recorder:
    """Records an engine's episodes from its next reset on; the second one goes to ``run_2.mcap``, and so on.

    Args:
        engine: An engine that was set up.
        path: Where to; the suffix, ``.mcap`` or ``.npz``, chooses the container.
        fps: Samples a simulated second in Hz; moved to a rate that the physics step can hold.

    Raises:
        ConfigError: The suffix is another one, or the rate cannot be held.
    """
    from roqsim.recording.container import numbered, sink_for

    def every_steps(dt: float) -> int:
        try:
            return snap(fps, dt).every_steps
        except ValueError as error:
            raise ConfigError(f"fps: {error}") from None

    every_steps(engine.ctx.dt)
    base = Path(path)
    sink_for(base)
    recorder = Recorder(lambda number: [sink_for(numbered(base, number))], every_steps)
    engine.observe(recorder)
    return recorder
