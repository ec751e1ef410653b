"""What is drawn of a table: its numbers over time, gathered while the rows pass, in panels of what belongs together."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from roqsim.analysis.table import Column, Row, Table

HIDDEN = ("orientation.w", "orientation.x", "orientation.y", "orientation.z", "stamp_ns", "points")
"""Columns that say nothing to the eye."""

GAP = 1.5
"""The number of usual steps between two points at which a line breaks."""

AXES = ("w", "x", "y", "z")


@dataclass(frozen=True)
class Line:
    """One line of a panel.

    Attributes:
        name: What it is called in its panel, or an empty text.
        times: ``(n,)`` simulated seconds.
        values: ``(n,)``; NaN where there is a gap.
    """

    name: str
    times: np.ndarray
    values: np.ndarray

    @property
    def extent(self) -> float:
        """By how much it changes; 0 where it has no finite value."""
        finite = self.values[np.isfinite(self.values)]
        return float(finite.max() - finite.min()) if finite.size else 0.0

    def with_gaps(self) -> Line:
        """The same line, which breaks where the thing was not there for a while."""
        steps = np.diff(self.times)
        if not steps.size:
            return self
        gaps = np.flatnonzero(steps > GAP * np.median(steps)) + 1
        times = np.insert(self.times, gaps, self.times[gaps - 1])
        return Line(self.name, times, np.insert(self.values, gaps, math.nan))


@dataclass(frozen=True)
class Panel:
    """Lines over one axis.

    Attributes:
        label: What the axis shows, with its unit.
        lines: The lines.
    """

    label: str
    lines: list[Line]


class Curves:
    """Takes the rows of a table as they pass and keeps what is drawn.

    Args:
        table: The table; the rows of ``watched()`` have to be gone through instead of its own.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        names = [column.name for column in table.columns]
        self._keys = [names.index(key) for key in table.keys]
        shown = [c for c in table.columns[1:] if c.kind in (float, int, bool) and c.name not in HIDDEN]
        if table.drawn:
            shown = [column for column in shown if column.name in table.drawn]
        self._shown = [(names.index(column.name), column) for column in shown]
        self._things: dict[tuple[str, ...], tuple[array[float], list[array[float]]]] = {}

    def watched(self) -> Table:
        """The table with rows that are noted as they are gone through."""
        table = self._table
        return Table(table.title, table.columns, self._noted(), table.keys, table.drawn)

    def _noted(self) -> Iterator[Row]:
        for row in self._table.rows:
            thing = tuple(str(row[place]) for place in self._keys)
            times, curves = self._things.setdefault(thing, (array("d"), [array("d") for _ in self._shown]))
            times.append(row[0])
            for (place, _), values in zip(self._shown, curves, strict=True):
                cell = row[place]
                values.append(math.nan if cell is None else float(cell))
            yield row

    def panels(self) -> list[Panel]:
        """One panel for each group of columns; those in which nothing ever changes are left out, unless all are so."""
        groups: dict[str, list[int]] = {}
        for place, (_, column) in enumerate(self._shown):
            groups.setdefault(stem(column.name), []).append(place)
        found = [self._panel(name, places) for name, places in groups.items()]
        found = [panel for panel in found if panel.lines]
        return [panel for panel in found if any(line.extent for line in panel.lines)] or found

    def _panel(self, name: str, places: list[int]) -> Panel:
        columns = [self._shown[place][1] for place in places]
        shared = _shared(list(self._things))
        lines = []
        for thing, (times, curves) in self._things.items():
            called = " ".join(part for part, is_shared in zip(thing, shared, strict=True) if not is_shared)
            for place, column in zip(places, columns, strict=True):
                part = column.name.removeprefix(name).lstrip(".") if len(columns) > 1 else ""
                lines.append(Line(f"{called} {part}".strip(), np.array(times), np.array(curves[place])))
        return Panel(_label(name, columns[0]), lines)


def stem(name: str) -> str:
    """What the columns of one panel have in common.

    >>> stem("position.x"), stem("ranges[12]"), stem("kinetic")
    ('position', 'ranges', 'kinetic')
    """
    head, _, tail = name.rpartition(".")
    if head and tail in AXES:
        return head
    return name.partition("[")[0]


def _label(name: str, column: Column) -> str:
    return f"{name} [{column.unit}]" if column.unit else name


def _shared(things: list[tuple[str, ...]]) -> list[bool]:
    """Which parts of the names are the same in all of them; of a single thing its first part stays."""
    if len(things) == 1:
        return [place > 0 for place in range(len(things[0]))]
    return [len(set(parts)) == 1 for parts in zip(*things, strict=True)]
