"""Latency, on every sensor there is: what is read late has the stamp of when it was measured."""

from __future__ import annotations

import numpy as np
import pytest

DELAY_STEPS, EVERY, STEP_NS = 7, 10, 2_000_000

BOT = """<worldbody>
  <body name="base" pos="0 0 .5"><geom name="hull" type="cylinder" size=".2 .05" mass="2"/>
    <site name="flange" pos="0 0 .1"/>
    <body name="arm" pos="0 0 .1"><joint name="swing" axis="0 1 0" damping=".1"/>
      <geom name="arm" type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass=".3"/></body>
  </body>
</worldbody>"""

SENSORS = {
    "barometer": {},
    "bumper": {},
    "force_torque": {"site": "flange"},
    "gnss": {"datum": {"latitude": 48.0, "longitude": 11.0}},
    "ground_truth_pose": {},
    "imu": {},
    "joint_state": {},
    "lidar": {"rays": 8},
    "lidar_3d": {"rings": 2, "azimuths": 8},
    "livox_mid360": {},
    "magnetometer": {"strength": 5e-5, "inclination": 1.0},
    "range_sensor": {},
    "seyond_robin_w1g": {},
}
SOLVED = {"force_torque", "imu"}
"""Those whose values belong to the last solve, one step before the tick at which they are measured; but the first one,
for which the current state is solved."""

CAMERAS = {"camera": {"width": 16, "height": 12}, "oakd_camera": {}, "realsense_d435": {}}


def stamps(engine, endpoint, ticks):
    """By tick, the tick of the stamp that is read; None where nothing has arrived."""
    found = {}
    for _ in range(ticks):
        engine.step()
        reading = endpoint.read()
        found[engine.ctx.tick] = None if reading is None else reading.stamp_ns / STEP_NS
    return found


@pytest.fixture
def read(carrier):
    def make(name, ticks, **config):
        rate = {} if name == "bumper" else {"rate_hz": 1e9 / STEP_NS / EVERY}
        entry = {name: {**rate, "delay": DELAY_STEPS * STEP_NS / 1e9, **config}, "name": "device"}
        engine = carrier(BOT, entry, seed=1)
        endpoint = next(e for e in engine.ctx.interface.by_direction("out") if e.component == "bot.device")
        return stamps(engine, endpoint, ticks)

    return make


@pytest.mark.parametrize("name", SENSORS)
def test_a_delayed_reading_keeps_the_stamp_of_its_measurement(read, name):
    found = read(name, 60, **SENSORS[name])
    for tick, stamp in found.items():
        if name == "bumper":  # which feels at every step
            assert stamp == max(tick - 1 - DELAY_STEPS, 0)
            continue
        # The newest due tick whose measurement is old enough by now; the first of an episode is not tick 0.
        early = name in SOLVED and tick >= 2 * EVERY
        newest = (tick - DELAY_STEPS + early) // EVERY * EVERY
        assert stamp == (newest - (early and newest > EVERY) if newest > 0 else None), tick


@pytest.mark.gl
@pytest.mark.parametrize("name", CAMERAS)
def test_a_delayed_picture_keeps_the_stamp_of_its_state(read, name):
    found = read(name, 40, **CAMERAS[name])
    arrived = [stamp for stamp in found.values() if stamp is not None]
    assert arrived and not np.mod(arrived, EVERY).any()
    assert all(stamp is None or 0 <= tick - DELAY_STEPS - stamp < EVERY for tick, stamp in found.items())
