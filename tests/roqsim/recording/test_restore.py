"""Back into a state: the physics goes on to the bit, and the world is what it was then."""

from __future__ import annotations

import logging

import mujoco
import numpy as np
import pytest
from roqsim.errors import RecordingError
from roqsim.mj.layout import segments
from roqsim.mj.state import INTEGRATION, take
from roqsim.presence import set_present
from roqsim.recording import open_recording, record

from .conftest import MODEL, POPULATED

FALLS = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body name="left" pos="0 0 .5"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="right" pos=".15 0 .8" euler="10 20 30"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  </worldbody>
</mujoco>
"""


def continued(model, state, steps):
    """What MuJoCo alone makes of a state, on data that never saw it."""
    data = mujoco.MjData(model)
    mujoco.mj_setState(model, data, state, INTEGRATION)
    found = []
    for _ in range(steps):
        mujoco.mj_step(model, data)
        found.append(take(model, data).tobytes())
    return found


@pytest.mark.parametrize("mjcf", [MODEL, FALLS], ids=["features", "contacts"])
def test_mujoco_alone_goes_on_from_the_150th_of_300_states_to_the_bit(folder, world, mjcf):
    (folder / "model.xml").write_text(mjcf)
    engine = world("sim: {world: model.xml}\n", base_dir=folder, reset=False)
    record(engine, "run.npz", 500.0)
    engine.reset()
    if engine.ctx.model.nu:
        engine.ctx.data.ctrl[:] = 0.3
    engine.advance(300)
    engine.shutdown()
    recording = open_recording("run.npz")
    model = recording.rebuild().ctx.model
    wanted = [state.tobytes() for state in recording.states[151:]]
    assert continued(model, recording[150].state, 150) == wanted


def test_the_states_hold_warm_start_activation_history_mocap_and_equalities(recorded):
    recording = recorded(steps=300, fps=500.0)
    names = {field["name"] for field in recording.meta["state_fields"]}
    assert {"qpos", "qvel", "act", "history", "warmstart", "ctrl", "mocap_pos", "mocap_quat", "eq_active"} <= names
    for field in recording.meta["state_fields"]:
        if field["name"] in ("warmstart", "act", "history"):
            part = recording.states[150:, field["start"] : field["start"] + field["size"]]
            assert np.abs(np.diff(part, axis=0)).max() > 0


def test_segments_part_the_state_as_mujoco_does(world, folder):
    engine = world("sim: {world: features.xml}\n", base_dir=folder)
    model, data = engine.ctx.model, engine.ctx.data
    engine.advance(20)
    state = take(model, data)
    for segment in segments(model):
        bit = getattr(mujoco.mjtState, f"mjSTATE_{segment.name.upper()}")
        alone = np.empty(mujoco.mj_stateSize(model, bit))
        mujoco.mj_getState(model, data, alone, bit)
        assert np.array_equal(state[segment.rows], alone), segment


def test_a_restored_engine_stands_at_the_sample(recorded):
    recording = recorded(POPULATED, steps=300)
    engine = recording.rebuild()
    sample = recording.at(0.37)
    recording.restore(engine, sample)
    ctx = engine.ctx
    assert take(ctx.model, ctx.data).tobytes() == sample.state.tobytes()
    assert (ctx.tick, ctx.episode, ctx.seed) == (sample.tick, 1, 3)
    assert ctx.sim_time == sample.time
    fresh = mujoco.MjData(ctx.model)
    mujoco.mj_setState(ctx.model, fresh, sample.state, INTEGRATION)
    mujoco.mj_forward(ctx.model, fresh)
    for name in ("xpos", "xquat", "cvel", "sensordata", "qacc", "ncon"):
        assert np.array_equal(getattr(ctx.data, name), getattr(fresh, name)), name


def test_an_engine_can_be_restored_again_and_again_in_any_order(recorded):
    recording = recorded(POPULATED, steps=300)
    engine = recording.rebuild()
    for index in (40, 3, 59, 0):
        recording.restore(engine, recording[index])
        assert take(engine.ctx.model, engine.ctx.data).tobytes() == recording[index].state.tobytes()
        engine.advance(7)


def test_hooks_are_due_where_the_restored_tick_says(folder, world, recorded):
    recording = recorded(steps=300)
    engine = recording.rebuild()
    engine.advance(290)
    recording.restore(engine, recording[2])
    angle = engine.ctx.interface.get("servo", "angle")
    assert angle.read() == recording[2].state[1]
    ran = []
    engine.watch_post_step(lambda plugin: lambda ctx: None)
    servo = engine.plugins[0]
    hook = type(servo).pre_step
    type(servo).pre_step = lambda self, ctx: ran.append(ctx.tick) or hook(self, ctx)
    try:
        engine._pre = type(engine._pre)(engine._hooks.slots("pre_step", engine.ctx))
        engine.advance(25)
    finally:
        type(servo).pre_step = hook
    assert ran == [10, 20, 30]


def switching(engine):
    ctx = engine.ctx
    engine.advance(100)
    set_present(ctx, "box", True)
    engine.advance(50)
    ctx.post(lambda ctx: ctx.blackboard.get("model_override:heavy").set_active(True))
    engine.advance(50)
    ctx.post(lambda ctx: ctx.blackboard.get("model_override:heavier").set_active(True))
    ctx.post(lambda ctx: set_present(ctx, "crate", False))
    engine.advance(50)
    ctx.post(lambda ctx: ctx.blackboard.get("model_override:heavy").set_active(False))
    engine.advance(50)


@pytest.mark.parametrize(
    ("tick", "present", "mass"),
    [(0, {"crate"}, 1.0), (100, {"crate"}, 1.0), (120, {"box", "crate"}, 1.0), (180, {"box", "crate"}, 3.0),
     (240, {"box"}, 5.0), (300, {"box"}, 5.0)],
)  # fmt: skip
def test_entities_and_overrides_are_restored_with_the_state(recorded, tick, present, mass):
    recording = recorded(POPULATED, during=switching, fps=50.0)
    engine = recording.rebuild()
    for sample in (recording.at(tick * 0.002), recording[-1], recording.at(tick * 0.002)):
        recording.restore(engine, sample)
    ctx = engine.ctx
    assert set(ctx.entities.names()) == present
    assert ctx.model.body("ball").mass[0] == mass
    groups = ctx.model.geom_group[ctx.model.geom_bodyid == ctx.entities.require("box").body]
    assert (groups == 5).all() == ("box" not in present)
    assert take(ctx.model, ctx.data).tobytes() == recording.at(tick * 0.002).state.tobytes()


def test_physics_goes_on_to_the_bit_after_a_restore_whatever_was_switched(recorded):
    recording = recorded(POPULATED, during=switching, fps=500.0, overrides="components.servo.rate_hz=0.5")
    engine = recording.rebuild()
    for start, stop in ((110, 140), (160, 190), (210, 240), (260, 290)):
        recording.restore(engine, recording[start])
        for tick in range(start + 1, stop):
            mujoco.mj_step(engine.ctx.model, engine.ctx.data)
            assert take(engine.ctx.model, engine.ctx.data).tobytes() == recording[tick].state.tobytes(), tick


def test_an_entity_that_was_absent_comes_back_as_it_should_after_a_restore(recorded):
    recording = recorded(POPULATED)
    engine = recording.rebuild()
    recording.restore(engine, recording[10])
    set_present(engine.ctx, "box", True)
    engine.advance(200)
    height = engine.ctx.data.body("box").xpos[2]
    assert 0.09 < height < 0.35
    assert engine.ctx.data.ncon > 0


def test_options_are_restored(recorded):
    def windy(engine):
        engine.advance(50)
        engine.ctx.post(lambda ctx: ctx.model.opt.gravity.__setitem__(2, -1.6))
        engine.advance(50)

    recording = recorded(during=windy, fps=50.0)
    events = [event for event in recording.events if event.kind == "option"]
    assert [(event.tick, event.name, event.value) for event in events] == [(50, "gravity", [0.0, 0.0, -1.6])]
    engine = recording.rebuild()
    for index, gravity in ((9, -1.6), (2, -9.81), (9, -1.6)):
        recording.restore(engine, recording[index])
        assert engine.ctx.model.opt.gravity[2] == gravity


def test_an_engine_of_another_world_is_refused(recorded, world):
    recording = recorded()
    other = world("components: [dummy]\n")
    with pytest.raises(RecordingError, match=r"run.mcap: expected an engine of its own world, got another"):
        recording.restore(other, recording[0])


def test_one_sample_after_the_other_is_as_each_by_itself(recorded):
    recording = recorded(POPULATED, during=switching, fps=50.0)
    samples = [recording[index] for index in (*range(len(recording)), 3, len(recording) - 1, 0)]
    one, all_of_them = recording.rebuild(), recording.rebuild()
    for sample, reached in zip(samples, recording.restored(all_of_them, samples), strict=True):
        recording.restore(one, sample)
        assert reached == sample
        assert all_of_them.ctx.tick == one.ctx.tick
        assert all_of_them.ctx.entities.names() == one.ctx.entities.names()
        for mine, theirs in ((one.ctx.data, all_of_them.ctx.data), (one.ctx.model, all_of_them.ctx.model)):
            names = ("qpos", "qvel", "xpos", "qfrc_constraint") if mine is one.ctx.data else ("body_mass", "geom_group")
            for name in names:
                np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), err_msg=name)


def test_a_world_that_is_built_again_announces_nothing_twice(recorded, caplog):
    recording = recorded(POPULATED, overrides="components.servo.rate_hz=30")
    caplog.clear()
    with caplog.at_level("INFO", "roqsim"):
        recording.rebuild().shutdown()
        assert not caplog.records
        assert logging.getLogger("roqsim").level == logging.INFO
