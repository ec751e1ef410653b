"""Everything that is wrong with one file, collected so that it is told at once."""

from __future__ import annotations

from pathlib import Path

from roqsim.config.nodes import Origin
from roqsim.errors import ConfigError, Problem
from roqsim.urdf.source import Element


class Complaints:
    """The mistakes of a file.

    Args:
        path: The file.
        where: Whose file it is; every mistake begins with it.
    """

    def __init__(self, path: Path, where: str = "") -> None:
        self._path, self._where = path, where
        self._problems: list[Problem] = []

    def add(self, about: str, expected: str, got: str | None, element: Element | None, hint: str = "") -> None:
        """Notes a mistake.

        Args:
            about: What it is about, such as ``link 'tool'``; empty for the file.
            expected: The rule that was broken.
            got: What was found, or None for nothing.
            element: Where it was found; None for what is no part of the file.
            hint: What to do about it.
        """
        where = ": ".join(part for part in (self._where, about) if part)
        origin = self.origin(element) if element is not None else None
        self._problems.append(Problem(where, expected, got, origin, hint))

    def origin(self, element: Element) -> Origin:
        """The file and line of an element."""
        return Origin(str(self._path), element.line or None)

    def check(self) -> None:
        """Ends the reading if there was any mistake so far.

        Raises:
            ConfigError: With all of them.
        """
        if self._problems:
            raise ConfigError(self._problems)
