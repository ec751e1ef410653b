"""What a recording costs the loop: two runs of one world in turn, one of them recorded."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from roqsim.engine import Engine
from roqsim.recording import record
from roqsim.testing import world

TURTLEBOT = """
sim: {}
components:
  - spawn_robot: {model: turtlebot4}
    name: robot
    components:
      - diff_drive: {command_timeout: 0, test_cmd: [{at: 0, linear: 0.2, angular: 0.5}]}
"""

STEPS = 8000
"""Steps of one measurement."""

PAIRS = 25
"""How many pairs a ratio is the median of."""


def rows() -> Iterator[tuple[str, float, float]]:
    """The lines of the budget: what, the share of the loop, the largest good share."""
    with tempfile.TemporaryDirectory() as folder:
        for name, fps, budget in (("at 25 Hz", 25.0, 1.01), ("at every step", None, 1.10)):
            for suffix in ("mcap", "npz"):
                yield f"a recording {name} ({suffix}), to the same loop without", _share(folder, fps, suffix), budget


def _share(folder: str, fps: float | None, suffix: str) -> float:
    with world(TURTLEBOT) as plain, world(TURTLEBOT, reset=False) as recorded:
        rate = 1.0 / recorded.ctx.dt if fps is None else fps
        record(recorded, Path(folder) / f"{fps}.{suffix}", rate)
        recorded.reset()
        for engine in (plain, recorded):
            engine.advance(STEPS)
        ratios = []
        for index in range(PAIRS):
            order = (plain, recorded) if index % 2 else (recorded, plain)
            times = {id(engine): _seconds(engine) for engine in order}
            ratios.append(times[id(recorded)] / times[id(plain)])
    return statistics.median(ratios)


def _seconds(engine: Engine) -> float:
    start = time.perf_counter()
    engine.advance(STEPS)
    return time.perf_counter() - start
