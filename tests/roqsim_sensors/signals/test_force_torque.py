from __future__ import annotations

import math

import numpy as np
import pytest
from roqsim.errors import ConfigError, RoqsimError
from roqsim.presence import set_present
from roqsim.testing import reset_audit

G = 9.81
HANGING = """<worldbody><body name='base'><geom size='.05' mass='1'/>
<body name='tool' pos='0 0 -.2'><inertial pos='0 0 -.1' mass='1' diaginertia='.01 .01 .01'/>
<site name='flange'/><site name='turned' quat='{quat}'/></body></body></worldbody>"""
LIFT = """<worldbody><body name='base'><geom size='.05' mass='1'/><body name='carriage'>
<joint name='lift' type='slide' axis='0 0 1'/><inertial pos='0 0 0' mass='3' diaginertia='.01 .01 .01'/>
<body name='tool'><inertial pos='.1 0 0' mass='1' diaginertia='.01 .01 .01'/><site name='flange'/></body></body></body>
</worldbody><actuator><motor name='lift' joint='lift' ctrlrange='-1000 1000'/></actuator>"""
UP = {"pose": {"position": [0, 0, 2]}, "motion": "static"}


@pytest.fixture
def sensor(carrier):
    def make(mjcf: str = HANGING.format(quat="1 0 0 0"), *others: dict, seed=None, spawn=UP, **config):
        entry = {"force_torque": {"rate_hz": 100, "site": "flange", **config}}
        engine = carrier(mjcf, entry, *others, seed=seed, **spawn)
        return engine, engine.ctx.interface.get("bot", "wrench")

    return make


@pytest.mark.parametrize("motion", ["static", "driven"])
def test_a_tool_of_one_kilogram_that_hangs_reads_its_weight_upwards(sensor, motion):
    engine, endpoint = sensor(spawn={**UP, "motion": motion})
    for _ in range(2):
        data = endpoint.read()
        assert data.force == pytest.approx([0, 0, G], abs=1e-9)
        assert data.torque == pytest.approx([0, 0, 0], abs=1e-9)
        engine.advance(100)


@pytest.mark.parametrize("roll", [0.5, math.pi / 2, math.pi])
def test_the_weight_is_along_the_worlds_z_axis_in_the_frame_of_a_turned_sensor(sensor, roll):
    expected = [0, G * math.sin(roll), G * math.cos(roll)]
    quat = f"{math.cos(roll / 2)} {math.sin(roll / 2)} 0 0"
    _, by_site = sensor(HANGING.format(quat=quat), site="turned")
    _, by_pose = sensor(pose={"orientation": {"roll": roll}})
    for endpoint in (by_site, by_pose):
        assert endpoint.read().force == pytest.approx(expected, abs=1e-9)


def test_a_weight_beside_the_sensor_is_a_torque_about_it(sensor):
    _, endpoint = sensor(pose={"position": [0.3, 0, 0]})
    assert endpoint.read().force == pytest.approx([0, 0, G], abs=1e-9)
    assert endpoint.read().torque == pytest.approx([0, G * 0.3, 0], abs=1e-9)


def test_a_body_may_be_named_in_place_of_a_site(sensor):
    _, endpoint = sensor(site=None, body="tool")
    assert endpoint.read().force == pytest.approx([0, 0, G])
    assert endpoint.read().frame_id == "tool"


def test_what_is_lifted_weighs_more_by_its_inertia(sensor):
    engine, endpoint = sensor(LIFT)
    endpoint.has_subscribers = True
    engine.ctx.data.ctrl[0] = 4 * (G + 2.0)
    engine.advance(50)
    data = endpoint.read()
    assert data.force == pytest.approx([0, 0, G + 2.0], rel=1e-9)
    assert data.torque == pytest.approx([0, -0.1 * (G + 2.0), 0], rel=1e-9, abs=1e-12)
    assert data.stamp_ns == (engine.ctx.tick - 1) * 2_000_000


def test_in_free_fall_it_reads_nothing(sensor):
    engine, endpoint = sensor(spawn={"pose": {"position": [0, 0, 4]}, "motion": "physics"})
    endpoint.has_subscribers = True
    engine.advance(50)
    assert np.concatenate([endpoint.read().force, endpoint.read().torque]) == pytest.approx([0] * 6, abs=1e-9)


def test_the_wrench_is_that_of_the_solve_that_the_stamp_names(sensor):
    """A ramp of force: each reading has the value that acted in the step before the current state."""
    engine, endpoint = sensor(LIFT, rate_hz=500)
    endpoint.has_subscribers = True
    engine.advance(2)
    for tick in range(2, 30):
        engine.ctx.data.ctrl[0] = 4 * (G + tick)
        engine.step()
        data = endpoint.read()
        assert data.stamp_ns == tick * 2_000_000
        assert data.force[2] == pytest.approx(G + tick, rel=1e-9)


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_tared_sensor_reads_nothing_at_rest_after_every_reset_too(sensor, rounds):
    engine, endpoint = sensor(tare=True)
    for _ in range(rounds):
        engine.reset()
        assert endpoint.read().force[2] == pytest.approx(G)
        engine.advance(5)
        assert endpoint.read().force == pytest.approx([0, 0, 0], abs=1e-9)


def test_a_tare_happens_whether_anybody_watches_or_not(sensor):
    engine, endpoint = sensor(LIFT, tare=True)
    engine.ctx.data.ctrl[0] = 4 * G
    engine.advance(100)
    engine.ctx.data.ctrl[0] = 4 * (G + 5)
    engine.advance(100)
    assert endpoint.read().force[2] == pytest.approx(5.0, rel=1e-6)


def test_a_tare_waits_until_its_time(sensor):
    engine, endpoint = sensor(tare=True, tare_at=0.1)
    engine.advance(49)
    assert endpoint.read().force[2] == pytest.approx(G)
    engine.advance(1)
    assert endpoint.read().force[2] == pytest.approx(0, abs=1e-9)


def test_a_command_tares_and_a_reset_takes_it_back(sensor):
    engine, endpoint = sensor()
    tare = engine.ctx.interface.get("bot", "tare", "in")
    assert tare.backend["ros2"] == {"service": "std_srvs.srv.Trigger", "topic": "wrench/tare"}
    engine.advance(7)
    tare.write(None)
    engine.advance(10)
    assert endpoint.read().force == pytest.approx([0, 0, 0], abs=1e-9)
    engine.reset()
    assert endpoint.read().force == pytest.approx([0, 0, G])

    def disturb(engine):
        tare.write(None)
        engine.advance(20)

    assert reset_audit(engine, 0.2, disturb) == []


def test_a_tare_takes_bias_away_but_not_noise(sensor):
    engine, endpoint = sensor(rate_hz=250, tare=True, force_bias=[1, 2, 3], torque_bias=[0.1, 0, 0], force_stddev=0.2)
    endpoint.has_subscribers = True
    forces = []
    for _ in range(1000):
        engine.advance(2)
        forces.append(endpoint.read().force)
    assert np.mean(forces, axis=0) == pytest.approx([0, 0, 0], abs=0.03)
    assert np.std(forces, axis=0) == pytest.approx([0.2] * 3, rel=0.1)
    assert endpoint.read().torque == pytest.approx([0, 0, 0], abs=1e-12)


def test_a_reading_stops_at_the_range_and_is_whole_steps(sensor):
    _, endpoint = sensor(force_range=5.0)
    assert endpoint.read().force.tolist() == [0, 0, 5.0]
    _, endpoint = sensor(force_resolution=0.25)
    assert endpoint.read().force.tolist() == [0, 0, 9.75]


def test_the_zero_of_a_drifting_sensor_walks(sensor):
    engine, endpoint = sensor(rate_hz=250, force_random_walk=0.5, torque_random_walk=0.02)
    endpoint.has_subscribers = True
    found = []
    for _ in range(1500):
        engine.advance(2)
        data = endpoint.read()
        found.append([*data.force, *data.torque])
    steps = np.diff(found, axis=0).std(axis=0)
    assert steps[:3] == pytest.approx([0.5 * math.sqrt(0.004)] * 3, rel=0.08)
    assert steps[3:] == pytest.approx([0.02 * math.sqrt(0.004)] * 3, rel=0.08)


def test_a_fault_changes_the_bias_while_it_runs(sensor):
    engine, endpoint = sensor(fault={"force_bias": [0, 0, 5]})
    engine.ctx.interface.get("bot", "fault", "in").write(True)
    engine.advance(5)
    assert endpoint.read().force[2] == pytest.approx(G + 5)
    engine.ctx.interface.get("bot", "fault", "in").write(False)
    engine.advance(5)
    assert endpoint.read().force[2] == pytest.approx(G)


def test_an_absent_carrier_is_neither_read_nor_tared(sensor):
    engine, endpoint = sensor(tare=True)
    set_present(engine.ctx, "bot", False)
    engine.advance(20)
    assert endpoint.read() is None
    set_present(engine.ctx, "bot", True)
    engine.advance(5)
    assert endpoint.read().force == pytest.approx([0, 0, 0], abs=1e-9)


def test_two_sensors_of_one_arm_have_commands_of_their_own(sensor):
    second = {"force_torque": {"body": "tool"}, "name": "second"}
    engine, endpoint = sensor(HANGING.format(quat="1 0 0 0"), second)
    engine.ctx.interface.get("bot", "second_tare", "in").write(None)
    assert endpoint.read().force[2] == pytest.approx(G)
    assert engine.ctx.interface.get("bot", "second").read().force == pytest.approx([0, 0, 0], abs=1e-9)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"site": "flnge"}, r"force_torque\.site: expected the name of a site, got 'flnge'; did you mean 'flange'\?"),
        ({"force_stddev": -1}, r"force_torque\.force_stddev: expected float >= 0 \(N\), got -1"),
        ({"fault": {"tare": True}}, r"force_torque\.fault\.tare: expected a key that a fault may change, got 'tare'"),
        ({"topics": {"tara": "x"}}, r"force_torque\.topics: expected the endpoint 'wrench' or 'tare', got 'tara'"),
    ],
)
def test_what_is_wrong_is_named(sensor, config, expected):
    with pytest.raises((ConfigError, RoqsimError), match=expected):
        sensor(**config)


def test_the_world_has_nothing_that_holds_it(world):
    with pytest.raises(
        RoqsimError, match=r"force_torque\.body: expected a part of a moving or mounted body, got the world"
    ):
        world({"components": [{"force_torque": {}}]})
