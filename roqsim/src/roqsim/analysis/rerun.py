"""What a stream published, found by running the recorded episode a second time.

That is the way to what depends on more than the state: odometry, sums of energy, latches, delayed measurements.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roqsim.analysis.selection import Selection
from roqsim.analysis.sensors import Reading, find_stream, read
from roqsim.errors import RecordingError

if TYPE_CHECKING:
    from roqsim.context import Endpoint, SimContext
    from roqsim.engine import Engine
    from roqsim.recording import Recording


class Listener:
    """Reads a stream at its due ticks, as a transport does.

    Args:
        stream: The stream.
    """

    def __init__(self, stream: Endpoint) -> None:
        rate = stream.rate
        self.every_steps = 1 if rate is None else max(rate.every_steps, 1)
        self._is_once = rate is not None and not rate.every_steps
        self._stream = stream
        self._readings: list[Reading] = []

    def begin(self, engine: Engine) -> None:
        """Reads what is there right after the reset."""
        self._readings += read(self._stream, engine.ctx.sim_time)

    def sample(self, ctx: SimContext) -> None:
        """Reads at a due tick."""
        if not self._is_once:
            self._readings += read(self._stream, ctx.sim_time)

    def close(self, reason: str, failed: bool) -> None:
        """Part of an observer; there is nothing to close."""

    def end(self) -> None:
        """Nothing is open."""

    def take(self) -> list[Reading]:
        """What was read since the last call."""
        taken, self._readings = self._readings, []
        return taken


def rate_of(stream: Endpoint, dt: float) -> float | None:
    """The rate in Hz at which a stream is published; None for one that is so once.

    Args:
        stream: The stream.
        dt: The physics step in seconds.
    """
    if stream.rate is None:
        return 1.0 / dt
    return stream.rate.realised_hz or None


def readings(recording: Recording, address: str, selection: Selection) -> Iterator[Reading]:
    """Runs the episode again and reads a stream at its due ticks.

    Args:
        recording: The recording.
        address: The stream's address; see ``find_stream``.
        selection: Which times; checked by now.

    Raises:
        RecordingError: The second run is another one than the first.
    """
    from roqsim.recording.rerun import Rerun

    rerun = Rerun(recording)
    engine = rerun.engine
    try:
        listener = Listener(find_stream(engine.ctx, address))
        engine.observe(listener)
        engine.reset(episode=recording.episode)
        start, stop = selection.span(recording)
        if selection.at is not None:
            start = stop = recording.at(selection.at).time
        is_taken = selection.thinning()
        newest = None
        for sample in recording:
            difference = rerun.reach(sample)
            if difference is not None:
                raise RecordingError(f"{recording.path}: expected to run as it did, got {difference}")
            for t, cells in listener.take():
                newest = (t, cells)
                if selection.at is None and start - 1e-9 <= t <= stop + 1e-9 and is_taken(t):
                    yield newest
            if sample.time >= stop - 1e-9:
                break
        if selection.at is not None and newest is not None:
            yield newest
    finally:
        engine.shutdown()
