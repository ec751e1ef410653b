from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.config.nodes import loads
from roqsim.config.schema import json_schema, read
from roqsim.errors import ConfigError, RoqsimError
from roqsim.testing import check_plugin
from roqsim_sensors.plugins.upright_monitor import UprightMonitor, UprightMonitorConfig, tilt, up

POST = {"name": "post", "size": [0.1, 0.1, 1.0], "mass": 2.0}


@pytest.fixture
def standing(world):
    """A post that stands, or leans by a roll angle: ``standing(0.2, max_tilt=0.5)`` gives engine and reading."""

    def make(roll: float = 0.0, *, lift: float = 0.5, sim: dict | None = None, **config):
        post = {**POST, "pose": {"position": [0, 0, lift], "orientation": {"roll": roll}}}
        document = {
            "sim": {"timestep": 0.002, **(sim or {})},
            "components": [{"boxes": {"instances": [post]}}, {"upright_monitor": {"entity": "post", **config}}],
        }
        engine = world(document)
        return engine, engine.ctx.blackboard.require("upright_monitor:upright_monitor")

    return make


@pytest.mark.parametrize("roll", [0.0, 1e-9, 0.3, 1.5, math.pi])
def test_the_tilt_is_the_angle_to_the_vertical(standing, roll):
    _, state = standing(roll, lift=3.0)
    assert state().tilt == pytest.approx(roll, abs=1e-12)


def test_a_post_that_stands_is_upright(standing):
    engine, state = standing()
    engine.advance(1000)
    report = state()
    assert (report.fallen, report.count) == (False, 0)
    assert report.tilt < 1e-6
    assert report.stamp_ns == engine.ctx.time_ns


@pytest.mark.parametrize("failed", [True, False])
def test_a_fall_is_counted_and_ends_the_run_where_asked(standing, failed):
    engine, state = standing(0.3, lift=0.55, stop=True, failed=failed)
    engine.advance(2000)
    assert engine.ctx.stop_reason.startswith("upright_monitor: post fell, tilted by 0.7")
    assert engine.ctx.stop_failed is failed
    assert (state().fallen, state().count) == (True, 1)
    assert math.pi / 4 < state().tilt < 0.9


def test_a_short_lean_is_no_fall(standing):
    engine, state = standing(0.6, lift=5.0, max_tilt=0.5, min_time=0.2, rate_hz=100)
    engine.advance(95)
    assert not state().fallen
    engine.advance(15)
    assert state().fallen
    engine, state = standing(0.6, lift=5.0, max_tilt=0.5, min_time=0.2, rate_hz=100)
    engine.advance(50)
    engine.ctx.data.qpos[3:7] = [1, 0, 0, 0]
    engine.ctx.state_changed()
    assert state().tilt == pytest.approx(0.0, abs=1e-9)
    engine.advance(100)
    assert (state().fallen, state().count) == (False, 0)


def test_up_is_against_gravity(standing):
    _, state = standing(sim={"gravity": [0, 9.81, 0]}, lift=3.0)
    assert state().tilt == pytest.approx(math.pi / 2)
    assert up(np.zeros(3)).tolist() == [0, 0, 1]


@given(st.floats(0, math.pi), st.floats(-3, 3), st.floats(-3, 3), st.floats(-3, 3))
def test_the_angle_between_two_axes_is_exact(angle, a, b, c):
    first = np.array([a, b, c])
    if np.linalg.norm(first) < 1e-3:
        return
    first /= np.linalg.norm(first)
    across = np.cross(first, [1.0, 0, 0] if abs(first[0]) < 0.5 else [0, 1.0, 0])
    across /= np.linalg.norm(across)
    assert tilt(first, math.cos(angle) * first + math.sin(angle) * across) == pytest.approx(angle, abs=1e-12)


def test_a_reset_gives_the_same_series_to_the_bit():
    lean = "{name: post, size: [0.1, 0.1, 1], pose: {position: [0, 0, 0.55], orientation: {roll: 0.3}}}"
    check_plugin(UprightMonitor, f"components: [boxes: {{instances: [{lean}]}}, upright_monitor: {{entity: post}}]\n")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{max_tilt: 0}", r"u\.max_tilt: expected float > 0 and <= 3\.14.* \(rad\), got 0"),
        ("{min_time: -1}", r"u\.min_time: expected float >= 0 \(s\), got -1"),
    ],
)
def test_a_wrong_value_is_named_with_its_rule(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(UprightMonitorConfig, loads(config, "w.yaml"), "u")


def test_what_the_world_does_not_have_is_named(standing, world):
    with pytest.raises(RoqsimError, match=r"upright_monitor\.body: expected the name of a body, got 'pots'"):
        standing(body="pots")
    with pytest.raises(RoqsimError, match=r"^upright_monitor: expected an entity to watch, got none"):
        world({"components": [{"upright_monitor": {}}]})


def test_the_schema_describes_every_key():
    assert all(each.get("description") for each in json_schema(UprightMonitorConfig)["properties"].values())
