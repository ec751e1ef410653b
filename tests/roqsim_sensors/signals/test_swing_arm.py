"""The demo world of the sensors that a hand or a mast carries: one of each, with noise and faults."""

from __future__ import annotations

import math

import mujoco
import pytest
from roqsim.mj import poses
from roqsim.testing import check_plugin, reset_audit
from roqsim_sensors.plugins.barometer import Barometer
from roqsim_sensors.plugins.force_torque import ForceTorque
from roqsim_sensors.plugins.gnss import Gnss
from roqsim_sensors.plugins.imu import Imu
from roqsim_sensors.plugins.joint_state import JointState
from roqsim_sensors.plugins.magnetometer import Magnetometer

WORLD = "roqsim_sensors:swing_arm"
STREAMS = {"imu", "wrench", "fix", "vel", "mag", "pressure", "joint_states", "tool_truth"}


@pytest.mark.parametrize("cls", [Imu, ForceTorque, Gnss, Magnetometer, Barometer, JointState])
def test_every_sensor_keeps_the_contract(cls):
    check_plugin(cls, WORLD, seconds=0.5)


def test_every_stream_is_there_and_gives_something(world):
    engine = world(WORLD)
    engine.advance(200)
    found = {endpoint.name: endpoint.read() for endpoint in engine.ctx.interface.by_direction("out")}
    assert set(found) == STREAMS
    assert None not in found.values()


def test_unwatched_the_sensors_draw_no_numbers_and_produce_nothing(world):
    engine = world(WORLD, seed=1)
    engine.advance(1000)
    assert {endpoint.counters.produced for endpoint in engine.ctx.interface.by_direction("out")} == {0}
    assert not engine.ctx.model.sensor_needstage.any()


def test_the_sensors_of_the_tool_agree_with_each_other_and_with_the_truth(world):
    engine = world(WORLD)
    engine.advance(500)
    get = engine.ctx.interface.get
    truth, imu = get("rig", "tool_truth").read(), get("rig", "imu").read()
    pitch = poses.to_euler(tuple(truth.quaternion.tolist()))[1]
    assert pitch == pytest.approx(-0.5, abs=1e-3)
    assert imu.linear_acceleration == pytest.approx([9.81 * math.sin(0.5), 0, 9.81 * math.cos(0.5)], abs=0.15)
    assert get("rig", "wrench").read().force == pytest.approx(imu.linear_acceleration, abs=0.3)
    lever = 1.5 * 0.25 + 1.0 * 0.58
    assert get("rig", "joint_states").read().effort == pytest.approx([-9.81 * lever * math.cos(0.5)], rel=1e-3)


def test_every_fault_of_the_world_can_be_switched_while_it_runs(world):
    engine = world(WORLD)
    faults = [endpoint for endpoint in engine.ctx.interface.by_direction("in") if endpoint.name.endswith("fault")]
    assert len(faults) == 5
    for active in (True, False, True):
        for endpoint in faults:
            endpoint.write(active)
        engine.advance(100)
    keys = engine.ctx.blackboard.keys()
    handles = [key for key in keys if key.startswith("sensor_fault:")]
    assert len(handles) == 5
    assert all(engine.ctx.blackboard.require(key).is_active() for key in handles)
    engine.reset()
    assert not any(engine.ctx.blackboard.require(key).is_active() for key in handles)


def test_a_reset_restores_everything_with_delays_faults_and_a_tare_underway(world):
    delays = {
        "imu": 0.012,
        "force_torque": 0.006,
        "gnss": 0.35,
        "magnetometer": 0.1,
        "barometer": 0.05,
        "joint_state": 0.02,
    }
    sets = [f"components.rig.{name}.delay={delay}" for name, delay in delays.items()]
    engine = world(WORLD, overrides=[*sets, "components.rig.force_torque.tare=true"])

    def disturb(engine):
        engine.advance(123)
        for endpoint in engine.ctx.interface.by_direction("in"):
            endpoint.write(True)
        engine.ctx.data.qvel[:] = 2.0
        engine.ctx.state_changed()
        engine.advance(77)

    assert reset_audit(engine, 1.0, disturb) == []


def test_a_late_reader_of_many_sensors_costs_one_solve(world, monkeypatch):
    engine = world(WORLD)
    engine.advance(33)
    solves = []
    real = mujoco.mj_forward
    monkeypatch.setattr(mujoco, "mj_forward", lambda model, data: (solves.append(1), real(model, data)))
    get = engine.ctx.interface.get
    readings = [get("rig", "imu").read(), get("rig", "wrench").read()]
    assert len(solves) <= 2  # the second sensor wakes after the first solve, which the shared copy has to repeat
    engine.ctx.post(lambda ctx: None)
    engine.idle()
    solves.clear()
    readings += [get("rig", "imu").read(), get("rig", "wrench").read()]
    assert len(solves) == 1
    assert {reading.stamp_ns for reading in readings} == {engine.ctx.time_ns}
