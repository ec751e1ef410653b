"""Runs a recorded episode a second time: the same world, seed and inputs, compared bit for bit on the way."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from roqsim.errors import RecordingError, RoqsimError
from roqsim.mj.layout import name_entry
from roqsim.mj.state import put, take
from roqsim.presence import set_present
from roqsim.recording.notes import OPTION, PRESENCE, STATE, Event, Input
from roqsim.recording.options import set_option
from roqsim.recording.payload import from_plain
from roqsim.recording.switches import switches_of

if TYPE_CHECKING:
    from roqsim.context import SimContext
    from roqsim.engine import Engine
    from roqsim.recording.recording import Recording, Sample

LOG = logging.getLogger("roqsim")


@dataclass(frozen=True)
class Difference:
    """Where a second run parts from the recorded one.

    Attributes:
        tick: The first sample's tick that differs.
        time: Its simulated time in seconds.
        field: The first number of the state that differs, such as ``qvel[3] of joint 'left_wheel'``.
        recorded: What it was.
        got: What it is in the second run.
        count: How many numbers of the state differ.
        reason: What may have caused it, or an empty text.
    """

    tick: int
    time: float
    field: str
    recorded: float
    got: float
    count: int
    reason: str = ""

    def __str__(self) -> str:
        more = f" and {self.count - 1} more numbers" if self.count > 1 else ""
        text = f"tick {self.tick} ({self.time:.6g} s): {self.field} was {self.recorded!r} and is {self.got!r}{more}"
        return f"{text}; {self.reason}" if self.reason else text


class Rerun:
    """A second run of a recorded episode.

    Args:
        recording: What is run again.
        stop_after: Gives the next tick after one at which ``at_stop`` is to be called.
        at_stop: Called when such a tick is reached, before what came from outside at that tick is done again.

    Attributes:
        engine: The engine, at the sample that was reached last.
        failure: What the second run ended with, where it failed.
    """

    def __init__(
        self,
        recording: Recording,
        stop_after: Callable[[int], int] | None = None,
        at_stop: Callable[[SimContext], None] | None = None,
    ) -> None:
        if recording.meta.get("start_tick"):
            raise RecordingError(f"{recording.path}: expected a recording from the reset on, got one that begins later")
        self._recording = recording
        self._stop_after, self._at_stop = stop_after, at_stop
        self._todo = [
            note for note in recording.notes if isinstance(note, Input) or (note.outside and note.samples > 0)
        ]
        self._todo.reverse()
        self.failure: RoqsimError | None = None
        self.engine = recording.rebuild()
        self._state = take(self.engine.ctx.model, self.engine.ctx.data)

    def reach(self, sample: Sample) -> Difference | None:
        """Runs on to a sample, and compares.

        Returns:
            How the states differ, or None.
        """
        try:
            while self._todo and self._todo[-1].samples <= sample.index:
                note = self._todo.pop()
                self._advance(note.tick)
                _apply(self.engine.ctx, note)
            self._advance(sample.tick)
        except RoqsimError as error:
            self.failure = error
        ctx = self.engine.ctx
        take(ctx.model, ctx.data, self._state)
        if self._state.tobytes() == sample.state.tobytes():
            return None
        return self._difference(sample)

    def _advance(self, tick: int) -> None:
        ctx = self.engine.ctx
        while ctx.tick < tick:
            stop = tick if self._stop_after is None else self._stop_after(ctx.tick)
            self.engine.advance(min(stop, tick) - ctx.tick)
            if self._at_stop is not None and ctx.tick == stop:
                self._at_stop(ctx)

    def _difference(self, sample: Sample) -> Difference:
        model = self.engine.ctx.model
        rows = np.flatnonzero(self._state.view(np.int64) != sample.state.view(np.int64))
        row = int(rows[0])
        return Difference(
            sample.tick,
            sample.time,
            name_entry(model, row),
            float(sample.state[row]),
            float(self._state[row]),
            len(rows),
            self._reason(sample),
        )

    def _reason(self, sample: Sample) -> str:
        meta = self._recording.meta
        if self.failure is not None:
            return f"the second run failed: {self.failure}"
        first = meta.get("first_other_tick")
        if first is not None and first <= sample.tick:
            count = meta["other_commands"]
            return f"the run was changed from outside at tick {first} ({count} such command{'s' if count > 1 else ''})"
        then, now = meta["versions"].get("mujoco"), mujoco.__version__
        if then != now:
            return f"it was recorded with MuJoCo {then}, this is {now}"
        return ""


def compare(recording: Recording) -> tuple[int, Difference | None]:
    """Runs a recorded episode again and compares every sample.

    Returns:
        How many samples are equal, and the first difference, or None.

    Raises:
        RecordingError: Its world cannot be built.
    """
    rerun = Rerun(recording)
    try:
        for sample in recording:
            difference = rerun.reach(sample)
            if difference is not None:
                return sample.index, difference
        return len(recording), None
    finally:
        rerun.engine.shutdown()


def resume(recording: Recording, sample: Sample) -> Engine:
    """An engine at a sample, with everything that its plugins remember; see ``Recording.resume``."""
    rerun = Rerun(recording)
    for index in range(sample.index + 1):
        difference = rerun.reach(recording[index] if index < sample.index else sample)
        if difference is None and rerun.failure is not None:
            difference = rerun.failure
        if difference is not None:
            rerun.engine.shutdown()
            raise RecordingError(
                f"{recording.path}: expected to reach its sample {sample.index} again, got {difference}"
            )
    return rerun.engine


def _apply(ctx: SimContext, note: Input | Event) -> None:
    """Does once more what came from outside."""
    try:
        ctx.call(lambda ctx: _write(ctx, note) if isinstance(note, Input) else _change(ctx, note))
    except Exception as error:
        # What was refused in the recorded run is refused again; where it was not, the states tell.
        LOG.debug("%s at tick %d: %s", getattr(note, "path", note), note.tick, error)


def _write(ctx: SimContext, note: Input) -> None:
    owner, _, name = note.path.rpartition("/")
    ctx.interface.get(owner, name, "in").write(from_plain(note.type, note.payload))


def _change(ctx: SimContext, event: Event) -> None:
    if event.kind == PRESENCE:
        set_present(ctx, event.name, bool(event.value))
    elif event.kind == OPTION:
        set_option(ctx.model, event.name, event.value)
    elif event.kind == STATE:
        _patch(ctx, event.value)
    else:
        for switch in switches_of(ctx):
            if (switch.kind, switch.name) == (event.kind, event.name):
                switch.handle.set_active(bool(event.value))


def _patch(ctx: SimContext, value: dict[str, list]) -> None:
    """Writes the numbers that a command wrote."""
    state = take(ctx.model, ctx.data)
    state[slice(None) if value["index"] is None else value["index"]] = value["value"]
    put(ctx.model, ctx.data, state)
