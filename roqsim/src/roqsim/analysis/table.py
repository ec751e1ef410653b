"""A table whose rows come one by one, so that a long recording never has to be in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Cell = float | int | bool | str | None
"""What a table holds; None where there is nothing to say."""

Row = tuple[Cell, ...]

KINDS = (float, int, bool, str)
"""The types that a column can have."""


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        name: Its name, such as ``position.x``.
        unit: SI unit, or an empty text.
        kind: The type of its cells: float, int, bool or str.
    """

    name: str
    unit: str = ""
    kind: type = float

    @property
    def label(self) -> str:
        """Name and unit for people."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


TIME = Column("time", "s")
"""Simulated time of the state that a row is about."""


@dataclass(frozen=True)
class Table:
    """Columns and the rows to come.

    Attributes:
        title: What it is about, in a few words.
        columns: The columns; the first one is ``time``.
        rows: The rows; they can be gone through once.
        keys: The names of the columns that tell things apart: rows with the same keys are one thing over time.
        drawn: The names of the columns that a plot shows; all where nothing is said.
    """

    title: str
    columns: Sequence[Column]
    rows: Iterable[Row]
    keys: Sequence[str] = ()
    drawn: Sequence[str] = ()
