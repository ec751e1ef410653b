"""A recording, told in well-known messages: every state, and what the sensors say of it."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from roqsim.destination import new_file
from roqsim.errors import ConfigError, RecordingError
from roqsim.export.mcap.sink import Sink
from roqsim.export.mcap.teller import Teller
from roqsim.recording import open_recording
from roqsim.recording.rerun import Rerun

if TYPE_CHECKING:
    from roqsim.context import SimContext
    from roqsim.engine import Engine
    from roqsim.recording import Recording

LOG = logging.getLogger("roqsim")

SUFFIX = ".mcap"

METADATA = "roqsim.export"
"""The name of the metadata record that says which run it was, as JSON."""

TOLD = ("world", "overrides", "seed", "episode", "dt", "versions", "complete")
"""What of a recording's own knowledge it holds."""


def export_mcap(
    recording: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    pictures: bool = False,
    from_states: bool = False,
    overwrite: bool = False,
) -> dict[str, object]:
    """Writes a run as messages that Foxglove, rerun and the tools of ROS 2 know.

    At every sample: the clock, transforms of all bodies, and all joints; a scene of what there is to see, at the
    beginning and when entities come and go. The run is done again on the way, so that every endpoint says what it said
    then, whenever it was due. From where on that is impossible, endpoints are read in the recorded states instead: at
    most once a sample, and those that remember (odometry, sums, delays) say nothing true.

    Args:
        recording: A recording, or the directory of a run.
        out: The file.
        pictures: Whether cameras are drawn again, which needs OpenGL.
        from_states: Whether to read endpoints in the recorded states from the beginning, without doing the run again.
        overwrite: Whether a file of that name may be replaced.

    Returns:
        ``samples``, how many of them were ``repeated`` bit for bit, and how many messages each of the ``topics`` has.

    Raises:
        RecordingError: It cannot be read.
        ConfigError: The file exists, is the recording itself, or cannot be written.
        GLError: Pictures are wanted, and nothing can be drawn here.
    """
    run = open_recording(recording)
    if not len(run):
        raise RecordingError(f"{run.path}: expected a recording with at least one sample, got none")
    if Path(out).suffix.lower() != SUFFIX:
        raise ConfigError(f"{out}: expected a file that ends in {SUFFIX}, got {Path(out).name!r}; rename it")
    if Path(out).resolve() == run.path.resolve():
        raise ConfigError(f"{out}: expected another file than the recording itself, got it; name another")
    with new_file(out, overwrite=overwrite) as beside, open(beside, "wb") as file:
        return _write(file, run, pictures, from_states or bool(run.meta.get("start_tick")))


def _write(file: BinaryIO, run: Recording, pictures: bool, from_states: bool) -> dict[str, object]:
    sink = Sink(file)
    told = {key: run.meta.get(key) for key in TOLD}
    sink.add_metadata(METADATA, {"json": json.dumps(told, ensure_ascii=False)})
    tale = _Restored(run, sink, pictures) if from_states else _Repeated(run, sink, pictures)
    try:
        for index in range(len(run)):
            tale.tell(index)
        sink.finish()
    finally:
        tale.engine.shutdown()
    return {"samples": len(run), "repeated": tale.repeated, "topics": sink.counts}


class _Restored:
    """Tells a run by its states.

    Attributes:
        engine: An engine of the run.
        repeated: How many samples came out of a second run.
    """

    repeated = 0

    def __init__(self, run: Recording, sink: Sink, pictures: bool) -> None:
        self._run, self._sink, self._pictures = run, sink, pictures
        self.engine: Engine = self._begin()
        self._teller = Teller(self.engine.ctx, sink, pictures=pictures)

    def _begin(self) -> Engine:
        return self._run.rebuild()

    def tell(self, index: int) -> None:
        self._run.restore(self.engine, self._run[index])
        self._tell_sample(self.engine.ctx)

    def _tell_sample(self, ctx: SimContext) -> None:
        self._teller.tell_state(ctx)
        self._teller.tell_streams(ctx, at_sample=True)


class _Repeated(_Restored):
    """Tells a run by doing it again, and by its states from where on that leads elsewhere."""

    def _begin(self) -> Engine:
        self._rerun: Rerun | None = Rerun(self._run, lambda tick: self._teller.next_due(tick), self._tell_due)
        return self._rerun.engine

    def tell(self, index: int) -> None:
        if self._rerun is not None:
            difference = self._rerun.reach(self._run[index])
            if difference is None and self._rerun.failure is None:
                self.repeated += 1
                self._tell_sample(self.engine.ctx)
                return
            self._give_up(str(difference or self._rerun.failure))
        super().tell(index)

    def _tell_due(self, ctx: SimContext) -> None:
        self._teller.tell_streams(ctx, at_sample=False)

    def _give_up(self, why: str) -> None:
        LOG.warning("%s: sensors are read in recorded states, because a second run differs: %s", self._run.path, why)
        if self._rerun.failure is not None:
            # A run that failed has shut its engine down.
            self.engine = self._run.rebuild()
            self._teller = Teller(self.engine.ctx, self._sink, pictures=self._pictures)
        self._rerun = None
