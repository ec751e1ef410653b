"""Puts a simulation into the state of a sample: the numbers, and what of the world the state does not hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import mujoco

from roqsim.errors import RecordingError
from roqsim.mj.state import put
from roqsim.presence import Presence
from roqsim.recording.notes import OPTION, PRESENCE, STATE, Event
from roqsim.recording.options import set_option
from roqsim.recording.switches import switches_of

if TYPE_CHECKING:
    from roqsim.context import SimContext
    from roqsim.engine import Engine
    from roqsim.recording.recording import Recording, Sample


def restore(recording: Recording, engine: Engine, sample: Sample) -> None:
    """Puts an engine of the recorded world into the state of a sample; see ``Recording.restore``.

    Raises:
        RecordingError: The engine's world is another one.
    """
    _set_world(recording, engine, _events_until(recording, sample))
    _set_state(recording, engine, sample)


def restored(recording: Recording, engine: Engine, samples: Iterable[Sample]) -> Iterator[Sample]:
    """Puts an engine into the state of one sample after the other; see ``Recording.restored``."""
    known: list[Event] | None = None
    for sample in samples:
        events = _events_until(recording, sample)
        if events != known:
            _set_world(recording, engine, events)
            known = events
        _set_state(recording, engine, sample)
        yield sample


def _events_until(recording: Recording, sample: Sample) -> list[Event]:
    return [event for event in recording.events if event.samples <= sample.index]


def _set_world(recording: Recording, engine: Engine, events: list[Event]) -> None:
    """Sets options, switches and entities to what events made of them."""
    ctx = engine.ctx
    for name, value in {**recording.meta["options"], **_last(events, OPTION)}.items():
        set_option(ctx.model, name, value)
    _set_switches(ctx, events)
    absent = {name for name, present in _last(events, PRESENCE).items() if not present}
    ctx.blackboard.require("presence", Presence).recall(absent)


def _set_state(recording: Recording, engine: Engine, sample: Sample) -> None:
    ctx = engine.ctx
    try:
        put(ctx.model, ctx.data, sample.state)
    except ValueError as error:
        raise RecordingError(f"{recording.path}: expected an engine of its own world, got another: {error}") from error
    ctx.blackboard.require("presence", Presence).hold()
    mujoco.mj_forward(ctx.model, ctx.data)
    # A forward leaves its own warm start and history behind.
    put(ctx.model, ctx.data, sample.state)
    ctx.seed = recording.seed
    engine.stand_at(sample.tick, recording.episode)


def _last(events: list[Event], kind: str) -> dict[str, object]:
    """What everything of a kind was set to last, by name."""
    return {event.name: event.value for event in events if event.kind == kind}


def _set_switches(ctx: SimContext, events: list[Event]) -> None:
    """Switches everything off and on again in the order of the run, because overrides of one value depend on it."""
    switches = {(switch.kind, switch.name): switch for switch in switches_of(ctx)}
    for switch in switches.values():
        switch.handle.set_active(False)
    on: dict[tuple[str, str], None] = {}
    for event in events:
        if event.kind in (OPTION, PRESENCE, STATE):
            continue
        on.pop((event.kind, event.name), None)
        if event.value:
            on[event.kind, event.name] = None
    for key in on:
        if key in switches:
            switches[key].handle.set_active(True)
