"""Sweeps that take time: each slice is cast from the state of its own tick."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from roqsim.errors import RoqsimError
from roqsim.presence import set_present
from roqsim_sensors.rays.ray_sensor import RaySensor
from roqsim_sensors.rays.sliced_sensor import dividing

DT = 0.002
EVERY = 50
"""Steps of a period at 10 Hz."""

EYE = np.array([0.1, 0.0, 0.05])
"""Where the sensor stands on the table, in metres."""

TABLE = """
<worldbody>
  <body name="table" pos="0.4 -0.7 1.1" gravcomp="1">
    <joint name="slide" type="slide" axis="1 0 0"/>
    <joint name="turn" axis="0 0 1"/>
    <geom type="cylinder" size=".02 .02" mass="10"/>
    <site name="eye" pos="0.1 0 0.05"/>
  </body>
</worldbody>
"""


@pytest.fixture
def turntable(world, tmp_path, room):
    """A device on a table that turns and slides at steady rates: gives engine, plugin and endpoint."""
    (tmp_path / "table.xml").write_text(f"<mujoco>{TABLE}</mujoco>")

    def make(ref: str = "lidar_3d", *, turn: float = 0.0, slide: float = 0.0, seed: int | None = None, **config):
        sizes = {"lidar_3d": {"rings": 8, "azimuths": 90}, "livox_mid360": {"point_rate": 20_000}}.get(ref, {})
        entry = {ref: {"site": "eye", "rate_hz": 10, **sizes, **config}}
        spawn = {"spawn_model": {"model": "table.xml", "prefix": ""}, "name": "table", "components": [entry]}
        document = {"sim": {"timestep": DT}, "components": [room.component(), spawn]}
        engine = world(document, base_dir=tmp_path, seed=seed)
        engine.ctx.data.qvel[:] = (slide, turn)
        engine.ctx.state_changed()
        plugin = next(plugin for plugin in engine.plugins if plugin.address == f"table.{ref}")
        return engine, plugin, engine.ctx.interface.get("table", plugin.stream)

    return make


def swept(room, rays: np.ndarray, times: np.ndarray, turn: float, slide: float) -> np.ndarray:
    """``(n,)`` distances of ``(n, 3)`` rays that are fired at ``(n,)`` seconds from the moving table."""
    cos, sin = np.cos(turn * times), np.sin(turn * times)

    def turned(vectors):
        x, y, z = np.broadcast_to(vectors, (len(times), 3)).T
        return np.stack([x * cos - y * sin, x * sin + y * cos, z], axis=1)

    middle = np.array([0.4, -0.7, 1.1]) + np.outer(times, [slide, 0.0, 0.0])
    return room.distances(middle + turned(EYE), turned(rays))


@pytest.mark.parametrize(("turn", "slide"), [(0.0, 0.0), (2.0, 0.0), (-9.0, 0.5), (0.0, -1.5)])
@pytest.mark.parametrize("slices", [2, 10, 50])
def test_a_turning_robot_in_a_room_sees_each_slice_at_its_own_time(turntable, room, turn, slide, slices):
    engine, plugin, endpoint = turntable(turn=turn, slide=slide, slices=slices)
    engine.advance(3 * EVERY)
    cloud, pattern = endpoint.read(), plugin.pattern(0)
    steps = EVERY // slices
    first = 2 * EVERY + steps
    number = np.floor(pattern.phase * slices + 1e-9)
    times = (first + number * steps) * DT
    assert cloud.stamp_ns == round(first * DT * 1e9)
    np.testing.assert_allclose(cloud.fields["time"], times - first * DT, atol=1e-8)
    expected = swept(room, pattern.directions, times, turn, slide)
    np.testing.assert_allclose(np.linalg.norm(cloud.points, axis=1), expected, rtol=1e-6)
    np.testing.assert_allclose(cloud.points, pattern.directions * expected[:, None], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("clockwise", [False, True])
@pytest.mark.parametrize("slices", [5, 50])
def test_a_planar_scan_of_a_turning_robot_is_distorted_as_its_time_increment_says(turntable, room, slices, clockwise):
    rays = 360
    engine, plugin, endpoint = turntable("lidar", turn=3.0, slide=0.4, slices=slices, rays=rays, clockwise=clockwise)
    engine.advance(2 * EVERY - 1)
    assert endpoint.read().stamp_ns < EVERY * DT * 1e9, "the sweep of the period before"
    engine.advance(1)
    scan, steps = endpoint.read(), EVERY // slices
    first = EVERY + steps
    times = (first + np.arange(rays) * slices // rays * steps) * DT
    assert scan.stamp_ns == round(first * DT * 1e9)
    assert scan.time_increment == pytest.approx(EVERY * DT / rays)
    # What a user of the message takes for the time of a ray is right within a slice.
    assert np.abs(first * DT + np.arange(rays) * scan.time_increment - times).max() <= steps * DT
    expected = swept(room, plugin.rays(), times, 3.0, 0.4)
    np.testing.assert_allclose(scan.ranges, expected, rtol=1e-6)
    still = swept(room, plugin.rays(), np.full(rays, first * DT), 3.0, 0.4)
    assert np.abs(scan.ranges - still).max() > 0.05


def test_a_turning_robot_that_sweeps_at_once_sees_the_room_of_one_instant(turntable, room):
    engine, plugin, endpoint = turntable(turn=3.0, slices=1)
    engine.advance(2 * EVERY)
    cloud, rays = endpoint.read(), plugin.rays()
    expected = swept(room, rays, np.full(len(rays), 2 * EVERY * DT), 3.0, 0.0)
    np.testing.assert_allclose(np.linalg.norm(cloud.points, axis=1), expected, rtol=1e-6)
    assert (cloud.stamp_ns, cloud.fields["time"].max()) == (engine.ctx.time_ns, 0.0)


def test_a_scan_that_never_repeats_goes_on_from_period_to_period(turntable, room):
    engine, plugin, endpoint = turntable("livox_mid360", turn=2.0, slices=10)
    for period in range(3):
        engine.advance(EVERY)
        cloud, pattern = endpoint.read(), plugin.pattern(period)
        times = (EVERY * period + 5 + np.floor(pattern.phase * 10 + 1e-9) * 5) * DT
        expected = swept(room, pattern.directions, times, 2.0, 0.0)
        np.testing.assert_allclose(cloud.points, pattern.directions * expected[:, None], rtol=1e-6, atol=1e-6)


def test_a_sweep_is_read_when_it_is_complete_and_held_until_the_next(turntable):
    engine, _, endpoint = turntable(turn=1.0, slices=10)
    assert endpoint.read() is None
    engine.advance(EVERY - 1)
    assert endpoint.read() is None
    engine.advance(1)
    cloud = endpoint.read()
    assert cloud.stamp_ns == round(5 * DT * 1e9)
    engine.advance(EVERY - 1)
    assert endpoint.read() is cloud
    engine.advance(1)
    assert endpoint.read().stamp_ns == round((EVERY + 5) * DT * 1e9)
    assert endpoint.counters.produced == 2


def test_who_reads_when_makes_no_difference(turntable):
    series = []
    for reads in (range(151), [0, 7, 120], []):
        engine, _, endpoint = turntable(turn=1.0, slices=5, range_stddev=0.01, seed=2)
        for tick in range(150):
            if tick in reads:
                endpoint.read()
            engine.step()
        series.append(endpoint.read())
    for other in series[1:]:
        assert other.stamp_ns == series[0].stamp_ns
        np.testing.assert_array_equal(other.points, series[0].points)


def test_a_listener_that_comes_in_the_middle_gets_the_next_whole_sweep(turntable):
    engine, _, endpoint = turntable(turn=1.0, slices=10)
    endpoint.has_subscribers = False
    engine.advance(EVERY + 20)
    endpoint.has_subscribers = True
    engine.advance(EVERY - 20)
    assert endpoint.read() is None
    engine.advance(EVERY)
    assert endpoint.read().stamp_ns == round((2 * EVERY + 5) * DT * 1e9)


def test_slices_are_cast_no_more_when_the_listener_goes(turntable, monkeypatch):
    engine, _, endpoint = turntable(slices=10)
    endpoint.has_subscribers = True
    for _ in range(3):
        engine.advance(EVERY)
        endpoint.read()
    endpoint.has_subscribers = False
    engine.advance(EVERY)
    casts = []
    monkeypatch.setattr(RaySensor, "cast", lambda *args: casts.append(args))
    engine.advance(10 * EVERY)
    assert not casts


def test_a_delay_counts_from_the_stamp(turntable):
    engine, _, endpoint = turntable(slices=10, delay=0.15)
    engine.advance(5 + 75 - 1)
    assert endpoint.read() is None
    engine.advance(1)
    assert endpoint.read().stamp_ns == round(5 * DT * 1e9)


def test_a_reset_in_the_middle_of_a_sweep_starts_a_new_one(turntable):
    engine, _, endpoint = turntable(turn=1.0, slices=10)
    engine.advance(EVERY + 17)
    engine.reset()
    assert endpoint.read() is None
    engine.advance(EVERY)
    assert endpoint.read().stamp_ns == round(5 * DT * 1e9)


def test_a_carrier_that_goes_takes_its_sweep_with_it(turntable):
    engine, _, endpoint = turntable(slices=10)
    engine.advance(EVERY)
    assert endpoint.read() is not None
    set_present(engine.ctx, "table", False)
    assert endpoint.read() is None
    engine.advance(10)
    set_present(engine.ctx, "table", True)
    engine.advance(EVERY - 10)
    assert endpoint.read() is None
    engine.advance(EVERY)
    assert endpoint.read().stamp_ns == round((2 * EVERY + 5) * DT * 1e9)


def test_slices_are_the_most_that_divide_the_period():
    assert [dividing(50, limit) for limit in (1, 7, 24, 50, 99)] == [1, 5, 10, 50, 50]
    assert dividing(7, 6) == 1


def test_a_number_of_slices_that_does_not_divide_the_period_is_announced(turntable, caplog):
    with caplog.at_level(logging.INFO, logger="roqsim"):
        _, plugin, _ = turntable(slices=7)
    assert "table.lidar_3d.slices: a period of 50 steps is cast in 5 slices, not 7" in caplog.text
    assert len(plugin._slices) == 5


def test_a_rate_above_physics_is_refused(turntable):
    with pytest.raises(RoqsimError, match=r"table\.lidar_3d\.post_step: expected a rate <= 500 Hz"):
        turntable(rate_hz=1000, slices=2)


def test_slices_of_a_large_cloud_are_shared_among_threads_to_the_same_bits(turntable):
    clouds = []
    for threads in (1, 3):
        engine, _, endpoint = turntable(turn=4.0, slices=2, rings=16, azimuths=400, threads=threads)
        engine.advance(EVERY)
        clouds.append(endpoint.read().points)
    np.testing.assert_array_equal(*clouds)
    assert len(clouds[0]) == 16 * 400
