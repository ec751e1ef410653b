from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.config.nodes import loads
from roqsim.config.schema import read
from roqsim.errors import ConfigError
from roqsim_sensors.plugins.magnetometer import MagnetometerConfig, earth_field

FIELD = {"strength": 50e-6, "inclination": 1.1, "declination": 0.1}
BLOCK = "<worldbody><body name='base'><geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody>"


@pytest.fixture
def compass(carrier):
    def make(orientation=None, **config):
        entry = {"magnetometer": {**FIELD, **config}}
        pose = {"position": [0, 0, 1], "orientation": orientation or {}}
        engine = carrier(BLOCK, entry, motion="static", pose=pose)
        return engine, engine.ctx.interface.get("bot", "mag")

    return make


@given(st.floats(1e-6, 1e-4), st.floats(-1.5, 1.5), st.floats(-3, 3), st.floats(-3, 3))
def test_strength_inclination_and_declination_are_found_in_the_field(strength, inclination, declination, yaw):
    x, y, z = earth_field(strength, inclination, declination, yaw)
    assert math.hypot(x, y, z) == pytest.approx(strength)
    assert math.atan2(-z, math.hypot(x, y)) == pytest.approx(inclination, abs=1e-9)
    azimuth = math.pi / 2 - (math.atan2(y, x) + yaw)  # from north towards east
    assert math.remainder(azimuth - declination, math.tau) == pytest.approx(0, abs=1e-9)


def test_without_a_declination_the_field_points_north_and_down():
    assert earth_field(50.0, math.pi / 6, 0.0) == pytest.approx((0.0, 50 * math.cos(math.pi / 6), -25.0))


def test_a_positive_declination_points_east_of_north():
    assert earth_field(50.0, 0.0, math.pi / 2) == pytest.approx((50.0, 0.0, 0.0))


@pytest.mark.parametrize("yaw", [0.0, 0.7, -2.0, 3.1])
def test_the_heading_can_be_computed_from_a_level_compass(compass, yaw):
    _, endpoint = compass({"yaw": yaw})
    x, y, _ = endpoint.read().field
    north = math.atan2(y, x)  # where magnetic north is seen from the sensor's x axis
    assert math.remainder(math.pi / 2 - FIELD["declination"] - north - yaw, math.tau) == pytest.approx(0, abs=1e-9)


def test_a_compass_upside_down_sees_the_field_from_below(compass):
    _, upright = compass()
    _, turned = compass({"roll": math.pi})
    x, y, z = upright.read().field
    assert turned.read().field == pytest.approx([x, -y, -z])


def test_hard_iron_turns_with_the_robot_and_soft_iron_bends_what_it_sees(compass):
    iron = {"hard_iron": [1e-5, 0, 2e-5], "soft_iron": [[1.1, 0, 0], [0.2, 1, 0], [0, 0, 0.9]]}
    for orientation in ({}, {"yaw": 1.0, "pitch": 0.4}):
        _, clean = compass(orientation)
        _, bent = compass(orientation, **iron)
        expected = np.array(iron["soft_iron"]) @ clean.read().field + iron["hard_iron"]
        assert bent.read().field == pytest.approx(expected)


def test_noise_resolution_and_range_are_those_of_the_device(compass):
    engine, endpoint = compass(rate_hz=250, stddev=1e-6)
    endpoint.has_subscribers = True
    readings = []
    for _ in range(1200):
        engine.advance(2)
        readings.append(endpoint.read().field)
    assert np.std(readings, axis=0) == pytest.approx([1e-6] * 3, rel=0.08)
    assert np.diag(endpoint.read().covariance) == pytest.approx([1e-12] * 3)
    _, coarse = compass(resolution=1e-5, range=3e-5)
    assert coarse.read().field == pytest.approx([0.0, 2e-5, -3e-5])


def test_a_fault_puts_a_magnet_beside_it(compass):
    engine, endpoint = compass(fault={"hard_iron": [1e-4, 0, 0]})
    before = endpoint.read().field
    engine.ctx.interface.get("bot", "fault", "in").write(True)
    engine.advance(10)
    assert endpoint.read().field - before == pytest.approx([1e-4, 0, 0])


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{inclination: 1}", r"mag\.strength: expected float > 0 and < 0\.01 \(T\), got nothing"),
        ("{strength: 50, inclination: 1}", r"mag\.strength: expected float > 0 and < 0\.01 \(T\), got 50"),
        (
            "{strength: 5e-5, inclination: 64}",
            r"mag\.inclination: expected float >= -1\.5708 and <= 1\.5708 \(rad\), got 64",
        ),
        ("{strength: 5e-5, inclination: 1, soft_iron: [1, 1, 1]}", r"mag\.soft_iron"),
        (
            "{strength: 5e-5, inclination: 1, fault: {yaw: 1}}",
            r"mag\.fault\.yaw: expected a key that a fault may change",
        ),
    ],
)
def test_a_wrong_value_is_named_with_its_rule(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(MagnetometerConfig, loads(config, "w.yaml"), "mag")
