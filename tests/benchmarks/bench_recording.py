"""What a recording costs the loop, in rows of the performance budget: one engine, recorded in every second episode."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from roqsim.engine import Engine
from roqsim.recording import Recorder
from roqsim.recording.mcap_sink import McapSink
from roqsim.testing import world

WORLD = "roqsim_mobile:turtlebot4_room"
"""A robot that drives through a furnished room, its lidar watched."""

SECONDS = 2.0
"""Simulated seconds of one measurement."""

ORDER = (True, False, False, True)
"""Which episodes of a round are recorded; in this order a drift hits both kinds alike."""

ROUNDS = 100
"""How many rounds a ratio is the median of: what a sample at 25 Hz costs is as small as what one round errs by."""

NEVER = 2**40
"""More ticks than an episode has."""


class Switched:
    """A recorder that looks on only in some episodes, so that one engine is measured with it and without."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder, self._rate = recorder, recorder.every_steps
        self.is_on = False

    @property
    def every_steps(self) -> int:
        """Ticks between two samples."""
        return self._rate if self.is_on else NEVER

    @property
    def sample(self) -> Callable[..., None]:
        """The recorder's."""
        return self._recorder.sample

    def begin(self, engine: Engine) -> None:
        """Lets the recorder begin where it is on."""
        if self.is_on:
            self._recorder.begin(engine)

    def close(self, reason: str, failed: bool) -> None:
        """Ends what was begun; the recorder knows whether it was."""
        self._recorder.close(reason, failed)

    def end(self) -> None:
        """Ends the recorder's process."""
        self._recorder.end()


def rows() -> Iterator[tuple[str, float, float]]:
    """The lines of the budget: what, the loop with a recording to the loop without, the largest good ratio."""
    for name, fps, budget in (("at 25 Hz", 25.0, 1.01), ("at every step", None, 1.10)):
        yield f"a recording {name}, to the same loop without", ratio(fps), budget


def ratio(fps: float | None, clock: Callable[[], float] = time.perf_counter) -> float:
    """How much longer a run takes with a recording.

    Args:
        fps: Samples a simulated second in Hz; None for every step.
        clock: What tells the time.
    """
    with tempfile.TemporaryDirectory() as folder, world(WORLD, reset=False) as engine:
        names = count()
        every = 1 if fps is None else round(1.0 / (fps * engine.ctx.dt))
        recorder = Switched(Recorder(lambda _: [McapSink(Path(folder) / f"{next(names)}.mcap")], every))
        engine.observe(recorder)
        engine.ctx.interface.get("robot.rplidar", "scan").has_subscribers = True
        ratios = []
        for _ in range(ROUNDS + 1):
            seconds = {True: 0.0, False: 0.0}
            for recorder.is_on in ORDER:
                engine.reset(episode=1)
                engine.advance(200)
                start = clock()
                engine.advance(round(SECONDS / engine.ctx.dt))
                seconds[recorder.is_on] += clock() - start
            ratios.append(seconds[True] / seconds[False])
    return statistics.median(ratios[1:])
