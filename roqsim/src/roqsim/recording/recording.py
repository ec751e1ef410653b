"""A recording that is read: its samples, what it knows of its run, and the ways back into a simulation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from roqsim.errors import RecordingError
from roqsim.recording.container import read_source
from roqsim.recording.notes import Event, Input
from roqsim.recording.provenance import FORMAT, FORMAT_VERSION
from roqsim.recording.source import Source

if TYPE_CHECKING:
    from roqsim.engine import Engine


@dataclass(frozen=True)
class Sample:
    """One state of a run.

    Attributes:
        index: Its number in the recording.
        tick: Steps since the reset.
        time: Simulated seconds since the reset.
        wall: Seconds of the machine's monotonic clock.
        state: ``(size,)`` MuJoCo's ``mjSTATE_INTEGRATION``.
    """

    index: int
    tick: int
    time: float
    wall: float
    state: np.ndarray


class Recording:
    """One recorded episode; ``open_recording`` reads it.

    Attributes:
        path: The file.
        meta: What is known of the run: its world, seed, versions, endpoints, why it ended, …
        complete: Whether the run ended on purpose and the file was finished; False after a kill.
        times: ``(n,)`` simulated seconds since the reset.
        ticks: ``(n,)`` steps since the reset.
        walls: ``(n,)`` seconds of the machine's monotonic clock.
        events: Changes of the world that the state does not hold.
        inputs: What came in from outside.
    """

    def __init__(self, source: Source) -> None:
        self.path = source.path
        self.complete = source.is_whole and bool(source.meta.get("complete"))
        # What the writer knew while the run went on is all there is of a run that did not end.
        self.meta = {**source.meta, **({} if self.complete else source.status), "complete": self.complete}
        self.times, self.ticks, self.walls = source.times, source.ticks, source.walls
        self.events = [note for note in source.notes if isinstance(note, Event)]
        self.inputs = [note for note in source.notes if isinstance(note, Input)]
        self._states = source.states
        self._notes = source.notes

    @cached_property
    def states(self) -> np.ndarray:
        """``(n, size)`` every state; for a long recording rather take single samples."""
        return self._states.rows()

    @property
    def dt(self) -> float:
        """The physics step in seconds."""
        return float(self.meta["dt"])

    @property
    def seed(self) -> int | None:
        """The run's seed."""
        return self.meta["seed"]

    @property
    def episode(self) -> int:
        """How many resets the run had seen."""
        return int(self.meta["episode"])

    @property
    def notes(self) -> list[Event | Input]:
        """Events and inputs in the order in which they happened."""
        return list(self._notes)

    @property
    def real_time_factor(self) -> float:
        """Simulated seconds a wall second, from the first sample to the last; NaN with less than two."""
        if len(self) < 2 or self.walls[-1] <= self.walls[0]:
            return float("nan")
        return float((self.times[-1] - self.times[0]) / (self.walls[-1] - self.walls[0]))

    def __len__(self) -> int:
        return len(self.ticks)

    def __getitem__(self, index: int) -> Sample:
        if not -len(self) <= index < len(self):
            raise IndexError(f"{self.path}: expected a sample from 0 to {len(self) - 1}, got {index}")
        index = index % len(self)
        columns = (int(self.ticks[index]), float(self.times[index]), float(self.walls[index]))
        return Sample(index, *columns, self._states.row(index))

    def __iter__(self) -> Iterator[Sample]:
        return (self[index] for index in range(len(self)))

    def at(self, t: float) -> Sample:
        """The sample nearest to a simulated time in seconds, the earlier of two that are equally near.

        Raises:
            RecordingError: The time lies outside the recording by more than half the time between two samples.
        """
        half = 0.5 * self.dt * int(self.meta["every_steps"]) + 1e-9
        if not len(self) or not self.times[0] - half <= t <= self.times[-1] + half:
            raise RecordingError(f"{self.path}: expected a time {self._span()}, got {t!r}")
        after = int(np.searchsorted(self.times, t))
        near = [index for index in (after - 1, after) if 0 <= index < len(self)]
        return self[min(near, key=lambda index: abs(self.times[index] - t))]

    def range(self, t0: float, t1: float) -> Iterator[Sample]:
        """The samples from one simulated time to another in seconds, both included."""
        if not t0 <= t1:
            raise ValueError(f"Recording.range: expected t0 <= t1, got {t0!r} and {t1!r}")
        first, last = np.searchsorted(self.times, [t0 - 1e-9, t1 + 1e-9])
        return (self[index] for index in range(int(first), int(last)))

    def _span(self) -> str:
        if not len(self):
            return "of a sample, of which there is none"
        return f"from {self.times[0]:g} to {self.times[-1]:g} s"

    # Ways back

    def rebuild(self, *, preview: bool = False) -> Engine:
        """An engine of the recorded world, set up and reset to the recorded seed and episode.

        Args:
            preview: Whether it is looked at rather than measured in.

        Raises:
            RecordingError: Something that the world is made of is missing; it says what.
        """
        from roqsim.recording.rebuild import rebuild

        return rebuild(self, preview=preview)

    def restore(self, engine: Engine, sample: Sample) -> None:
        """Puts an engine of this world into the state of a sample, entities and overrides included.

        Model and data are coherent afterwards, so that sensors can be read; what plugins remember of the time before
        is not restored (``resume`` does that).
        """
        from roqsim.recording.restore import restore

        restore(self, engine, sample)

    def restored(self, engine: Engine, samples: Iterable[Sample] | None = None) -> Iterator[Sample]:
        """Puts an engine of this world into one sample after the other, several times as fast as ``restore`` does.

        Args:
            engine: The engine; nothing else may change it before the last sample was read.
            samples: Which ones, in the order of time or not; all by default.

        Yields:
            The sample in whose state the engine is.
        """
        from roqsim.recording.restore import restored

        return restored(self, engine, self if samples is None else samples)

    def resume(self, sample: Sample) -> Engine:
        """An engine that goes on from a sample as the run did, to the last bit: the episode is run again up to there.

        Raises:
            RecordingError: It did not come out at the recorded state; it says from where on and why, if that is known.
        """
        from roqsim.recording.rerun import resume

        return resume(self, sample)


def open_recording(path: str | os.PathLike[str]) -> Recording:
    """Opens a recording.

    Args:
        path: ``run.mcap``, ``run.npz``, the stream that a kill left of one, or a run directory that holds one.

    Raises:
        NotFoundError: Nothing is there.
        RecordingError: It is no recording, a damaged one, or one of a newer format.
    """
    source = read_source(Path(path))
    found, version = source.meta.get("format"), source.meta.get("format_version")
    if found != FORMAT or not isinstance(version, int):
        raise RecordingError(f"{source.path}: expected the format {FORMAT!r}, got {found!r} {version!r}")
    if version > FORMAT_VERSION:
        by = source.meta.get("versions", {}).get("roqsim", "?")
        raise RecordingError(
            f"{source.path}: expected format_version <= {FORMAT_VERSION}, got {version}; roqsim {by} wrote it, "
            "install that version or a newer one"
        )
    return Recording(source)
