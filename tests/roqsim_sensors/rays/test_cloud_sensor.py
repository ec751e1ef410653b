"""What every device that measures clouds of points does, whatever its pattern."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import json_schema, read
from roqsim.errors import ConfigError
from roqsim.presence import set_present
from roqsim.raycast.pool import default_threads
from roqsim.testing import check_plugin
from roqsim_sensors.plugins.lidar_3d import Lidar3d, Lidar3dConfig
from roqsim_sensors.plugins.livox_mid360 import LivoxMid360, LivoxMid360Config
from roqsim_sensors.plugins.seyond_robin_w1g import SeyondRobinW1g, SeyondRobinW1gConfig
from roqsim_sensors.rays.ray_sensor import RaySensor

CLASSES = {"lidar_3d": Lidar3d, "livox_mid360": LivoxMid360, "seyond_robin_w1g": SeyondRobinW1g}
CONFIGS = {"lidar_3d": Lidar3dConfig, "livox_mid360": LivoxMid360Config, "seyond_robin_w1g": SeyondRobinW1gConfig}

LARGE = {
    "lidar_3d": {"rings": 16, "azimuths": 300},
    "livox_mid360": {"point_rate": 50_000},
    "seyond_robin_w1g": {"lines": 50, "points": 100},
}
"""Settings with enough rays for a pool."""

each_device = pytest.mark.parametrize("ref", sorted(CLASSES))


def box(name: str, position: list[float], size: float = 0.4, **entry) -> dict:
    instance = {"name": name, "size": [size] * 3, "pose": {"position": position}}
    return {"boxes": {"motion": "static", "instances": [instance]}, "name": f"{name}s", **entry}


@each_device
def test_a_closed_room_is_measured_in_closed_form(device, room, ref):
    _, plugin, endpoint = device(ref)
    rays, cloud = plugin.rays(), endpoint.read()
    expected = room.distances(room.position, rays @ room.R_WS.T)
    np.testing.assert_allclose(np.linalg.norm(cloud.points, axis=1), expected, rtol=1e-6)
    np.testing.assert_allclose(cloud.points, rays * expected[:, None], rtol=1e-6, atol=1e-6)
    assert cloud.points.dtype == np.float32
    assert (cloud.height, cloud.width, cloud.is_dense) == (1, len(rays), True)
    assert (cloud.stamp_ns, cloud.frame_id) == (0, "world")
    assert set(cloud.fields) == {"ring", "time", "intensity"}
    assert not cloud.fields["time"].any()
    assert not any(array.flags.writeable for array in (cloud.points, *cloud.fields.values()))


@each_device
def test_points_put_back_into_the_world_lie_on_its_walls(device, room, ref):
    engine, plugin, endpoint = device(ref)
    first = endpoint.read()
    engine.advance(70)
    cloud = endpoint.read()
    assert np.array_equal(first.points, cloud.points) == plugin.repeats
    points = cloud.points @ room.R_WS.T + room.position
    gap = np.minimum(np.abs(points - room.low), np.abs(points - room.high)).min(axis=1)
    assert gap.max() < 1e-6 * 10
    assert np.all(points > room.low - 1e-5) and np.all(points < room.high + 1e-5)


@each_device
@pytest.mark.parametrize("slices", [1, 5])
def test_the_plugin_contract_is_kept(room, ref, slices):
    noise = {"range_stddev": 0.01, "range_resolution": 0.001, "dropout_percent": 5, "rate_hz": 20}
    crate = {"name": "crate", "size": [0.4, 0.4, 0.4], "pose": {"position": [1.2, 0, 1.5]}}
    entry = {ref: {**noise, "slices": slices, "pose": {"position": room.position.tolist()}}}
    components = [room.component(), {"boxes": {"instances": [crate]}}, entry]
    check_plugin(CLASSES[ref], {"components": components}, seconds=0.3)


@each_device
def test_the_schema_describes_every_key(ref):
    properties = json_schema(CONFIGS[ref])["properties"]
    assert {"slices", "threads", "intensity", "organized", "range_stddev", "fault"} <= set(properties)
    assert all(each.get("description") for each in properties.values())


@each_device
def test_what_is_too_near_or_too_far_is_left_out(device, room, ref):
    _, plugin, endpoint = device(ref, range_min=1.5, range_max=3.0)
    rays, cloud = plugin.rays(), endpoint.read()
    expected = room.distances(room.position, rays @ room.R_WS.T)
    is_seen = (expected >= 1.5) & (expected <= 3.0)
    assert 0 < is_seen.sum() < len(rays)
    np.testing.assert_allclose(np.linalg.norm(cloud.points, axis=1), expected[is_seen], rtol=1e-6)
    np.testing.assert_array_equal(cloud.fields["ring"], plugin.pattern(0).ring[is_seen])
    assert len(cloud.fields["intensity"]) == len(cloud.fields["time"]) == is_seen.sum()


def test_an_organized_cloud_keeps_rows_and_columns_with_nan_for_what_is_missing(device, room):
    options = {"range_max": 3.0, "rings": 4, "azimuths": 60, "elevation_min": -0.3, "elevation_max": 0.3}
    _, plugin, endpoint = device("lidar_3d", organized=True, **options)
    cloud, rays = endpoint.read(), plugin.rays()
    assert (cloud.height, cloud.width, cloud.is_dense) == (4, 60, False)
    expected = room.distances(room.position, rays @ room.R_WS.T).reshape(60, 4).T[::-1]
    found = np.linalg.norm(cloud.points, axis=1).reshape(4, 60)
    np.testing.assert_array_equal(np.isnan(found), expected > 3.0)
    np.testing.assert_allclose(found[expected <= 3.0], expected[expected <= 3.0], rtol=1e-6)
    assert cloud.fields["ring"].reshape(4, 60)[:, 0].tolist() == [3, 2, 1, 0]
    assert not cloud.fields["intensity"][np.isnan(cloud.points[:, 0])].any()
    _, _, endpoint = device("lidar_3d", organized=True)
    assert endpoint.read().is_dense


@each_device
@pytest.mark.parametrize("slices", [1, 2])
def test_threads_change_no_bit(device, ref, slices):
    clouds = []
    for threads in (1, 3):
        crate = {"boxes": {"instances": [{"name": "crate", "size": [0.4] * 3, "pose": {"position": [1.5, 0, 1.8]}}]}}
        options = {"range_stddev": 0.01, "dropout_percent": 10, "intensity": "incidence", "slices": slices}
        engine, plugin, endpoint = device(ref, crate, threads=threads, seed=3, **LARGE[ref], **options)
        engine.advance(100)
        clouds.append(endpoint.read())
        assert (plugin._caster._pool is not None) == (threads > 1)
    one, other = clouds
    np.testing.assert_array_equal(one.points, other.points)
    for name, values in one.fields.items():
        np.testing.assert_array_equal(values, other.fields[name])


def test_threads_end_with_the_simulation_and_not_with_a_reset(device):
    engine, plugin, endpoint = device("lidar_3d", threads=3, **LARGE["lidar_3d"])
    for _ in range(3):
        endpoint.read()
        engine.reset()
    assert sum(thread.name.startswith("rays-") for thread in threading.enumerate()) == 2
    engine.shutdown()
    assert not any(thread.name.startswith("rays-") for thread in threading.enumerate())


def test_a_simulation_steps_and_reads_for_long_and_leaves_no_stack_behind(device):
    crate = {"boxes": {"instances": [{"name": "crate", "size": [0.4] * 3, "pose": {"position": [1.5, 0, 1.8]}}]}}
    engine, plugin, endpoint = device("lidar_3d", crate, threads=4, rate_hz=500, **LARGE["lidar_3d"])
    for _ in range(200):
        engine.step()
        endpoint.read()
        assert engine.ctx.data.pstack == 0
    assert all(data.pstack == 0 for data in plugin._caster._pool._datas)


def test_threads_are_as_many_as_cores_unless_told(device):
    _, plugin, endpoint = device("lidar_3d", **LARGE["lidar_3d"])
    endpoint.read()
    pool = plugin._caster._pool
    assert (pool.threads if pool else 1) == default_threads()


@each_device
def test_intensity_is_the_walls_reflectivity_times_the_cosine(device, room, ref):
    upright = {"pose": {"position": room.position.tolist()}}
    found = {}
    for kind in ("reflectivity", "incidence"):
        engine, plugin, endpoint = device(ref, intensity=kind, **upright)
        engine.ctx.model.geom_rgba[:] = [0.25, 0.25, 0.25, 1]
        engine.ctx.model.geom_matid[:] = -1
        found[kind] = endpoint.read().fields["intensity"]
    rays = plugin.rays()
    lengths = room.distances(room.position, rays)
    ends = room.position + rays * lengths[:, None]
    gaps = np.minimum(np.abs(ends - room.low), np.abs(ends - room.high))
    cosines = np.abs(rays[np.arange(len(rays)), gaps.argmin(axis=1)])
    np.testing.assert_allclose(found["reflectivity"], 25.0, rtol=1e-6)
    np.testing.assert_allclose(found["incidence"], 25.0 * cosines, rtol=1e-5)
    _, _, endpoint = device(ref, intensity="none")
    assert "intensity" not in endpoint.read().fields


@each_device
def test_noise_and_dropout_have_the_asked_size(device, room, ref):
    _, plugin, endpoint = device(ref, **LARGE[ref], range_stddev=0.02, dropout_percent=20, seed=5, organized=True)
    rays = plugin.rays()
    order = plugin.pattern(0).order
    expected = room.distances(room.position, rays @ room.R_WS.T)
    expected = expected if order is None else expected[order]
    found = np.linalg.norm(endpoint.read().points, axis=1)
    lost = np.isnan(found)
    assert lost.mean() == pytest.approx(0.2, abs=0.02)
    errors = (found - expected)[~lost]
    assert errors.mean() == pytest.approx(0.0, abs=0.002)
    assert errors.std() == pytest.approx(0.02, rel=0.1)


@each_device
def test_an_absent_box_is_not_seen_and_a_present_one_in_the_same_tick(device, room, ref):
    engine, plugin, endpoint = device(ref, box("spare", [0.4, -0.7, 1.1], size=1.0, present=False))
    engine.advance(7)
    before = endpoint.read()
    set_present(engine.ctx, "spare", True)
    assert np.linalg.norm(endpoint.read().points, axis=1).max() < 0.9
    set_present(engine.ctx, "spare", False)
    np.testing.assert_array_equal(endpoint.read().points, before.points)


@each_device
def test_an_unwatched_device_casts_nothing_and_starts_no_thread(device, monkeypatch, ref):
    casts = []
    monkeypatch.setattr(RaySensor, "cast", lambda *args: casts.append(args))
    engine, _, _ = device(ref, **LARGE[ref], threads=3)
    engine.advance(500)
    sliced, _, endpoint = device(ref, **LARGE[ref], threads=3, slices=5)
    endpoint.has_subscribers = False
    sliced.advance(500)
    assert not casts
    assert not any(thread.name.startswith("rays-") for thread in threading.enumerate())


@pytest.mark.parametrize(
    ("ref", "config", "expected"),
    [
        ("lidar_3d", "{slices: 0}", r"x\.slices: expected int >= 1, got 0"),
        ("lidar_3d", "{threads: 0}", r"x\.threads: expected int >= 1"),
        ("lidar_3d", "{intensity: colour}", r"x\.intensity: expected .*reflectivity.*, got 'colour'"),
        ("lidar_3d", "{azimuths: 0}", r"x\.azimuths: expected int > 0, got 0"),
        ("lidar_3d", "{rings: 4, elevations: [0.1]}", r"x\.rings: expected elevations or rings, not both, got 4"),
        ("lidar_3d", "{elevations: []}", r"x\.elevations: expected at least one laser, got none"),
        ("lidar_3d", "{elevations: [2]}", r"x\.elevations.*: expected float .*1\.5708.*, got 2"),
        (
            "lidar_3d",
            "{elevation_min: 0.3}",
            r"x\.elevation_max: expected at least elevation_min \(0\.3 rad\)",
        ),
        ("lidar_3d", "{azimuth_offsets: [0.1]}", r"x\.azimuth_offsets: expected 16, one a laser, got 1"),
        ("lidar_3d", "{azimuth_min: 1, azimuth_max: 0}", r"x\.azimuth_max: expected between azimuth_min and one turn"),
        ("livox_mid360", "{point_rate: 5}", r"x\.point_rate: expected a point in each period \(10/s\), got 5"),
        (
            "livox_mid360",
            "{elevation_min: 1}",
            r"x\.elevation_max: expected at least elevation_min \(1 rad\)",
        ),
        ("livox_mid360", "{lines: 0}", r"x\.lines: expected int > 0, got 0"),
        ("seyond_robin_w1g", "{points: 1}", r"x\.points: expected int > 1, got 1"),
        (
            "seyond_robin_w1g",
            "{horizontal_fov: 4}",
            r"x\.horizontal_fov: expected float > 0 and <= 3\.1416",
        ),
        ("seyond_robin_w1g", "{range_min: 80}", r"x\.range_min: expected less than range_max \(70 m\), got 80"),
    ],
)
def test_a_wrong_value_is_named_with_its_rule(ref, config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(CONFIGS[ref], loads(config, "w.yaml"), "x")


def test_a_frame_of_its_own_is_where_the_points_are(device, room):
    """A sensor's ``pose`` moves its frame, so a wall ahead stays ahead in the data."""
    options = {"elevations": [0.0], "azimuths": 1, "azimuth_min": 0.0, "azimuth_max": 0.0}
    pose = {"position": [0.5, 0.5, 1.0], "orientation": {"yaw": math.pi / 2}}
    _, _, endpoint = device("lidar_3d", pose=pose, rings=None, **options)
    np.testing.assert_allclose(endpoint.read().points, [[room.high[1] - 0.5, 0.0, 0.0]], atol=1e-6)
