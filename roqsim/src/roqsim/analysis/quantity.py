"""What can be read off a state: the interface of everything that becomes rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from roqsim.analysis.table import Column, Row


class Quantity(Protocol):
    """Reads rows off the state that a simulation is in.

    Attributes:
        title: What it is, in a few words.
        columns: The columns behind ``time``.
        keys: The columns that tell one thing from another.
        drawn: The columns that a plot shows; all where there is none.
    """

    title: str
    columns: Sequence[Column]
    keys: Sequence[str]
    drawn: Sequence[str]

    def rows(self) -> Iterable[Row]:
        """The rows of the current state, without the time; positions, velocities and forces are up to date."""


def vector(name: str, unit: str, axes: str = "xyz") -> tuple[Column, ...]:
    """One column an axis, such as ``position.x``."""
    return tuple(Column(f"{name}.{axis}", unit) for axis in axes)
