"""Every world that the packages ship: recorded, built again from the recording alone, and continued to the bit."""

from __future__ import annotations

import pytest
from roqsim.mj.state import take
from roqsim.recording import open_recording, record
from roqsim.worlds import list_worlds

SECONDS = 2.0

OURS = sorted(asset.ref for asset in list_worlds() if asset.package and asset.package.startswith("roqsim"))


@pytest.mark.needs("roqsim_mobile")
def test_there_are_worlds_to_test():
    assert len(OURS) >= 15


@pytest.mark.slow
@pytest.mark.parametrize("ref", OURS)
def test_a_shipped_world_goes_on_from_a_sample_as_the_run_did(folder, world, ref):
    engine = world(ref, reset=False)
    record(engine, "run.mcap", 25.0)
    engine.reset()
    engine.advance(round(SECONDS / engine.ctx.dt))
    engine.shutdown()
    recording = open_recording("run.mcap")
    middle = recording.at(SECONDS / 2)
    resumed = recording.resume(middle)
    for sample in list(recording)[middle.index :]:
        while resumed.ctx.tick < sample.tick:
            resumed.advance(sample.tick - resumed.ctx.tick)
        assert take(resumed.ctx.model, resumed.ctx.data).tobytes() == sample.state.tobytes(), sample.tick
    resumed.shutdown()
    restored = recording.rebuild(preview=True)
    recording.restore(restored, middle)
    assert take(restored.ctx.model, restored.ctx.data).tobytes() == middle.state.tobytes()
    restored.shutdown()
