"""Text files that accompany a recording, written line by line or as a whole."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from roqsim.recording.append import AppendFile
from roqsim.recording.notes import Note
from roqsim.recording.ring import Batch
from roqsim.recording.sink import Meta

LARGEST_PIECE = 64 * 1024
"""How many characters wait at most before they are written."""


class TextFile:
    """The base of a table that grows with the run: whole lines are written at once, so that a kill cuts none of them.

    Args:
        path: Where it goes; nothing may be there.
    """

    header = ""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: AppendFile | None = None
        self._lines: list[str] = []
        self._length = 0

    def open(self, meta: Meta) -> None:
        """Makes the file with its header."""
        self._file = AppendFile(self.path)
        self.add(f"{self.header}\n")
        self.flush()

    def add(self, lines: str) -> None:
        """Takes whole lines."""
        self._lines.append(lines)
        self._length += len(lines)
        if self._length >= LARGEST_PIECE:
            self.flush()

    def write(self, batch: Batch) -> None:
        """Takes samples."""
        raise NotImplementedError

    def note(self, notes: Sequence[Note]) -> None:
        """A table has no place for notes."""

    def status(self, status: Meta) -> None:
        """Nor for this."""

    def flush(self) -> None:
        """Hands everything to the operating system."""
        text = "".join(self._lines)
        self._lines, self._length = [], 0
        self._file.write(text.encode())

    def close(self, meta: Meta) -> None:
        """Finishes the file."""
        self.flush()
        self._file.close()

    def abandon(self) -> None:
        """Lets go of the file without writing what is left."""
        if self._file is not None:
            self._file.close()


class EntitiesFile(TextFile):
    """``entities.json``: what is in the world and which streams are expected of it, for who looks on from outside."""

    def open(self, meta: Meta) -> None:
        """Writes the whole file; one that is there is replaced."""
        part = self.path.with_name(f"{self.path.name}.part")
        keys = ("world", "episode", "dt", "started")
        content = {**{key: meta[key] for key in keys}, "entities": meta["entities"]}
        part.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(part, self.path)

    def write(self, batch: Batch) -> None:
        """The file is whole already."""

    def flush(self) -> None:
        """The file is whole already."""

    def close(self, meta: Meta) -> None:
        """The file is whole already."""
