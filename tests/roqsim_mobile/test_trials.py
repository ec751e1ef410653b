"""The trials of a campaign with a robot whose devices have rates of their own."""

from __future__ import annotations

import os

import pytest
from roqsim.rendering.fake import FakeBackend
from roqsim.scenario_adapter import MujocoSim

SECONDS_BETWEEN = 30.0


@pytest.fixture
def sim(monkeypatch):
    """A TurtleBot 4 with scanner, camera and IMU, as a scenario steps it; nothing is drawn."""
    for name in [name for name in os.environ if name.startswith("ROQSIM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setattr("roqsim.rendering.service._classic", lambda: FakeBackend())
    sim = MujocoSim("roqsim_mobile:turtlebot4_empty", seed=3)
    sim.reset(headless=True)
    yield sim
    sim.shutdown()


def published(sim, seconds):
    """By endpoint: the due ticks at which a transport reads it, and the stamps that it gets."""
    ctx = sim.context
    streams = [each for each in ctx.interface.by_direction("out") if each.rate is not None and each.rate.every_steps]
    found = {each.path: [] for each in streams}
    for _ in range(round(seconds / sim.dt)):
        sim.step()
        for each in streams:
            if ctx.tick % each.rate.every_steps == 0:
                payload = each.read()
                found[each.path].append((ctx.tick, None if payload is None else payload.stamp_ns))
    return found


def test_after_a_reset_every_device_publishes_from_its_first_due_step_on(sim):
    published(sim, 0.5)
    for _ in range(round(SECONDS_BETWEEN / sim.dt)):
        sim.step()
    sim.reset(headless=True)
    series = published(sim, 1.0)
    rates = {each.path: each.rate.every_steps for each in sim.context.interface.by_direction("out") if each.rate}
    assert {"robot/imu", "robot.rplidar/scan", "robot.oakd/image"} <= set(series)
    for path, samples in series.items():
        ticks = [tick for tick, _ in samples]
        every = rates[path]
        assert ticks == list(range(every, round(1.0 / sim.dt) + 1, every)), path
        stamps = [stamp for _, stamp in samples]
        assert None not in stamps, path
        # What belongs to the last solve is stamped one step earlier, but for the first measurement after a rest.
        late = [round(tick * sim.dt * 1e9) - stamp for tick, stamp in samples]
        assert 0 <= late[0] <= round(sim.dt * 1e9), path
        assert len(set(late[1:])) <= 1, path
        assert late[-1] in (0, round(sim.dt * 1e9)), path


def test_a_trial_gives_the_same_series_whatever_ran_before_it(sim):
    sim.context.seed = 3
    first = published(sim, 0.4)
    other = MujocoSim("roqsim_mobile:turtlebot4_empty", seed=3)
    other.reset(headless=True)
    try:
        assert published(other, 0.4) == first
    finally:
        other.shutdown()
