"""A sensor that says its state determines it gives in recorded states what a second run of them publishes."""

from __future__ import annotations

import pytest
from roqsim.analysis import rerun, sensors
from roqsim.analysis.selection import Selection
from roqsim.config.world import load_config
from roqsim.engine import Engine
from roqsim.errors import ConfigError
from roqsim.recording import open_recording, record

EVERYTHING = Selection()

SOLVED = "rig/imu"
"""What belongs to the last solve: in a restored state to the state itself, in a run to the one before."""

REMEMBERING = {"rig/wrench"}


@pytest.mark.parametrize("world", ["swing_arm", "lidar_room", "monitors"])
def test_streams_of_the_state_are_the_same_both_ways(world, tmp_path):
    engine = Engine(load_config(f"roqsim_sensors:{world}"), seed=3)
    engine.setup()
    record(engine, tmp_path / "run.mcap", fps=0.2 / engine.ctx.dt)
    engine.reset()
    engine.advance(200)
    engine.shutdown()
    recording = open_recording(tmp_path / "run.mcap")
    engine = recording.rebuild(preview=True)
    compared = 0
    for stream in engine.ctx.interface.by_direction("out"):
        if not stream.stateless:
            assert stream.path in REMEMBERING or world == "monitors"
            continue
        try:
            restored = dict(list(sensors.readings(recording, engine, stream, EVERYTHING)))
        except ConfigError:
            continue
        published = dict(rerun.readings(recording, stream.path, EVERYTHING))
        shared = restored.keys() & published.keys()
        assert shared, stream.path
        if stream.path == SOLVED:
            assert all(cells["stamp_ns"] == round(t * 1e9) for t, cells in restored.items())
            continue
        assert [repr(restored[t]) for t in shared] == [repr(published[t]) for t in shared], stream.path
        compared += 1
    engine.shutdown()
    assert compared >= (0 if world == "monitors" else 1)
