"""Cameras in lockstep: the simulation waits for pictures, whoever reads them."""

from __future__ import annotations

import random
import time

import pytest
from roqsim.rendering.fake import FakeBackend


class SlowBackend(FakeBackend):
    """Takes a while for every plane, another one each time, and paints how many it has drawn."""

    def __init__(self, seed):
        super().__init__(value=lambda plane, shot: self.count)
        self.count, self._naps = 0, random.Random(seed)

    def draw(self, plane, shot, out):
        self.count += 1
        time.sleep(self._naps.uniform(0.0, 0.004))
        super().draw(plane, shot, out)


@pytest.mark.parametrize("delay", [0.0, 0.023], ids=["prompt", "delayed"])
def test_in_lockstep_what_is_read_at_a_tick_never_depends_on_how_fast_it_is_drawn(rig, delay):
    series = []
    for seed in range(3):
        each = rig(
            backend=SlowBackend(seed), when_busy="lockstep", delay=delay, rate_hz=50, streams=["colour", "depth"]
        )
        each.listen("image", "depth")
        found = []
        for _ in range(100):
            each.engine.step()
            pictures = [each.read("image"), each.read("depth")]
            found.append([(p.stamp_ns, p.data.tobytes()) if p is not None else None for p in pictures])
        assert each.endpoint().counters.dropped == {}
        series.append(found)
    assert series[0] == series[1] == series[2]
    due = [tick - tick % 10 for tick in (t - round(delay / 0.002 + 0.499) for t in range(1, 101))]
    assert [pair[0] and pair[0][0] for pair in series[0]] == [tick * 2_000_000 if tick > 0 else None for tick in due]
