"""Reads pieces of a CSV file that may be long and may be growing: its head, its end, and places in between."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

CHUNK = 1 << 16
"""Bytes that are read at once."""

LONGEST = 1 << 12
"""Bytes by which pieces overlap, so that no row is lost between them."""


class Lines:
    """A CSV file with a head, of which a few pieces are looked at however long it is.

    Args:
        path: The file.

    Raises:
        OSError: It can't be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            head = file.readline()
            self.begin = file.tell()
            self.size = file.seek(0, 2)
        self.columns = head.decode(errors="replace").strip().split(",") if head.endswith(b"\n") else []

    def after(self, place: int, bytes_: int = CHUNK) -> list[dict[str, str]]:
        """The whole rows that begin in a piece of the file; a row that is still being written is left out."""
        place = max(place, self.begin)
        with self._path.open("rb") as file:
            file.seek(max(place - 1, self.begin - 1))
            piece = file.read(bytes_ + 1)
        # The byte before the piece says whether a row begins with it.
        _, _, whole = piece.partition(b"\n")
        whole = whole[: whole.rfind(b"\n") + 1]
        rows = csv.reader(whole.decode(errors="replace").splitlines())
        return [dict(zip(self.columns, row, strict=True)) for row in rows if len(row) == len(self.columns)]

    def head(self) -> list[dict[str, str]]:
        """The first rows."""
        return self.after(self.begin)

    def tail(self, bytes_: int = CHUNK) -> list[dict[str, str]]:
        """The last rows."""
        return self.after(max(self.size - bytes_, self.begin), max(bytes_, 1))

    def spread(self, pieces: int, bytes_: int = CHUNK) -> Iterator[list[dict[str, str]]]:
        """Rows from all over the file: as many pieces as asked for, or the whole of a short file."""
        length = self.size - self.begin
        if length <= pieces * bytes_:
            pieces = max(-(-length // bytes_), 1)
            for index in range(pieces):
                yield self.after(self.begin + index * bytes_, bytes_ + LONGEST)
            return
        for index in range(pieces):
            yield self.after(self.begin + round(index * (length - bytes_) / max(pieces - 1, 1)), bytes_)
