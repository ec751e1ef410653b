from __future__ import annotations

import sys

import numpy as np
import pytest
from roqsim.mj.state import set_body_pose
from roqsim.plugin import Plugin

EVERY = 10
"""Physics steps between two scans of the fixture's lidar: 50 Hz at 2 ms."""

MOVER = {
    "boxes": {
        "motion": "driven",
        "instances": [{"name": "mover", "size": [1, 1, 1], "pose": {"position": [3.5, 0, 1]}}],
    }
}
"""A cube whose near face is 3 m ahead."""

AHEAD = {"rays": 1, "angle_min": 0, "angle_max": 0}


def move(ctx, x: float) -> None:
    """A command that puts the cube's near face ``x`` metres ahead."""
    body = ctx.entities.require("mover").body
    set_body_pose(ctx.model, ctx.data, body, ((x + 0.5, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0)))


def test_an_unwatched_scanner_never_measures(scanner, measurements):
    engine, endpoint = scanner()
    engine.advance(1000)
    assert measurements == []
    assert endpoint.counters.produced == 0


@pytest.mark.parametrize("told", [True, False, None])
def test_a_watched_scanner_measures_at_every_due_tick(scanner, measurements, told):
    engine, endpoint = scanner()
    endpoint.has_subscribers = lambda: told
    engine.advance(100)
    assert measurements == (list(range(EVERY, 101, EVERY)) if told else [])


def test_a_reader_is_served_at_every_due_tick_until_it_stops(scanner, measurements):
    engine, endpoint = scanner()
    for _ in range(25):
        endpoint.read()
        engine.step()
    engine.advance(100)
    assert measurements == [0, 10, 20, 30]


def test_a_scan_is_held_until_the_next_is_due(scanner):
    engine, endpoint = scanner()
    stamps = []
    for _ in range(35):
        stamps.append(endpoint.read().stamp_ns)
        engine.step()
    assert stamps == [tick // EVERY * EVERY * 2_000_000 for tick in range(35)]
    assert endpoint.counters.produced == 4


def test_a_reader_that_comes_late_gets_a_scan_of_now(scanner, measurements):
    engine, endpoint = scanner()
    engine.advance(17)
    assert endpoint.read().stamp_ns == 17 * 2_000_000
    engine.advance(2)
    assert endpoint.read().stamp_ns == 17 * 2_000_000
    engine.advance(1)
    assert endpoint.read().stamp_ns == 20 * 2_000_000
    assert measurements == [17, 20]


@pytest.mark.parametrize("reader_first", [True, False])
def test_a_due_tick_has_one_scan_whoever_comes_first(world, monkeypatch, reader_first, measurements):
    monkeypatch.setitem(sys.modules, "cadence", sys.modules[__name__])
    components = [{"cadence:Reader": {}, "name": "reader"}, {"lidar": {"rate_hz": 50}}]
    engine = world({"sim": {"timestep": 0.002}, "components": components[:: 1 if reader_first else -1]})
    engine.advance(30)
    (reader,) = [plugin for plugin in engine.plugins if plugin.name == "reader"]
    assert reader.ticks == [1] * 9 + [10] * 10 + [20] * 10 + [30]
    assert measurements == [1, 10, 20, 30]


def test_two_scanners_of_one_rate_fire_at_the_same_ticks(scanner, measurements):
    other = {"lidar": {"pose": {"position": [1, 0, 1]}, "rate_hz": 50}, "name": "other"}
    engine, _ = scanner(other)
    for endpoint in engine.ctx.interface.by_direction("out"):
        endpoint.has_subscribers = True
    engine.advance(40)
    assert measurements == [10, 10, 20, 20, 30, 30, 40, 40]
    assert engine.due(40) == [("lidar", "post_step"), ("other", "post_step")]
    assert engine.due(41) == []


def test_after_a_reset_everything_is_due_again_from_the_first_due_step(scanner, measurements):
    engine, endpoint = scanner(range_stddev=0.01)
    endpoint.has_subscribers = True
    engine.advance(44)
    engine.reset()
    measurements.clear()
    engine.advance(20)
    assert measurements == [10, 20]


def test_straight_after_a_reset_the_scan_is_of_the_reset_state(scanner):
    engine, endpoint = scanner(MOVER, **AHEAD)
    move(engine.ctx, 1.5)
    engine.ctx.state_changed()
    engine.advance(13)
    assert endpoint.read().ranges[0] == pytest.approx(1.5)
    engine.reset()
    scan = endpoint.read()
    assert (scan.stamp_ns, scan.ranges[0]) == (0, pytest.approx(3.0))


def test_a_paused_world_shows_what_a_command_moved_without_a_step(scanner):
    engine, endpoint = scanner(MOVER, **AHEAD)
    engine.advance(13)
    assert endpoint.read().ranges[0] == pytest.approx(3.0)
    for distance in (2.0, 1.0):
        engine.ctx.post(lambda ctx, distance=distance: move(ctx, distance))
        engine.idle()
        scan = endpoint.read()
        assert (scan.stamp_ns, scan.ranges[0]) == (13 * 2_000_000, pytest.approx(distance))


def test_a_command_while_running_waits_for_the_next_scan(scanner):
    engine, endpoint = scanner(MOVER, **AHEAD)
    engine.advance(12)
    endpoint.read()
    engine.ctx.post(lambda ctx: move(ctx, 1.0))
    ranges = []
    for _ in range(8):
        engine.step()
        ranges.append(float(endpoint.read().ranges[0]))
    assert ranges == pytest.approx([3.0] * 7 + [1.0])


def test_stamp_and_ranges_belong_to_one_state(world):
    plate = {"name": "plate", "size": [2, 2, 0.1], "pose": {"position": [0, 0, 2]}}
    up = {"position": [0, 0, 0.5], "orientation": {"pitch": -np.pi / 2}}
    lidar = {"pose": up, "rays": 1, "angle_min": 0, "angle_max": 0, "rate_hz": 100}
    engine = world({"sim": {"timestep": 0.002}, "components": [{"boxes": {"instances": [plate]}}, {"lidar": lidar}]})
    endpoint = engine.ctx.interface.get("", "scan")
    for _ in range(30):
        engine.advance(5)
        n = engine.ctx.tick
        height = 2.0 - 0.05 - 0.5 * 9.81 * 0.002**2 * n * (n + 1)
        scan = endpoint.read()
        assert scan.stamp_ns == n * 2_000_000
        assert scan.ranges[0] == pytest.approx(height - 0.5, abs=2e-6)


def test_measuring_leaves_the_trajectory_as_it_is(world):
    states = []
    for watched in (False, True):
        engine = world("roqsim_sensors:lidar_room")
        engine.ctx.interface.get("scanner", "scan").has_subscribers = watched
        engine.advance(400)
        states.append(engine.ctx.data.qpos.tobytes() + engine.ctx.data.qvel.tobytes())
    assert states[0] == states[1]


class Reader(Plugin):
    """Reads the scan after every step and keeps the tick of each."""

    def configure(self, ctx):
        self.ticks = []

    def post_step(self, ctx):
        self.ticks.append(ctx.interface.get("", "scan").read().stamp_ns // 2_000_000)
