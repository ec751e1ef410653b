"""What became of a URDF: everything that the simulation does not hold as the file says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from roqsim.urdf.source import Element

KINDS = ("fused", "dropped", "assumed", "made")
"""Kinds of notes: merged with the world, left out, filled in, and added."""


def count(number: int, noun: str) -> str:
    """A number of things, such as ``1 joint`` or ``3 joints``."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


@dataclass(frozen=True)
class Note:
    """One remark.

    Attributes:
        kind: One of ``KINDS``.
        text: What it is about.
        line: Where it is written, 0 for nowhere in particular.
    """

    kind: str
    text: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.kind} {self.text}" + (f" (line {self.line})" if self.line else "")


@dataclass
class Report:
    """The remarks about one file, in the order in which they were made.

    Attributes:
        path: The file.
        robot: The robot's name.
        base: The root link.
        base_has_mass: Whether the root link, with what is fixed to it, can move freely.
        files: The files that it needs, beside itself.
        notes: The remarks.
    """

    path: Path
    robot: str = ""
    base: str = ""
    base_has_mass: bool = False
    files: list[Path] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def add(self, kind: str, text: str, element: Element | None = None) -> None:
        """Adds a remark.

        Args:
            kind: One of ``KINDS``.
            text: What it is about.
            element: Where it is written.
        """
        self.notes.append(Note(kind, text, element.line if element is not None else 0))

    def of_kind(self, kind: str) -> list[Note]:
        """The remarks of one kind."""
        return [note for note in self.notes if note.kind == kind]

    def summary(self) -> str:
        """How many remarks there are of each kind, such as ``2 dropped, 1 assumed``; empty for none."""
        return ", ".join(f"{len(found)} {kind}" for kind in KINDS if (found := self.of_kind(kind)))

    def as_dict(self) -> dict[str, object]:
        """The report as plain data."""
        notes = [{"kind": note.kind, "text": note.text, "line": note.line or None} for note in self.notes]
        return {"path": str(self.path), "robot": self.robot, "base": self.base, "notes": notes}
