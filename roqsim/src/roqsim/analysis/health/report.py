"""The answer to whether a run is well: results of all checks, a verdict, and what is known of the run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from roqsim.analysis.health import checks
from roqsim.analysis.health.findings import EARLY, ERROR, FOUND, GOOD, SKIPPED, Result
from roqsim.analysis.health.records import Records, read_records
from roqsim.errors import NotFoundError, suggest

LOOKS = 3
"""How often files are looked at that go away while they are."""

WORDS = {FOUND: "", GOOD: "good", EARLY: "too early", SKIPPED: "skipped"}
"""How an outcome is told."""


@dataclass(frozen=True)
class Report:
    """What the checks came to.

    Attributes:
        results: One result a check.
        state: What is known of the run, as plain values.
    """

    results: Sequence[Result]
    state: dict[str, object] = field(default_factory=dict)

    @property
    def findings(self) -> list[Result]:
        """What was found, errors first."""
        found = [result for result in self.results if result.outcome == FOUND]
        return sorted(found, key=lambda result: result.level != ERROR)

    @property
    def verdict(self) -> str:
        """``error``, ``warning``, ``too early`` where a check still waits, else ``good``."""
        if self.findings:
            return str(self.findings[0].level)
        waits = {result.outcome for result in self.results if result.check in ("start", "robot-motion")}
        return EARLY if EARLY in waits else GOOD

    @property
    def reason(self) -> str:
        """The gravest finding in a line; empty where there is none."""
        return f"{self.findings[0].check}: {self.findings[0].detail}" if self.findings else ""

    def document(self) -> dict[str, object]:
        """The report as plain values: ``verdict``, ``findings``, ``skipped``, ``too_early``, ``checks``, ``state``."""
        return {
            "verdict": self.verdict,
            "findings": [{"level": r.level, "check": r.check, "detail": r.detail} for r in self.findings],
            "skipped": self._told(SKIPPED),
            "too_early": self._told(EARLY),
            "checks": [{"check": r.check, "outcome": r.outcome, "detail": r.detail} for r in self.results],
            "state": self.state,
        }

    def _told(self, outcome: str) -> list[str]:
        return [f"{result.check}: {result.detail}" for result in self.results if result.outcome == outcome]

    def __str__(self) -> str:
        rows = [(WORDS[each.outcome] or str(each.level), each.check, each.detail) for each in self.results]
        widths = [max(len(row[place]) for row in rows) for place in range(2)]
        lines = [f"{word:<{widths[0]}}  {check:<{widths[1]}}  {detail}" for word, check, detail in rows]
        return "\n".join([*lines, f"verdict: {self.verdict}"])


def examine(path: Path, *, robot: str | None = None, now: float | None = None) -> Report:
    """Looks at a run once.

    Args:
        path: The folder of a run, or a recording.
        robot: The only robot whose motion matters; None for all.
        now: Unix epoch seconds; those of the clock by default.

    Raises:
        NotFoundError: There is no record of a run, or no robot of that name.
    """
    for _ in range(LOOKS - 1):
        # A run that ends meanwhile puts its recording in the place of a stream.
        with suppress(FileNotFoundError):
            return _examine(path, robot, now)
    return _examine(path, robot, now)


def _examine(path: Path, robot: str | None, now: float | None) -> Report:
    records = read_records(path, now=now)
    if robot is not None and records.robots is not None:
        known = [each.name for each in records.robots]
        if robot not in known:
            raise NotFoundError(f"--robot: expected the name of a robot, got {robot!r}; {suggest(robot, known)}")
    every = (
        *(checks.check_start, checks.check_stuck, checks.check_rate, checks.robot_motion(robot)),
        *(checks.check_streams, checks.check_record, checks.check_end),
    )
    return Report([check(records) for check in every], _state(records))


def _state(records: Records) -> dict[str, object]:
    clock, meta = records.clock, records.meta
    running = None
    if clock is not None:
        running = not records.is_over and records.now - clock.last_wall <= checks.STALE
    factor = math.nan if clock is None else clock.factor
    return {
        "running": running,
        "ended": meta.get("stop_reason") if records.is_over else None,
        "failed": bool(meta.get("stop_failed")) if records.is_over else None,
        "world": meta.get("world"),
        "recording": None if records.recording is None else str(records.recording),
        "sim_time": None if clock is None else clock.last_sim,
        "wall_time": None if clock is None else clock.last_wall,
        "factor": factor if math.isfinite(factor) else None,
        "robots": None if records.robots is None else [robot.name for robot in records.robots],
    }
