"""A second run: equal to the bit where everything that came from outside is known, and honest where it is not."""

from __future__ import annotations

import json

import mujoco
import numpy as np
import pytest
from roqsim.context import RobotHandle, Twist
from roqsim.drivers.verify import verify
from roqsim.entities.state import set_state
from roqsim.errors import RecordingError
from roqsim.forces.applied_force import AppliedForce
from roqsim.mj.state import take
from roqsim.presence import set_present
from roqsim.recording import open_recording, record
from roqsim.recording.rerun import compare

from .conftest import POPULATED, WORLD
from .test_journal import endpoint, write


def eventful(engine):
    """Everything that can come from outside."""
    ctx = engine.ctx
    engine.advance(37)
    write(engine, "servo/goal", {"goal": 0.3})
    write(engine, "servo/goal", {"goal": 99.0})
    engine.advance(20)
    ctx.post(lambda ctx: set_state(ctx, "crate", position=(0.05, 0.0, 0.9), angular_velocity=(1.0, 2.0, 3.0)))
    engine.advance(13)
    ctx.post(lambda ctx: set_present(ctx, "box", True))
    write(engine, "sim/entities/set_state", {"entity": "box", "position": [0.3, 0.1, 0.4]})
    engine.advance(20)
    write(engine, "heavy/override", True)
    ctx.post(lambda ctx: ctx.blackboard.get("model_override:heavier").set_active(True))
    engine.advance(1)
    ctx.post(lambda ctx: ctx.model.opt.gravity.__setitem__(2, -3.0))
    body = ctx.model.body("ball").id
    ctx.post(lambda ctx: AppliedForce.of(ctx).set("window", body, np.array([4.0, 0, 0, 0, 0, 0])))
    engine.advance(30)
    ctx.post(lambda ctx: AppliedForce.of(ctx).remove("window", body))
    set_state(ctx, "crate", linear_velocity=(0.0, 1.0, 0.0))
    engine.advance(29)
    ctx.post(lambda ctx: set_present(ctx, "crate", False))
    engine.advance(50)


@pytest.mark.parametrize("fps", [500.0, 100.0, 7.0])
@pytest.mark.parametrize("suffix", ["mcap", "npz"])
def test_a_run_with_everything_that_can_come_from_outside_is_run_again_to_the_bit(recorded, fps, suffix):
    recording = recorded(POPULATED, during=eventful, fps=fps, path=f"run.{suffix}")
    assert compare(recording) == (len(recording), None)
    assert len(recording.inputs) == 4


@pytest.mark.parametrize("index", [0, 17, 30])
def test_a_resumed_run_goes_on_as_the_recorded_one_did(recorded, index):
    recording = recorded(steps=300)
    engine = recording.resume(recording[index])
    assert engine.ctx.tick == recording[index].tick
    for sample in list(recording)[index + 1 :]:
        engine.advance(sample.tick - engine.ctx.tick)
        assert take(engine.ctx.model, engine.ctx.data).tobytes() == sample.state.tobytes()


def test_an_every_tick_recording_is_the_same_run_as_one_without_a_recording(folder, world):
    plain = world(POPULATED, base_dir=folder)
    watched = world(POPULATED, base_dir=folder, reset=False)
    record(watched, "run.mcap", 500.0)
    watched.reset()
    for steps in (1, 7, 100, 33):
        plain.advance(steps)
        watched.advance(steps)
        a, b = (take(engine.ctx.model, engine.ctx.data) for engine in (plain, watched))
        assert a.tobytes() == b.tobytes()
    watched.shutdown()
    assert open_recording("run.mcap").ticks.tolist() == list(range(142))


@pytest.mark.needs("roqsim_mobile")
def test_a_robot_that_is_driven_from_outside_is_driven_again(folder, world):
    engine = world("roqsim_mobile:turtlebot4_empty", reset=False)
    record(engine, "run.mcap")
    engine.reset()
    for index in range(10):
        velocity = Twist((0.1 + 0.02 * index, 0.0, 0.0), (0.0, 0.0, 0.3 - 0.05 * index))
        write(engine, "robot/cmd_vel", velocity)
        engine.advance(40)
    engine.shutdown()
    recording = open_recording("run.mcap")
    assert recording.inputs[0].type == "roqsim.context.payloads:Twist"
    assert np.hypot(*recording[-1].state[1:3]) > 0.01
    assert compare(recording) == (len(recording), None)


def test_another_input_file_is_told_and_makes_another_run(recorded, folder, caplog):
    recorded()
    model = folder / "features.xml"
    model.write_text(model.read_text().replace('mass="1"', 'mass="1.01"'))
    verdict = verify("run.mcap")
    assert "other than when it was recorded: " in caplog.text and str(model) in caplog.text
    assert verdict.difference is not None and verdict.equal > 5
    assert verdict.difference.tick == 5 * verdict.equal
    assert "of joint 'ball'" in verdict.difference.field


def test_a_changed_number_is_found_with_its_name_and_tick(recorded):
    recording = recorded(steps=300)
    states = recording.states
    field = next(field for field in recording.meta["state_fields"] if field["name"] == "act")
    states[31, field["start"]] += 1e-12
    equal, difference = compare(altered(recording, states))
    assert equal == 31
    assert (difference.tick, difference.count) == (155, 1)
    assert difference.field == "act[0] of actuator 'motor'"
    assert difference.recorded == pytest.approx(difference.got, abs=2e-12)
    assert str(difference).startswith("tick 155 (0.31 s): act[0] of actuator 'motor' was ")


@pytest.mark.parametrize(
    ("name", "row", "text"),
    [
        ("time", 0, "time"),
        ("qpos", 0, "qpos[0] of joint 'hinge'"),
        ("qpos", 3, "qpos[3] of joint 'ball'"),
        ("qpos", 9, "qpos[9] of a joint of body 'leash'"),
        ("qvel", 6, "qvel[6] of joint 'ball'"),
        ("history", 2, "history[2]"),
        ("warmstart", 0, "warmstart[0] of joint 'hinge'"),
        ("ctrl", 0, "ctrl[0] of actuator 'motor'"),
        ("xfrc_applied", 13, "xfrc_applied[13] of body 'ball'"),
        ("eq_active", 0, "eq_active[0] of equality 'rope'"),
        ("mocap_pos", 1, "mocap_pos[1] of body 'target'"),
        ("mocap_quat", 2, "mocap_quat[2] of body 'target'"),
    ],
)
def test_every_number_of_a_state_has_a_name(recorded, name, row, text):
    from roqsim.mj.layout import name_entry

    recording = recorded(steps=0)
    field = next(field for field in recording.meta["state_fields"] if field["name"] == name)
    assert name_entry(recording.rebuild().ctx.model, field["start"] + row) == text


def altered(recording, states=None, **meta):
    """The recording with other states or other facts."""
    from roqsim.recording.blocks import Blocks

    if states is not None:
        recording._states = Blocks(states.shape[1])
        recording._states.add(len(states), lambda: states)
    recording.meta.update(meta)
    return recording


def test_a_run_that_was_changed_from_outside_says_so_instead_of_a_wrong_answer(recorded):
    def tinker(engine):
        engine.advance(100)
        engine.ctx.post(lambda ctx: setattr(engine.plugins[0], "goal", -3.0))
        engine.advance(100)

    recording = recorded(during=tinker)
    equal, difference = compare(recording)
    assert equal == 22 - 1
    assert difference.reason == "the run was changed from outside at tick 100 (1 such command)"
    with pytest.raises(RecordingError, match=r"expected to reach its sample 40 again, got tick 105 .* at tick 100"):
        recording.resume(recording[40])
    assert recording.resume(recording[20]).ctx.tick == 100


def test_another_mujoco_is_named_as_a_reason(recorded):
    recording = recorded(steps=50)
    states = recording.states + 1.0
    versions = {**recording.meta["versions"], "mujoco": "3.0.0"}
    _, difference = compare(altered(recording, states, versions=versions))
    assert difference.reason == f"it was recorded with MuJoCo 3.0.0, this is {mujoco.__version__}"


def test_a_failed_run_is_run_again_up_to_its_failure(folder, world):
    engine = world(WORLD, base_dir=folder, reset=False, overrides="components.servo.fails_at=110")
    record(engine, "run.mcap", 100.0)
    engine.reset()
    with pytest.raises(Exception, match="out of coffee"):
        engine.advance(500)
    recording = open_recording("run.mcap")
    assert compare(recording) == (len(recording), None)


def test_a_later_episode_is_run_again_as_itself(folder, world):
    engine = world(WORLD, base_dir=folder, reset=False)
    record(engine, "run.mcap", 100.0)
    for _ in range(3):
        engine.reset()
        engine.advance(100)
    engine.reset(seed=11)
    engine.advance(100)
    engine.shutdown()
    for name, seed, episode in (("run_3.mcap", 3, 3), ("run_4.mcap", 11, 1)):
        recording = open_recording(name)
        assert (recording.seed, recording.episode) == (seed, episode)
        assert compare(recording) == (len(recording), None)


@pytest.mark.needs("roqsim_mobile")
def test_a_manual_run_is_run_again_as_one(folder, world):
    engine = world("roqsim_mobile:turtlebot4_empty", reset=False, manual_control=True)
    record(engine, "run.mcap")
    engine.reset()
    engine.advance(50)
    engine.ctx.post(lambda ctx: ctx.data.ctrl.__setitem__(slice(None), 0.2))
    engine.advance(200)
    engine.shutdown()
    recording = open_recording("run.mcap")
    assert compare(recording) == (len(recording), None)
    assert recording.rebuild().ctx.manual_control


def test_a_world_file_that_is_gone_or_other_does_not_matter(folder, world):
    (folder / "world.yaml").write_text(WORLD)
    engine = world("world.yaml", reset=False)
    record(engine, "run.mcap")
    engine.reset()
    engine.advance(100)
    engine.shutdown()
    (folder / "world.yaml").unlink()
    recording = open_recording("run.mcap")
    assert recording.meta["world"] == "world.yaml"
    assert compare(recording) == (len(recording), None)


@pytest.mark.needs("roqsim_mobile")
def test_commands_by_a_handle_are_told_apart_from_what_can_be_run_again(folder, world):
    engine = world("roqsim_mobile:turtlebot4_empty", reset=False)
    record(engine, "run.mcap")
    engine.reset()
    engine.advance(40)
    engine.ctx.post(lambda ctx: ctx.blackboard.require("robot:robot", RobotHandle).drive(0.2, 0.0, 0.0))
    engine.advance(200)
    engine.shutdown()
    verdict = verify("run.mcap")
    assert "changed from outside at tick 40" in verdict.difference.reason
    assert json.loads(json.dumps(verdict.as_dict()))["difference"]["field"].startswith(("ctrl", "qvel", "qpos"))


def test_endpoint_is_what_the_helpers_say(recorded):
    def look(engine):
        assert endpoint(engine, "servo/goal").path == "servo/goal"

    assert len(recorded(during=look)) == 1
