"""What a check comes to: a finding, nothing to object to, too early to say, or not to be checked at all."""

from __future__ import annotations

from dataclasses import dataclass

ERROR, WARNING = "error", "warning"
"""Levels: the run is of no use; it may be."""

GOOD, FOUND, EARLY, SKIPPED = "good", "found", "too early", "skipped"
"""What a check can come to. ``skipped`` never changes any more, ``too early`` does as the run goes on."""


@dataclass(frozen=True)
class Result:
    """The result of one check.

    Attributes:
        check: The name of the check.
        outcome: ``good``, ``found``, ``too early`` or ``skipped``.
        detail: Why, in a sentence.
        level: ``error`` or ``warning`` where something was found.
    """

    check: str
    outcome: str
    detail: str
    level: str | None = None


def good(check: str, detail: str) -> Result:
    """There is nothing to object to."""
    return Result(check, GOOD, detail)


def error(check: str, detail: str) -> Result:
    """The run is of no use."""
    return Result(check, FOUND, detail, ERROR)


def warning(check: str, detail: str) -> Result:
    """The run may be of no use."""
    return Result(check, FOUND, detail, WARNING)


def early(check: str, detail: str) -> Result:
    """It is too early to say."""
    return Result(check, EARLY, detail)


def skipped(check: str, detail: str) -> Result:
    """It can't be checked, and never will be."""
    return Result(check, SKIPPED, detail)
