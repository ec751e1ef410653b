from __future__ import annotations

import numpy as np
import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import read
from roqsim.config.world import load_config_from_dict
from roqsim.errors import ConfigError, RoqsimError
from roqsim.sensing.fault import FaultSwitch, FaultValues
from roqsim.testing import reset_audit
from roqsim_sensors.plugins.barometer import BarometerConfig
from roqsim_sensors.plugins.lidar import LidarConfig

FAULTY = {"rays": 4, "angle_min": 0, "angle_max": 3, "fault": {"dropout_percent": 100}}


@pytest.fixture
def barometer(world):
    def make(*others: dict, **config):
        entry = {"barometer": {"rate_hz": 50, "fault": {"bias": 100.0}, **config}}
        engine = world({"sim": {"timestep": 0.002}, "components": [entry, *others]})
        return engine, engine.ctx.interface.get("", "pressure")

    return make


def test_a_command_degrades_the_next_measurement_and_restores_it(barometer):
    engine, endpoint = barometer()
    command = engine.ctx.interface.get("", "fault", "in")
    readings = []
    for tick in range(40):
        if tick in (5, 25):
            command.write(tick == 5)
        readings.append(endpoint.read().pressure)
        engine.step()
    assert readings == [101_325.0] * 10 + [101_425.0] * 20 + [101_325.0] * 10


def test_a_posted_command_is_seen_at_once_by_a_paused_world(barometer):
    engine, endpoint = barometer()
    engine.advance(13)
    assert endpoint.read().pressure == 101_325.0
    engine.ctx.post(lambda ctx: ctx.interface.get("", "fault", "in").write(True))
    engine.idle()
    assert endpoint.read().pressure == 101_425.0


def test_a_script_finds_the_switch_on_the_blackboard(barometer):
    engine, endpoint = barometer()
    switch = engine.ctx.blackboard.require("sensor_fault:barometer", FaultSwitch)
    assert not switch.is_active()
    switch.set_active(True)
    assert switch.is_active()
    assert endpoint.read().pressure == 101_425.0


def test_a_reset_ends_the_fault_and_restores_everything(barometer):
    engine, endpoint = barometer()
    switch = engine.ctx.blackboard.require("sensor_fault:barometer", FaultSwitch)
    switch.set_active(True)
    engine.advance(20)
    engine.reset()
    assert not switch.is_active()
    assert endpoint.read().pressure == 101_325.0
    engine.advance(3)

    def disturb(engine):
        switch.set_active(True)
        engine.advance(50)

    assert reset_audit(engine, 0.2, disturb) == []


def test_a_lidar_loses_every_ray_while_its_fault_is_active(scanner):
    engine, endpoint = scanner(**FAULTY)
    before = endpoint.read().ranges
    assert np.isfinite(before).all()
    engine.ctx.interface.get("", "fault", "in").write(True)
    engine.advance(10)
    assert np.isinf(endpoint.read().ranges).all()
    engine.ctx.interface.get("", "fault", "in").write(False)
    engine.advance(10)
    np.testing.assert_array_equal(endpoint.read().ranges, before)


def test_a_sensor_without_fault_values_has_no_command(barometer):
    engine, _ = barometer(fault=None)
    assert [endpoint.name for endpoint in engine.ctx.interface.by_direction("in")] == []
    assert "sensor_fault:barometer" not in engine.ctx.blackboard


def test_each_sensor_of_an_entity_has_a_command_of_its_own(barometer):
    second = {"barometer": {"rate_hz": 50, "fault": {"bias": 7.0}}, "name": "spare"}
    engine, endpoint = barometer(second)
    spare = engine.ctx.interface.get("", "spare")
    command = engine.ctx.interface.get("", "spare_fault", "in")
    command.write(True)
    assert (endpoint.read().pressure, spare.read().pressure) == (101_325.0, 101_332.0)
    assert command.backend["ros2"] == {"service": "std_srvs.srv.SetBool", "topic": "spare/fault"}


def test_a_transport_may_use_another_topic_for_the_command(barometer):
    engine, _ = barometer(topics={"fault": "break_barometer"})
    assert engine.ctx.interface.get("", "fault").backend["ros2"]["topic"] == "break_barometer"


@pytest.mark.parametrize("payload", [1, "true", None, [True]])
def test_anything_but_true_or_false_is_refused(barometer, payload):
    engine, endpoint = barometer()
    with pytest.raises(RoqsimError, match=r"^fault: expected true or false, got"):
        engine.ctx.interface.get("", "fault", "in").write(payload)
    assert endpoint.read().pressure == 101_325.0


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (
            "{fault: {rays: 10}}",
            r"lidar\.fault\.rays: expected a key that a fault may change, got 'rays' at w\.yaml:1; "
            r"'rays' holds for the whole run; there is 'dropout_percent', ",
        ),
        (
            "{fault: {dropout_procent: 10}}",
            r"lidar\.fault\.dropout_procent: expected a key that a fault may change, got 'dropout_procent' at "
            r"w\.yaml:1; did you mean 'dropout_percent'\?",
        ),
        ("{fault: {range_stddev: -1}}", r"lidar\.fault\.range_stddev: expected float >= 0 \(m\), got -1 at w\.yaml:1"),
        ("{fault: {fault: {}}}", r"lidar\.fault\.fault: expected a key that a fault may change, got 'fault'"),
    ],
)
def test_a_value_that_a_fault_cannot_have_is_named(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(LidarConfig, loads(config, "w.yaml"), "lidar")


def test_every_mistake_of_a_fault_is_reported_at_once():
    with pytest.raises(ConfigError) as caught:
        read(LidarConfig, loads("fault: {rays: 1, range_stddev: no, dropout_percent: 200}", "w.yaml"), "lidar")
    assert len(caught.value.problems) == 3


def test_a_mistake_of_the_healthy_sensor_is_not_blamed_on_the_fault():
    with pytest.raises(ConfigError, match=r"^lidar\.range_min: expected less than range_max"):
        read(LidarConfig, loads("{range_min: 9, range_max: 5, fault: {range_stddev: 1}}", "w.yaml"), "lidar")


def test_severity_can_be_overridden_like_any_other_key():
    raw = {"components": [{"lidar": dict(FAULTY)}]}
    cfg = load_config_from_dict(raw, ".", ["components.lidar.fault.dropout_percent=40"])
    assert cfg.plugins[0].typed.degraded.dropout_percent == 40
    assert cfg.plugins[0].typed.dropout_percent == 0


def test_values_can_be_given_from_python():
    config = BarometerConfig(fault=FaultValues.of(stddev=3.0))
    assert (config.stddev, config.degraded.stddev) == (0.0, 3.0)
    with pytest.raises(ConfigError, match=r"fault\.altitude: expected a key that a fault may change"):
        BarometerConfig(fault=FaultValues.of(altitude=3.0))
