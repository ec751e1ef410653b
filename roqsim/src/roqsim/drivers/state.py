"""The work behind ``roqsim state``: a recording, one quantity of it, and where the rows go."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from roqsim.analysis import rerun, sensors, series
from roqsim.analysis.curves import Curves
from roqsim.analysis.formats import PARQUET, SUFFIXES, TEXT_FORMATS, check_format, write_parquet
from roqsim.analysis.plot import check_plot, draw
from roqsim.analysis.selection import Selection, recorded_rate
from roqsim.analysis.table import Table
from roqsim.destination import check_file, new_file
from roqsim.errors import ConfigError

if TYPE_CHECKING:
    from roqsim.engine import Engine
    from roqsim.recording import Recording

LOG = logging.getLogger("roqsim")

RECORDED = ("at which the run was recorded", "; record with a higher --capture-fps")
"""Why a rate is too high, and what to do about it."""


@dataclass(frozen=True)
class Question:
    """What is asked of a recording.

    Attributes:
        kind: ``poses``, ``joints``, ``contacts``, ``sensor``, ``energy`` or ``distance``.
        names: The names behind the option.
        selection: At which moments.
        rerun: Whether a sensor is read in a second run rather than in the recorded states.
    """

    kind: str
    names: tuple[str, ...]
    selection: Selection
    rerun: bool = False


@dataclass(frozen=True)
class Destination:
    """Where the answer goes.

    Attributes:
        out: The file of the table; None for standard output.
        format: The name of its format; None for that of the file's suffix, else text for people.
        plot: The file of a plot, or None.
        force: Whether files that are there may be replaced.
    """

    out: Path | None = None
    format: str | None = None
    plot: Path | None = None
    force: bool = False

    @property
    def chosen(self) -> str:
        """The name of the table's format."""
        return self.format or SUFFIXES.get(self.out.suffix.lower() if self.out else "", "table")

    @property
    def prints(self) -> bool:
        """Whether the table goes to standard output: where no file is named at all, or a format is."""
        return self.out is None and (self.plot is None or self.format is not None)

    def check(self) -> None:
        """Makes sure that everything can be written, before anything is read.

        Raises:
            ConfigError: It can not; it says why.
        """
        if self.chosen == PARQUET and self.out is None:
            raise ConfigError("--format parquet: expected a file to write to, got none; add --out FILE")
        check_format(self.chosen)
        if self.plot is not None:
            check_plot(self.plot)
        if self.out is not None and self.plot is not None and self.out.absolute() == self.plot.absolute():
            raise ConfigError(f"--plot: expected another file than --out, got {str(self.plot)!r} for both")
        for path in (self.out, self.plot):
            if path is not None:
                check_file(path, overwrite=self.force)


def answer(recording: Recording, question: Question, destination: Destination, stdout: TextIO | None = None) -> None:
    """Writes what is asked for.

    Args:
        recording: The recording.
        question: What is asked.
        destination: Where it goes; checked by now.
        stdout: Where text goes that goes into no file; standard output by default.

    Raises:
        RoqsimError: A name leads nowhere, a time lies outside, the world can't be rebuilt, a file can't be written.
    """
    question.selection.check(recording)
    engine = recording.rebuild(preview=True)
    try:
        table = make_table(recording, engine, question)
        title = f"{table.title}   ({recording.meta['world']}, {recording.path.name})"
        deliver(table, destination, stdout or sys.stdout, title)
    finally:
        engine.shutdown()


def make_table(recording: Recording, engine: Engine, question: Question) -> Table:
    """The table that answers a question; its rows are read while they are gone through."""
    ctx = engine.ctx
    if question.kind == "sensor":
        return _sensor_table(recording, engine, question)
    question.selection.check_rate(recorded_rate(recording), *RECORDED)
    makers: dict[str, Callable[[], object]] = {
        "poses": lambda: series.poses(ctx, question.names),
        "joints": lambda: series.joints(ctx, question.names),
        "contacts": lambda: series.contacts(ctx, question.names),
        "energy": lambda: series.energy(ctx),
        "distance": lambda: series.distance(ctx, *question.names),
    }
    return series.table(recording, engine, makers[question.kind](), question.selection)


def _sensor_table(recording: Recording, engine: Engine, question: Question) -> Table:
    """The table of a stream, from the states where they say what it gave, else from a second run."""
    stream, selection = sensors.find_stream(engine.ctx, question.names[0]), question.selection
    if stream.stateless and not question.rerun:
        selection.check_rate(recorded_rate(recording), *RECORDED)
        return sensors.table(recording, engine, stream, selection)
    if not question.rerun:
        LOG.warning("%s depends on more than the state: the run is simulated again", stream.path)
    selection.check_rate(rerun.rate_of(stream, engine.ctx.dt), "at which the stream is published")
    return sensors.as_table(stream, rerun.readings(recording, stream.path, selection))


def deliver(table: Table, destination: Destination, stdout: TextIO, title: str = "") -> None:
    """Sends a table's rows to where they are wanted, all in one go through them.

    Args:
        table: The table.
        destination: Where they go.
        stdout: Where a table goes that goes into no file.
        title: Over the plot; the table's own where it is empty.
    """
    curves = Curves(table) if destination.plot is not None else None
    watched = table if curves is None else curves.watched()
    if destination.out is not None:
        _write_file(watched, destination)
    elif destination.prints:
        TEXT_FORMATS[destination.chosen](watched, stdout)
    else:
        for _ in watched.rows:
            pass
    if curves is not None:
        plot = destination.plot
        with new_file(plot, overwrite=destination.force) as beside:
            draw(curves.panels(), title or table.title, beside, plot.suffix.lower().removeprefix("."))


def _write_file(table: Table, destination: Destination) -> None:
    name = destination.chosen
    with new_file(destination.out, overwrite=destination.force) as beside:
        if name == PARQUET:
            write_parquet(table, beside)
            return
        with _text_file(beside) as file:
            TEXT_FORMATS[name](table, file)


@contextmanager
def _text_file(path: Path) -> Iterator[TextIO]:
    with path.open("w", encoding="utf-8", newline="") as file:
        yield file
