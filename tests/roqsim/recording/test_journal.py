"""What happened besides the steps: told apart by who did it, with the tick and the place among the samples."""

from __future__ import annotations

import numpy as np
import pytest
from roqsim.context import Twist
from roqsim.entities.state import set_state
from roqsim.forces.applied_force import AppliedForce
from roqsim.presence import set_present
from roqsim.recording import open_recording, record
from roqsim.recording.payload import from_plain, to_plain

from .conftest import POPULATED, WORLD


def endpoint(engine, path):
    owner, _, name = path.rpartition("/")
    return engine.ctx.interface.get(owner, name, "in")


def write(engine, path, payload):
    engine.ctx.post(lambda ctx: endpoint(engine, path).write(payload))


def later(recording, kind=None):
    """The events after the first state of things."""
    return [event for event in recording.events if event.samples and (kind is None or event.kind == kind)]


def test_the_first_events_tell_how_the_world_begins(recorded):
    recording = recorded(POPULATED)
    first = {(event.kind, event.name): event.value for event in recording.events if not event.samples}
    assert first == {
        ("presence", "box"): False,
        ("presence", "crate"): True,
        ("model_override", "heavy"): False,
        ("model_override", "heavier"): False,
    }
    assert later(recording) == []


def test_an_input_is_recorded_with_its_tick_and_payload(recorded):
    def drive(engine):
        engine.advance(50)
        write(engine, "servo/goal", {"goal": 0.1 + 0.2, "why": ["a", 1]})
        engine.advance(50)
        endpoint(engine, "servo/goal").write({"goal": np.float64(2.0)})
        engine.advance(50)

    recording = recorded(during=drive, fps=50.0)
    assert [(each.tick, each.path, each.payload, each.samples) for each in recording.inputs] == [
        (50, "servo/goal", {"goal": 0.1 + 0.2, "why": ["a", 1]}, 6),
        (100, "servo/goal", {"goal": 2.0}, 11),
    ]
    assert later(recording) == []
    assert recording.meta["other_commands"] == 0


def test_what_a_plugin_writes_from_its_own_hook_is_no_input(recorded):
    recording = recorded(f'{WORLD}  - "parts.py:Relay": {{}}\n    name: relay\n')
    assert recording.inputs == [] and recording.meta["other_commands"] == 0


def test_a_command_that_moves_something_is_recorded_as_the_numbers_that_it_wrote(recorded):
    def place(engine):
        engine.advance(30)
        engine.ctx.post(lambda ctx: set_state(ctx, "crate", position=(1.0, 2.0, 3.0)))
        engine.advance(30)

    recording = recorded(POPULATED, during=place)
    (event,) = later(recording)
    assert (event.kind, event.tick, event.outside) == ("state", 30, True)
    assert {1.0, 2.0, 3.0} <= set(event.value["value"])
    assert len(event.value["index"]) < 15
    assert recording.meta["other_commands"] == 0


def test_a_push_from_a_window_is_recorded(recorded):
    def pull(engine):
        engine.advance(30)
        body = engine.ctx.model.body("ball").id
        wrench = np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.5])
        engine.ctx.post(lambda ctx: AppliedForce.of(ctx).set("window", body, wrench))
        engine.advance(30)
        engine.ctx.post(lambda ctx: AppliedForce.of(ctx).remove("window", body))
        engine.advance(30)

    recording = recorded(during=pull)
    assert [(event.tick, event.value["value"]) for event in later(recording, "state")] == [
        (30, [1.0, 2.0, 3.0, 0.5]),
        (60, [0.0] * 4),
    ]


def test_a_program_that_writes_the_state_between_steps_is_recorded(recorded):
    def place(engine):
        engine.advance(30)
        set_state(engine.ctx, "crate", position=(1.0, 2.0, 3.0))
        engine.advance(30)

    recording = recorded(POPULATED, during=place)
    (event,) = later(recording)
    assert event.kind == "state" and event.value["index"] is None
    assert len(event.value["value"]) == recording.meta["state_size"]


def test_presence_and_overrides_say_whether_somebody_outside_changed_them(recorded):
    def switch(engine):
        engine.advance(30)
        engine.ctx.post(lambda ctx: set_present(ctx, "box", True))
        engine.advance(30)
        write(engine, "heavy/override", True)
        engine.advance(30)
        write(engine, "sim/entities/delete", {"entity": "crate"})
        engine.advance(30)

    recording = recorded(POPULATED, during=switch)
    events = [event for event in later(recording) if event.kind != "state"]
    told = [(event.tick, event.kind, event.name, event.value, event.outside) for event in events]
    assert told[0] == (30, "presence", "box", True, True)
    assert told[1:] == [(60, "model_override", "heavy", True, False), (90, "presence", "crate", False, False)]
    assert [each.path for each in recording.inputs] == ["heavy/override", "sim/entities/delete"]


def test_what_a_hook_changes_is_an_event_from_inside(recorded):
    recording = recorded(POPULATED, overrides="components.servo.spawns_at=40")
    (event,) = later(recording)
    assert (event.tick, event.kind, event.name, event.value, event.outside) == (40, "presence", "box", True, False)


def test_commands_that_nobody_can_know_the_effect_of_are_counted(recorded):
    def tinker(engine):
        engine.advance(30)
        for _ in range(3):
            engine.ctx.post(lambda ctx: setattr(engine.plugins[0], "goal", 1.0))
        engine.advance(30)
        engine.ctx.call(lambda ctx: None)

    recording = recorded(during=tinker)
    assert recording.meta["other_commands"] == 4
    assert recording.meta["first_other_tick"] == 30
    assert later(recording) == []


def test_a_payload_that_is_no_plain_data_counts_as_such_a_command(recorded):
    def push(engine):
        engine.advance(20)
        endpoint(engine, "servo/goal").write({"goal": 1.0, "node": object()})
        engine.advance(20)

    recording = recorded(during=push)
    assert recording.inputs == []
    assert (recording.meta["other_commands"], recording.meta["first_other_tick"]) == (1, 20)


def test_nothing_watches_once_the_recording_is_over(folder, world):
    engine = world(WORLD, base_dir=folder, reset=False)
    record(engine, "run.mcap")
    engine.reset()
    assert len(engine.ctx.watchers) == 1
    engine.shutdown()
    assert engine.ctx.watchers == ()
    assert endpoint(engine, "servo/goal").on_write is None


@pytest.mark.parametrize(
    "payload",
    [
        Twist((0.1, 0.2, 0.3), (0.0, -0.0, 1e-300)),
        {"a": 1, "b": [1.5, None, True, "x"], "c": {"d": 2}},
        True,
        3.25,
        float("inf"),
        [1, 2, 3],
        "text",
        None,
    ],
    ids=str,
)
def test_a_payload_survives_the_way_through_json(payload):
    import json

    kind, fields = to_plain(payload)
    back = from_plain(kind, json.loads(json.dumps(fields, allow_nan=False)))
    assert back == payload and type(back) is type(payload)


def test_arrays_and_nan_survive_it_too(folder, monkeypatch):
    monkeypatch.syspath_prepend(str(folder))
    from parts import Push

    kind, fields = to_plain(Push(np.array([1.0, np.nan, -np.inf]), (1.0, 2.0)))
    assert kind == "parts:Push"
    back = from_plain(kind, fields)
    assert isinstance(back, Push) and back.times == (1.0, 2.0)
    assert np.array_equal(back.forces, [1.0, np.nan, -np.inf], equal_nan=True)


@pytest.mark.parametrize("name", ["os:system", "no_such_module:Thing", "roqsim.context:Nothing", "builtins:dict"])
def test_only_dataclasses_are_ever_made_from_a_file(name):
    with pytest.raises(ValueError, match="expected"):
        from_plain(name, {"command": "true"})


def test_notes_are_read_from_the_stream_of_a_running_recording(folder, world):
    engine = world(POPULATED, base_dir=folder, reset=False)
    recorder = record(engine, "run.npz")
    engine.reset()
    recorder.flush()
    live = open_recording("run.npz")
    assert not live.complete and len(live) == 1
    assert {event.name for event in live.events} == {"box", "crate", "heavy", "heavier"}
    engine.shutdown()
