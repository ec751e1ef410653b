from __future__ import annotations

import numpy as np
import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import read
from roqsim.errors import ConfigError, RoqsimError
from roqsim_sensors.plugins.joint_state import JointStateConfig

G = 9.81
ARM = """<worldbody><body name='base'><geom size='.05' mass='1'/>
<body name='link' pos='0 0 1' {comp}><joint name='shoulder' axis='0 -1 0' {act}/>
<inertial pos='.5 0 0' mass='2' diaginertia='.01 .01 .01'/>
<body name='hand' pos='1 0 0'><joint name='finger' type='slide' axis='1 0 0'/>
<joint axis='0 0 1' stiffness='100' damping='10'/>
<inertial pos='0 0 0' mass='.1' diaginertia='.001 .001 .001'/></body></body></body></worldbody>
<actuator><motor name='shoulder' joint='shoulder' gear='2'/><motor name='finger' joint='finger'/></actuator>"""
BARE = ARM.format(comp="", act="")


@pytest.fixture
def joints(carrier):
    def make(mjcf: str = BARE, *others: dict, motion: str = "static", **config):
        entry = {"joint_state": {"rate_hz": 500, **config}}
        engine = carrier(mjcf, entry, *others, motion=motion, pose={"position": [0, 0, 0.1]})
        return engine, engine.ctx.interface.get("bot", "joint_states")

    return make


def test_named_hinges_and_slides_are_reported_without_the_prefix(joints):
    engine, endpoint = joints(motion="physics")
    data = endpoint.read()
    assert data.names == ("shoulder", "finger")
    assert (endpoint.backend["ros2"]["type"], data.stamp_ns) == ("sensor_msgs.msg.JointState", 0)


def test_positions_and_velocities_are_those_of_the_current_state(joints):
    engine, endpoint = joints()
    data = engine.ctx.data
    for _ in range(10):
        engine.step()
        reading = endpoint.read()
        assert reading.position.tolist() == data.qpos[:2].tolist()
        assert reading.velocity.tolist() == data.qvel[:2].tolist()
        assert reading.stamp_ns == engine.ctx.time_ns


def test_joints_come_in_the_order_that_was_asked_for(joints):
    engine, endpoint = joints(joints=["finger", "shoulder"])
    engine.advance(20)
    assert endpoint.read().names == ("finger", "shoulder")
    assert endpoint.read().position.tolist() == engine.ctx.data.qpos[[1, 0]].tolist()


def test_the_effort_is_the_torque_of_the_actuators_at_the_joint(joints):
    engine, endpoint = joints()
    engine.ctx.data.ctrl[:] = [1.5, -0.25]
    engine.step()
    assert endpoint.read().effort == pytest.approx([3.0, -0.25])


@pytest.mark.parametrize("act", ["", "actuatorgravcomp='true'"])
def test_the_effort_includes_gravity_compensation_whoever_carries_it(joints, act):
    """Compensated, the arm rests: what holds it is the weight times its lever."""
    engine, endpoint = joints(ARM.format(comp="gravcomp='1'", act=act))
    engine.step()
    weight = 2 * G * 0.5
    assert endpoint.read().effort[0] == pytest.approx(weight, rel=1e-9)
    engine.ctx.data.ctrl[0] = 1.0
    engine.step()
    assert endpoint.read().effort[0] == pytest.approx(weight + 2.0, rel=1e-3)


def test_errors_are_those_of_the_encoders_and_motors(joints):
    engine, endpoint = joints(position_stddev=0.01, velocity_stddev=0.2, effort_stddev=0.5)
    endpoint.has_subscribers = True
    errors = []
    for _ in range(1500):
        engine.step()
        reading, data = endpoint.read(), engine.ctx.data
        errors.append(
            [
                *(reading.position - data.qpos[:2]),
                *(reading.velocity - data.qvel[:2]),
                *(reading.effort - data.qfrc_actuator[:2]),
            ]
        )
    assert np.std(errors, axis=0) == pytest.approx([0.01, 0.01, 0.2, 0.2, 0.5, 0.5], rel=0.08)
    engine, endpoint = joints(position_resolution=0.01)
    engine.advance(100)
    steps = endpoint.read().position / 0.01
    assert steps == pytest.approx(np.rint(steps))
    assert steps[0] * 0.01 == pytest.approx(engine.ctx.data.qpos[0], abs=0.0051)


def test_a_fault_coarsens_the_encoder(joints):
    engine, endpoint = joints(fault={"position_resolution": 1.0})
    engine.advance(150)
    engine.ctx.interface.get("bot", "fault", "in").write(True)
    engine.step()
    position = endpoint.read().position
    assert position.tolist() == np.rint(position).tolist()
    assert abs(engine.ctx.data.qpos[0] - position[0]) > 1e-3


def test_measuring_writes_nothing_into_the_state(joints):
    engine, endpoint = joints(position_stddev=0.5, velocity_stddev=0.5)
    before = engine.ctx.data.qpos.tolist(), engine.ctx.data.qvel.tolist()
    endpoint.read()
    assert (engine.ctx.data.qpos.tolist(), engine.ctx.data.qvel.tolist()) == before


def test_without_an_entity_all_joints_of_the_world_are_reported(world, tmp_path):
    (tmp_path / "bot.xml").write_text(f"<mujoco>{BARE}</mujoco>")
    spawn = {"spawn_model": {"model": "bot.xml", "motion": "static"}}
    document = {"components": [{**spawn, "name": "a"}, {**spawn, "name": "b"}, {"joint_state": {}}]}
    engine = world(document, base_dir=tmp_path)
    names = engine.ctx.interface.get("", "joint_states").read().names
    assert names == ("a_shoulder", "a_finger", "b_shoulder", "b_finger")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"joints": ["elbow"]}, r"bot\.joint_state\.joints: expected the name of a joint, got 'elbow'"),
        ({"joints": ["shouldr"]}, r"got 'shouldr'; did you mean 'shoulder'\?"),
        ({"joints": ["base_joint"]}, r"bot\.joint_state\.joints: expected"),
    ],
)
def test_a_joint_that_the_entity_does_not_have_is_named(joints, config, expected):
    with pytest.raises(RoqsimError, match=expected):
        joints(**config)


def test_an_entity_without_joints_is_refused(carrier):
    mjcf = "<worldbody><body name='base'><geom size='.1' mass='1'/></body></worldbody>"
    with pytest.raises(RoqsimError, match=r"bot\.joint_state\.joints: expected an entity with hinges or slides"):
        carrier(mjcf, {"joint_state": {}}, motion="static")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{joints: [a, b, a]}", r"js\.joints: expected each joint once, got 'a' again"),
        ("{body: base}", r"js\.body: expected a known key, got 'body'"),
        ("{position_stddev: -1}", r"js\.position_stddev: expected float >= 0"),
        ("{fault: {joints: [a]}}", r"js\.fault\.joints: expected a key that a fault may change, got 'joints'"),
    ],
)
def test_a_wrong_value_is_named_with_its_rule(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(JointStateConfig, loads(config, "w.yaml"), "js")
