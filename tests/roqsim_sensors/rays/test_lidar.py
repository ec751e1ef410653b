from __future__ import annotations

import math

import numpy as np
import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import json_schema, read
from roqsim.errors import ConfigError, RoqsimError
from roqsim.presence import set_present
from roqsim.testing import check_plugin
from roqsim_sensors.plugins.lidar import Lidar, LidarConfig

HALF = 5.0
"""Half the inner width of the built-in room in metres."""

NOISY = """
components:
  - boxes: {instances: [{name: crate, size: [0.4, 0.4, 0.4], pose: {position: [2, 0, 0.8]}}]}
  - lidar:
      pose: {position: [0, 0, 0.5]}
      rays: 90
      rate_hz: 20
      range_min: 0.2
      range_max: 6.0
      range_stddev: 0.01
      range_stddev_relative: 0.02
      range_stddev_relative_from: 2.0
      range_resolution: 0.001
      dropout_percent: 5
"""


def box(name: str, x: float, *, size: float = 1.0, **entry) -> dict:
    """A static cube at the scanner's height whose near face is ``x`` metres away."""
    pose = {"position": [x + size / 2, 0, 1]}
    instance = {"name": name, "size": [size] * 3, "pose": pose}
    return {"boxes": {"motion": "static", "instances": [instance]}, "name": f"{name}s", **entry}


def test_a_square_room_is_measured_in_closed_form(scanner):
    _, endpoint = scanner(rays=720)
    scan = endpoint.read()
    angles = scan.angle_min + scan.angle_increment * np.arange(720)
    expected = HALF / np.maximum(np.abs(np.cos(angles)), np.abs(np.sin(angles)))
    np.testing.assert_allclose(scan.ranges, expected, rtol=1e-6)
    assert (scan.frame_id, scan.stamp_ns, scan.time_increment) == ("world", 0, 0.0)
    assert scan.scan_time == pytest.approx(0.02)
    assert scan.angle_max == pytest.approx(math.pi - scan.angle_increment)
    assert scan.ranges.dtype == np.float32
    assert not scan.ranges.flags.writeable
    assert scan.intensities.size == 0


@pytest.mark.parametrize("yaw", [0.0, 0.3, 1.2, -2.0, 3.0])
def test_angle_zero_is_the_frames_x_axis(scanner, yaw):
    pose = {"position": [1, -2, 1], "orientation": {"yaw": yaw}}
    _, endpoint = scanner(rays=1, angle_min=0, angle_max=0, pose=pose)
    to_x = (math.copysign(HALF, math.cos(yaw)) - 1) / math.cos(yaw)
    to_y = (math.copysign(HALF, math.sin(yaw)) + 2) / math.sin(yaw) if yaw else math.inf
    assert endpoint.read().ranges[0] == pytest.approx(min(to_x, to_y), rel=1e-6)


@pytest.mark.parametrize("pitch", [0.3, 0.5, 1.0])
def test_a_tilted_scanner_meets_the_floor_at_height_over_sine(scanner, pitch):
    pose = {"position": [0, 0, 1], "orientation": {"pitch": pitch}}
    _, endpoint = scanner(rays=1, angle_min=0, angle_max=0, pose=pose)
    assert endpoint.read().ranges[0] == pytest.approx(1 / math.sin(pitch), rel=1e-6)


def test_a_scanner_upside_down_sees_left_and_right_exchanged(scanner):
    upright = {"position": [1, 2, 1]}
    _, above = scanner(rays=4, angle_min=0, angle_max=2 * math.pi, pose=upright)
    _, below = scanner(rays=4, angle_min=0, angle_max=2 * math.pi, pose={**upright, "orientation": {"roll": math.pi}})
    east, north, west, south = above.read().ranges
    np.testing.assert_allclose(below.read().ranges, [east, south, west, north], rtol=1e-6)


def test_clockwise_is_a_negative_increment(scanner):
    _, left = scanner(rays=5, angle_min=-1.0, angle_max=0.5)
    _, right = scanner(rays=5, angle_min=-1.0, angle_max=0.5, clockwise=True)
    one, other = left.read(), right.read()
    np.testing.assert_allclose(one.ranges, other.ranges[::-1], rtol=1e-6)
    assert (other.angle_min, other.angle_max) == pytest.approx((0.5, -1.0))
    assert other.angle_increment == pytest.approx(-one.angle_increment)


def test_limits_turn_distances_into_what_the_device_reports(scanner):
    limits = {"range_min": 0.5, "range_max": 4.0, "rays": 2, "angle_min": 0, "angle_max": 2 * math.pi}
    _, endpoint = scanner(box("near", 0.3), **limits)
    assert endpoint.read().ranges.tolist() == [-math.inf, math.inf]
    _, endpoint = scanner(box("near", 0.3), **limits, too_close="raw", no_return="max+0.5")
    assert endpoint.read().ranges.tolist() == pytest.approx([0.3, 4.5])
    _, endpoint = scanner(box("near", 0.3), **limits, too_close=0.0, no_return="nan")
    ranges = endpoint.read().ranges
    assert ranges[0] == 0.0
    assert math.isnan(ranges[1])


def test_an_absent_box_is_seen_in_the_tick_in_which_it_appears(scanner):
    engine, endpoint = scanner(
        box("spare", 2.0, present=False), rays=1, angle_min=0, angle_max=0, pose={"position": [-1, 0, 1]}
    )
    engine.advance(7)
    assert endpoint.read().ranges[0] == pytest.approx(6.0)
    set_present(engine.ctx, "spare", True)
    assert endpoint.read().ranges[0] == pytest.approx(3.0)
    set_present(engine.ctx, "spare", False)
    assert endpoint.read().ranges[0] == pytest.approx(6.0)


def test_a_scanner_reports_nothing_while_its_carrier_is_absent(world):
    engine = world({"components": [{"spawn_sensor": {"model": "rplidar_a1"}, "name": "eye", "present": False}]})
    endpoint = engine.ctx.interface.get("eye", "scan")
    engine.advance(100)
    assert endpoint.read() is None
    assert endpoint.counters.produced == 0
    set_present(engine.ctx, "eye", True)
    assert endpoint.read().stamp_ns == engine.ctx.time_ns


@pytest.mark.parametrize("seed", [1, 2])
def test_noise_of_a_tick_is_the_same_whoever_reads_when(scanner, seed):
    options = {"range_stddev": 0.02, "dropout_percent": 10, "seed": seed}
    series = []
    for reads in (range(200), [40, 100, 180]):
        engine, endpoint = scanner(**options)
        for tick in range(200):
            if tick in reads:
                endpoint.read()
            engine.step()
        engine.advance(100)
        series.append(endpoint.read())
    assert series[0].stamp_ns == series[1].stamp_ns
    np.testing.assert_array_equal(series[0].ranges, series[1].ranges)


def test_two_scanners_draw_different_noise_and_two_seeds_too(scanner):
    second = {"lidar": {"pose": {"position": [0, 0, 1]}, "rate_hz": 50, "range_stddev": 0.02}, "name": "second"}
    engine, endpoint = scanner(second, range_stddev=0.02, seed=1)
    one, other = endpoint.read().ranges, engine.ctx.interface.get("", "second").read().ranges
    assert not np.array_equal(one, other)
    _, again = scanner(range_stddev=0.02, seed=2)
    assert not np.array_equal(one, again.read().ranges)


def test_noise_without_a_seed_is_refused_naming_the_sensor_and_silence_needs_none(world):
    from roqsim import Engine, load_config_from_dict

    for stddev, fails in ((0.0, False), (0.01, True)):
        engine = Engine(load_config_from_dict({"components": [{"lidar": {"range_stddev": stddev}}]}, "."))
        with engine:
            engine.reset()
            if not fails:
                assert engine.ctx.interface.get("", "scan").read()
                continue
            with pytest.raises(RoqsimError, match=r"^lidar: expected a seed"):
                engine.ctx.interface.get("", "scan").read()


def test_a_reset_gives_the_same_series_to_the_bit(world):
    check_plugin(Lidar, NOISY, seconds=1.0)


def test_a_lidar_of_a_robot_is_fixed_to_a_body_or_site_of_it(world, tmp_path):
    (tmp_path / "bot.xml").write_text(
        "<mujoco><worldbody><body name='base'><geom size='.1'/><site name='eye' pos='.5 0 .2' euler='0 0 90'/>"
        "<body name='mast' pos='0 0 1'><geom size='.05'/></body></body></worldbody></mujoco>"
    )
    spawn = {
        "spawn_model": {"model": "bot.xml", "motion": "static", "namespace": "ns"},
        "name": "bot",
        "components": [
            {"lidar": {"rays": 1, "angle_min": 0, "angle_max": 0}},
            {"lidar": {"site": "eye", "rays": 1, "angle_min": 0, "angle_max": 0}, "name": "low"},
            {"lidar": {"body": "mast", "pose": {"position": [2, 0, 0]}, "rays": 1, "angle_min": 0, "angle_max": 0,
                       "frame_id": "laser", "topics": {"high": "top/scan"}}, "name": "high"},
        ],
    }  # fmt: skip
    engine = world({"components": [spawn]}, base_dir=tmp_path)
    found = {name: engine.ctx.interface.get("bot", name) for name in ("scan", "low", "high")}
    scans = {name: endpoint.read() for name, endpoint in found.items()}
    assert {name: scan.frame_id for name, scan in scans.items()} == {"scan": "base", "low": "eye", "high": "laser"}
    assert {name: scan.ranges[0] for name, scan in scans.items()} == pytest.approx(
        {"scan": HALF, "low": HALF, "high": HALF - 2.0}
    )
    assert found["high"].backend["ros2"] == {
        "type": "sensor_msgs.msg.LaserScan", "topic": "top/scan", "frame_id": "laser",
    }  # fmt: skip
    assert {endpoint.namespace for endpoint in found.values()} == {"ns"}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{rays: 0}", r"lidar\.rays: expected int > 0 and <= 1000000, got 0"),
        ("{rate_hz: 0}", r"lidar\.rate_hz: expected float > 0 \(Hz\), got 0"),
        ("{range_min: 5, range_max: 5}", r"lidar\.range_min: expected less than range_max \(5 m\), got 5\.0"),
        (
            "{range_stddev: 0.1, range_stddev_relative: 0.01}",
            r"lidar\.range_stddev: expected 0 where range_stddev_relative \(0\.01\) holds at every distance, got 0\.1",
        ),
        ("{angle_min: 0, angle_max: -1}", r"lidar\.angle_max: expected between angle_min and one turn beyond it"),
        ("{dropout_percent: 101}", r"lidar\.dropout_percent: expected float >= 0 and <= 100 \(%\), got 101"),
        ("{no_return: raw}", r"lidar\.no_return: expected a value to report, got 'raw' at w\.yaml:1; nothing was"),
        ("{body: a, site: b}", r"lidar\.site: expected a body or a site, not both, got 'b'"),
        ("{range_max: .inf}", r"lidar\.range_max: expected float > 0 \(m\), got"),
        (
            "{range_mx: 3}",
            r"lidar\.range_mx: expected a known key, got 'range_mx' at w\.yaml:1; did you mean 'range_max'\?",
        ),
    ],
)
def test_a_wrong_value_is_named_with_its_rule(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(LidarConfig, loads(config, "w.yaml"), "lidar")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"body": "mast"}, r"lidar\.body: expected the name of a body, got 'mast'"),
        ({"site": "eye"}, r"lidar\.site: expected the name of a site, got 'eye'"),
        ({"rate_hz": 1000}, r"lidar\.post_step: expected a rate <= 500 Hz"),
        ({"topics": {"scna": "x"}}, r"lidar\.topics: expected the endpoint 'scan', got 'scna'"),
    ],
)
def test_what_the_world_does_not_have_is_named(scanner, config, expected):
    with pytest.raises(RoqsimError, match=expected):
        scanner(**config)


def test_the_schema_describes_every_key():
    properties = json_schema(LidarConfig)["properties"]
    assert {"rays", "angle_min", "too_close", "no_return", "range_stddev", "pose"} <= set(properties)
    assert all(each.get("description") for each in properties.values())
