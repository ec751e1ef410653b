from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from roqsim.config.schema import opt
from roqsim_sensors.rays.ray_sensor import RaySensor, RaySensorConfig


@dataclass(frozen=True, kw_only=True)
class ConeConfig(RaySensorConfig):
    """A cone of rays."""

    opening: float = opt(0.2, gt=0, unit="rad")
    """Half the cone's angle."""


class Cone(RaySensor):
    """Reports the shortest distance in a cone about its x axis: what a further device has to supply."""

    Config = ConeConfig
    stream = "range"
    message = "sensor_msgs.msg.Range"

    def rays(self):
        turns = np.arange(8) * math.pi / 4
        tan = math.tan(self.config.opening)
        ring = np.stack([np.ones(8), tan * np.cos(turns), tan * np.sin(turns)], axis=1)
        return np.vstack([(1.0, 0.0, 0.0), ring])

    def range_model(self):
        return self.config.range_model(too_close=None, no_return=math.inf)

    def payload(self, stamp_ns, ranges):
        return stamp_ns, float(ranges.min()), ranges


@pytest.fixture
def cone(world, monkeypatch):
    monkeypatch.setitem(sys.modules, "cones", sys.modules[__name__])

    def make(**config):
        engine = world({"components": [{"cones:Cone": config, "name": "sonar"}]})
        return engine, engine.ctx.interface.get("", "range")

    return make


def test_a_device_supplies_rays_and_a_payload_and_gets_the_rest(cone):
    engine, endpoint = cone(pose={"position": [1, 0, 1]}, rate_hz=20)
    stamp, shortest, ranges = endpoint.read()
    assert (stamp, shortest) == (0, pytest.approx(4.0))
    assert ranges[1:].tolist() == pytest.approx([4.0 / math.cos(0.2)] * 8, rel=1e-6)
    assert endpoint.backend["ros2"]["type"] == "sensor_msgs.msg.Range"
    endpoint.has_subscribers = True
    engine.advance(endpoint.rate.every_steps)
    assert endpoint.read()[0] == engine.ctx.time_ns


def test_rays_of_any_length_give_metres(cone):
    _, endpoint = cone(pose={"position": [0, 0, 1], "orientation": {"pitch": math.pi / 2}}, opening=0.5)
    _, shortest, ranges = endpoint.read()
    assert shortest == pytest.approx(1.0)
    assert ranges[1:].tolist() == pytest.approx([1.0 / math.cos(0.5)] * 8, rel=1e-6)


def test_the_limits_of_the_base_hold_for_every_device(cone):
    _, endpoint = cone(pose={"position": [0, 0, 1.2]}, range_max=5.05)
    _, shortest, ranges = endpoint.read()
    assert shortest == pytest.approx(5.0)
    assert np.isinf(ranges[1:]).all()
