from __future__ import annotations

import math

import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import json_schema, read
from roqsim.errors import ConfigError, RoqsimError
from roqsim.presence import set_present
from roqsim.testing import check_plugin
from roqsim_sensors.plugins.energy_monitor import EnergyMonitor, EnergyMonitorConfig

INERTIA = 0.5 * 2 * 0.1**2
TORQUE = 0.05
DT = 0.002
WHEELS = """<mujoco><worldbody><body name="base">
  <body name="left"><joint name="l" axis="0 0 1"/><geom type="cylinder" size=".1 .02" mass="2"/></body>
  <body name="right" pos="1 0 0"><joint name="r" axis="0 0 1"/><geom type="cylinder" size=".1 .02" mass="2"/></body>
</body></worldbody><actuator><motor name="left" joint="l"/><motor name="right" joint="r"/></actuator></mujoco>"""


@pytest.fixture
def driven(world, tmp_path):
    """Two wheels under a constant torque each: ``driven(capacity=10)`` gives engine and reading."""
    (tmp_path / "wheels.xml").write_text(WHEELS)

    def make(*, torques=(TORQUE, TORQUE), **config):
        spawn = {
            "spawn_model": {"model": "wheels.xml", "motion": "static", "pose": {"position": [0, 0, 1]}},
            "name": "bot",
            "components": [{"energy_monitor": config}],
        }
        elsewhere = {"model": "wheels.xml", "motion": "static", "pose": {"position": [0, 2, 1]}}
        other = {"spawn_model": elsewhere, "name": "other"}
        engine = world({"sim": {"timestep": DT}, "components": [spawn, other]}, base_dir=tmp_path)
        engine.ctx.data.ctrl[:] = [*torques, 1.0, 1.0]
        return engine, engine.ctx.blackboard.require("energy_monitor:bot.energy_monitor")

    return make


def kinetic(torque: float, seconds: float) -> float:
    return (torque * seconds) ** 2 / (2 * INERTIA)


def test_the_energy_of_a_constant_torque_is_exact_at_the_reports_own_stamp(driven):
    engine, state = driven()
    for steps in (1, 1, 8, 490):
        engine.advance(steps)
        report = state()
        assert report.stamp_ns == engine.ctx.solve_time_ns
        seconds = report.stamp_ns * 1e-9
        assert report.energy == pytest.approx(2 * kinetic(TORQUE, seconds), rel=1e-9, abs=1e-12)
        assert report.mechanical_energy == report.energy
        assert report.power == report.mechanical_power


def test_the_power_is_torque_times_speed(driven):
    engine, state = driven()
    engine.advance(501)
    speed = TORQUE / INERTIA * (state().stamp_ns * 1e-9 - DT / 2)
    assert state().power == pytest.approx(2 * TORQUE * speed, rel=1e-9)


def test_named_actuators_are_metered_alone(driven):
    engine, state = driven(actuators=["right"], torques=(1.0, TORQUE))
    engine.advance(501)
    assert state().energy == pytest.approx(kinetic(TORQUE, 1.0), rel=1e-9)


def test_idle_power_efficiency_and_heat_add_up(driven):
    engine, state = driven(idle_power=3.0, efficiency=0.5, heat=100.0)
    engine.advance(501)
    expected = 3.0 + 2 * kinetic(TORQUE, 1.0) / 0.5 + 100.0 * 2 * TORQUE**2
    assert state().energy == pytest.approx(expected, rel=1e-9)
    assert state().mechanical_energy == pytest.approx(2 * kinetic(TORQUE, 1.0), rel=1e-9)


@pytest.mark.parametrize(("braking", "factor"), [("costs", 2.0), ("lost", 1.0), ("recovered", 0.0)])
def test_braking_costs_is_lost_or_is_recovered(driven, braking, factor):
    engine, state = driven(braking=braking)
    engine.advance(500)
    engine.ctx.data.ctrl[:2] = -TORQUE
    engine.advance(501)
    assert state().energy == pytest.approx(factor * 2 * kinetic(TORQUE, 1.0), rel=1e-6, abs=1e-9)
    assert state().mechanical_energy == pytest.approx(0.0, abs=1e-9)


def test_a_battery_is_drained_and_told_in_joules_and_ampere_hours(driven):
    engine, state = driven(torques=(0, 0), idle_power=36.0, capacity=7200.0, initial_charge=0.5, voltage=12.0)
    engine.advance(501)
    report = state()
    assert report.charge == pytest.approx(3600.0 - 36.0)
    assert report.state_of_charge == pytest.approx((3600.0 - 36.0) / 7200.0)
    battery = engine.ctx.interface.get("bot", "battery_state").read()
    assert battery.percentage == report.state_of_charge
    assert (battery.voltage, battery.present) == (12.0, True)
    assert battery.current == pytest.approx(-3.0)
    assert battery.capacity == battery.design_capacity == pytest.approx(7200.0 / 12.0 / 3600.0)
    assert battery.charge == pytest.approx(report.charge / 12.0 / 3600.0)


@pytest.mark.parametrize("failed", [True, False])
def test_an_empty_battery_ends_the_run_at_its_time(driven, failed):
    engine, state = driven(torques=(0, 0), idle_power=10.0, capacity=5.0, stop=True, failed=failed)
    engine.advance(1000)
    assert engine.ctx.stop_reason == "bot.energy_monitor: the battery of bot is empty at 0.500 s"
    assert engine.ctx.stop_failed is failed
    assert engine.ctx.tick == 251
    assert (state().empty, state().charge) == (True, 0.0)


def test_an_empty_battery_ends_nothing_unless_asked_and_a_full_one_takes_no_more(driven):
    engine, state = driven(torques=(0, 0), idle_power=10.0, capacity=5.0)
    engine.advance(1000)
    assert (state().empty, engine.ctx.stop_reason) == (True, None)
    engine, state = driven(torques=(-TORQUE, -TORQUE), braking="recovered", capacity=5.0)
    engine.ctx.data.qvel[:2] = 30.0
    engine.advance(200)
    assert state().energy < -1.0
    assert state().charge == 5.0


def test_without_a_battery_there_is_none_to_report(driven):
    engine, state = driven()
    assert math.isinf(state().charge)
    assert math.isnan(state().state_of_charge)
    assert [endpoint.name for endpoint in engine.streams() if endpoint.owner == "bot"] == ["power", "energy"]


def test_an_absent_robot_draws_nothing(driven):
    engine, state = driven(idle_power=10.0)
    engine.advance(101)
    set_present(engine.ctx, "bot", False)
    engine.advance(1)
    before = state().energy
    engine.advance(200)
    assert (state().energy, state().power) == (before, 0.0)
    set_present(engine.ctx, "bot", True)
    engine.advance(100)
    assert state().energy > before


def test_a_reset_fills_the_battery(driven):
    engine, state = driven(idle_power=10.0, capacity=5.0)
    engine.advance(1000)
    engine.reset()
    report = state()
    assert (report.energy, report.power, report.charge, report.empty) == (0.0, 0.0, 5.0, False)


def test_a_reset_gives_the_same_series_to_the_bit(tmp_path):
    limited = WHEELS.replace('name="left" joint="l"', 'name="left" joint="l" ctrlrange="0 1"')
    (tmp_path / "wheels.xml").write_text(limited)
    document = f"""
    components:
      - spawn_model: {{model: {tmp_path}/wheels.xml, motion: static, pose: {{position: [0, 0, 1]}}}}
        name: bot
        components: [energy_monitor: {{idle_power: 1, capacity: 20, heat: 3, efficiency: 0.7}}]
    """
    check_plugin(EnergyMonitor, document)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{efficiency: 0}", r"e\.efficiency: expected float > 0 and <= 1, got 0"),
        ("{idle_power: -1}", r"e\.idle_power: expected float >= 0 \(W\), got -1"),
        ("{capacity: 0}", r"e\.capacity: expected float > 0 \(J\).*got 0"),
        ("{initial_charge: 2}", r"e\.initial_charge: expected float > 0 and <= 1, got 2"),
        ("{braking: maybe}", r"e\.braking: expected .*costs.*lost.*recovered.*got 'maybe'"),
        ("{stop: true}", r"e\.stop: expected a battery that can be empty, got no 'capacity'"),
    ],
)
def test_a_wrong_value_is_named_with_its_rule(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(EnergyMonitorConfig, loads(config, "w.yaml"), "e")


def test_what_the_world_does_not_have_is_named(driven, world):
    with pytest.raises(RoqsimError, match=r"bot\.energy_monitor\.actuators: .*of an actuator, got 'lef'; did you mean"):
        driven(actuators=["lef"])
    with pytest.raises(RoqsimError, match=r"^energy_monitor: expected an entity with motors, got none"):
        world({"components": [{"energy_monitor": {}}]})


def test_the_schema_describes_every_key():
    properties = json_schema(EnergyMonitorConfig)["properties"]
    assert all(each.get("description") for each in properties.values())
