from __future__ import annotations

import math

import numpy as np
import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import json_schema, read
from roqsim.context.ranging import INFRARED, ULTRASOUND
from roqsim.errors import ConfigError
from roqsim.presence import set_present
from roqsim.testing import check_plugin
from roqsim_sensors.plugins.range_sensor import RangeSensor, RangeSensorConfig

TOWARDS_X = {"pose": {"position": [0.4, -0.7, 1.1]}}
AHEAD = 2.1
"""Metres from there to the wall ahead."""


def box(name: str, position: list[float], size: float = 0.4, **entry) -> dict:
    instance = {"name": name, "size": [size] * 3, "pose": {"position": position}}
    return {"boxes": {"motion": "static", "instances": [instance]}, "name": f"{name}s", **entry}


def test_it_reports_the_nearest_of_its_bundle_in_a_closed_room(device, room):
    _, plugin, endpoint = device("range_sensor", field_of_view=0.5)
    expected = room.distances(room.position, plugin.rays() @ room.R_WS.T).min()
    reading = endpoint.read()
    assert reading.range == pytest.approx(expected, rel=1e-6)
    assert (reading.stamp_ns, reading.frame_id, reading.radiation_type) == (0, "world", ULTRASOUND)
    assert (reading.field_of_view, reading.min_range, reading.max_range) == (0.5, 0.0, 30.0)
    assert endpoint.backend["ros2"]["type"] == "sensor_msgs.msg.Range"


def test_a_wall_ahead_is_as_far_as_it_is_and_a_tilted_one_as_near_as_the_cone_reaches(device):
    _, _, endpoint = device("range_sensor", **TOWARDS_X)
    assert endpoint.read().range == pytest.approx(AHEAD, rel=1e-6)
    for tilt in (0.2, -0.4):
        pose = {"position": [0.4, -0.7, 1.1], "orientation": {"yaw": tilt}}
        _, _, endpoint = device("range_sensor", pose=pose, field_of_view=0.2, circles=4)
        assert endpoint.read().range == pytest.approx(AHEAD / math.cos(abs(tilt) - 0.1), rel=1e-6)


@pytest.mark.parametrize(("offset", "is_seen"), [(0.0, True), (0.25, True), (0.45, False), (-0.25, True)])
def test_a_thing_in_the_cone_is_seen_and_one_beside_it_is_not(device, offset, is_seen):
    thing = box("thing", [1.6, -0.7 + offset, 1.1], size=0.2)
    _, _, endpoint = device("range_sensor", thing, field_of_view=0.4, circles=6, **TOWARDS_X)
    near_face = 1.1
    if is_seen:
        assert near_face * (1 - 1e-6) <= endpoint.read().range <= near_face / math.cos(0.2)
    else:
        assert endpoint.read().range == pytest.approx(AHEAD, rel=1e-6)


def test_an_infrared_beam_of_one_ray_sees_past_a_thing_beside_it(device):
    thing = box("thing", [1.6, -0.5, 1.1], size=0.2)
    options = {"radiation": "infrared", "circles": 0, **TOWARDS_X}
    _, _, endpoint = device("range_sensor", thing, **options)
    reading = endpoint.read()
    assert (reading.range, reading.radiation_type) == (pytest.approx(AHEAD, rel=1e-6), INFRARED)


@pytest.mark.parametrize(("yaw", "is_heard"), [(0.0, True), (0.3, True), (0.75, False), (-0.3, True)])
def test_sound_glances_off_a_wall_that_is_met_obliquely(device, yaw, is_heard):
    pose = {"position": [0.4, -0.7, 1.1], "orientation": {"yaw": yaw}}
    _, _, endpoint = device("range_sensor", pose=pose, field_of_view=0.1, incidence_max=0.5)
    if is_heard:
        assert endpoint.read().range == pytest.approx(AHEAD / math.cos(max(abs(yaw) - 0.05, 0.0)), rel=1e-6)
    else:
        assert endpoint.read().range == math.inf


def test_limits_turn_the_nearest_distance_into_what_is_reported(device):
    for limits, options, expected in (
        ({"range_max": 1.0}, {}, math.inf),
        ({"range_max": 1.0}, {"no_return": "max"}, 1.0),
        ({"range_min": 3.0}, {}, -math.inf),
        ({"range_min": 3.0}, {"too_close": "raw"}, AHEAD),
        ({"range_resolution": 0.5}, {}, 2.0),
    ):
        _, _, endpoint = device("range_sensor", **TOWARDS_X, **limits, **options)
        assert endpoint.read().range == pytest.approx(expected, rel=1e-6)


def test_noise_is_that_of_the_reported_distance_and_a_lost_reading_is_no_return(device):
    engine, _, endpoint = device(
        "range_sensor", **TOWARDS_X, range_stddev=0.05, dropout_percent=20, rate_hz=500, seed=4, circles=6
    )
    readings = []
    for _ in range(1500):
        engine.step()
        readings.append(endpoint.read().range)
    readings = np.array(readings)
    lost = np.isinf(readings)
    assert lost.mean() == pytest.approx(0.2, abs=0.04)
    assert readings[~lost].mean() == pytest.approx(AHEAD, abs=0.006)
    assert readings[~lost].std() == pytest.approx(0.05, rel=0.1)


def test_an_absent_box_is_not_seen_and_a_present_one_in_the_same_tick(device):
    engine, _, endpoint = device("range_sensor", box("spare", [1.6, -0.7, 1.1], present=False), **TOWARDS_X)
    engine.advance(3)
    assert endpoint.read().range == pytest.approx(AHEAD, rel=1e-6)
    set_present(engine.ctx, "spare", True)
    assert endpoint.read().range == pytest.approx(1.0, rel=1e-6)


def test_the_plugin_contract_is_kept(room):
    crate = {"name": "crate", "size": [0.4, 0.4, 0.4], "pose": {"position": [1.6, -0.7, 1.5]}}
    entry = {"range_sensor": {**TOWARDS_X, "range_stddev": 0.01, "dropout_percent": 5, "rate_hz": 50}}
    check_plugin(RangeSensor, {"components": [{"boxes": {"instances": [crate]}}, entry]}, seconds=0.5)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{field_of_view: 0}", r"x\.field_of_view: expected float > 0 and < 3\.1416 \(rad\), got 0"),
        ("{circles: -1}", r"x\.circles: expected int >= 0, got -1"),
        ("{radiation: light}", r"x\.radiation: expected .*ultrasound.*, got 'light'"),
        ("{incidence_max: 2}", r"x\.incidence_max: expected float > 0 and <= 1\.5708 \(rad\), got 2"),
        ("{no_return: raw}", r"x\.no_return: expected a value to report, got 'raw'"),
        ("{range_min: 40}", r"x\.range_min: expected less than range_max \(30 m\), got 40"),
    ],
)
def test_a_wrong_value_is_named_with_its_rule(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(RangeSensorConfig, loads(config, "w.yaml"), "x")


def test_the_schema_describes_every_key():
    properties = json_schema(RangeSensorConfig)["properties"]
    assert {"radiation", "field_of_view", "circles", "incidence_max", "too_close", "fault"} <= set(properties)
    assert all(each.get("description") for each in properties.values())
