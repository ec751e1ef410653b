"""Where samples go: a container, a table of poses, a clock map; all of them fed by the writer's thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from roqsim.recording.notes import Note
from roqsim.recording.ring import Batch

Meta = dict[str, object]


class Sink(Protocol):
    """One file of a recording. ``open`` runs on the physics thread before the run, the rest on the writer's."""

    def open(self, meta: Meta) -> None:
        """Makes the file and writes what is known at the begin of an episode."""

    def write(self, batch: Batch) -> None:
        """Takes samples."""

    def note(self, notes: Sequence[Note]) -> None:
        """Takes what happened beside them."""

    def status(self, status: Meta) -> None:
        """Takes what is known of the run by now; the last one holds."""

    def flush(self) -> None:
        """Hands everything to the operating system, so that a kill does not lose it."""

    def close(self, meta: Meta) -> None:
        """Finishes the file with what is known at the end of the episode."""

    def abandon(self) -> None:
        """Lets go of the file after a failure; what was flushed stays readable."""
