from __future__ import annotations

import math

import numpy as np
import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import read
from roqsim.errors import ConfigError
from roqsim_sensors.plugins.barometer import BarometerConfig
from roqsim_sensors.signals.atmosphere import height_of, pressure_at

BLOCK = "<worldbody><body name='base'><geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody>"


@pytest.fixture
def barometer(carrier):
    def make(height: float = 0.0, motion: str = "static", **config):
        entry = {"barometer": {"rate_hz": 50, **config}}
        engine = carrier(BLOCK, entry, motion=motion, pose={"position": [0, 0, height]})
        return engine, engine.ctx.interface.get("bot", "pressure")

    return make


def readings(engine, endpoint, count: int) -> np.ndarray:
    endpoint.has_subscribers = True
    found = []
    for _ in range(count):
        engine.advance(endpoint.rate.every_steps)
        found.append(endpoint.read().pressure)
    return np.array(found)


@pytest.mark.parametrize(("height", "altitude"), [(0.0, 0.0), (12.0, 0.0), (3.0, 520.0)])
def test_height_and_altitude_add_up_in_the_standard_atmosphere(barometer, height, altitude):
    _, endpoint = barometer(height, altitude=altitude)
    assert endpoint.read().pressure == pytest.approx(pressure_at(height + altitude))


def test_the_sensor_is_where_its_pose_is(barometer):
    _, endpoint = barometer(1.0, pose={"position": [0, 0, 2.0]})
    assert endpoint.read().pressure == pytest.approx(pressure_at(3.0))


def test_a_fall_is_measured_in_the_state_of_the_stamp(barometer):
    engine, endpoint = barometer(50.0, motion="physics")
    for _ in range(20):
        engine.advance(10)
        n = engine.ctx.tick
        data = endpoint.read()
        assert data.stamp_ns == n * 2_000_000
        assert height_of(data.pressure) == pytest.approx(50 - 0.5 * 9.81 * 0.002**2 * n * (n + 1), abs=1e-6)


def test_the_weather_is_part_of_the_configuration(barometer):
    _, endpoint = barometer(100.0, sea_level_pressure=99_000, sea_level_temperature=270)
    assert endpoint.read().pressure == pytest.approx(pressure_at(100.0, 99_000, 270))


def test_noise_bias_and_resolution_are_those_of_the_device(barometer):
    engine, endpoint = barometer(rate_hz=250, stddev=2.0, bias=30.0)
    found = readings(engine, endpoint, 1500)
    assert found.std() == pytest.approx(2.0, rel=0.06)
    assert found.mean() == pytest.approx(101_355.0, abs=0.2)
    assert endpoint.read().variance == 4.0
    _, coarse = barometer(resolution=10.0)
    assert coarse.read().pressure == 101_320.0


def test_a_drift_wanders_and_a_walk_walks(barometer):
    engine, endpoint = barometer(rate_hz=250, drift=5.0, drift_correlation_time=0.1)
    found = readings(engine, endpoint, 5000)
    assert found.std() == pytest.approx(5.0, rel=0.12)
    assert np.corrcoef(found[25:], found[:-25])[0, 1] == pytest.approx(math.exp(-1), abs=0.1)
    engine, endpoint = barometer(rate_hz=250, random_walk=3.0)
    steps = np.diff(readings(engine, endpoint, 1500))
    assert steps.std() == pytest.approx(3.0 * math.sqrt(0.004), rel=0.06)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{altitude: 30000}", r"barometer\.altitude: expected float >= -1000 and <= 20000 \(m\), got 30000"),
        ("{sea_level_pressure: 1013}", r"barometer\.sea_level_pressure: expected float > 50000 and < 150000 \(Pa\)"),
        ("{sea_level_temperature: 15}", r"barometer\.sea_level_temperature: expected float > 200 and < 350 \(K\)"),
        ("{fault: {random_walk: 1}}", r"barometer\.fault\.random_walk: expected a key that a fault may change"),
    ],
)
def test_a_wrong_value_is_named_with_its_rule(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(BarometerConfig, loads(config, "w.yaml"), "barometer")
