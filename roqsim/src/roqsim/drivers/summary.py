"""What a run came to, as a text for people."""

from __future__ import annotations

from dataclasses import dataclass

from roqsim.context import Endpoint


@dataclass(frozen=True)
class Summary:
    """The result of a run.

    Attributes:
        reason: Why it ended.
        failed: Whether it counts as failed.
        simulated: Simulated seconds over all episodes.
        wall: Wall seconds.
        steps: Physics steps over all episodes.
        episodes: How many episodes were begun.
        seed: The seed, or None.
        streams: The endpoints with their counters.
        error: The exception that made it fail, or None.
    """

    reason: str
    failed: bool
    simulated: float
    wall: float
    steps: int
    episodes: int
    seed: int | None
    streams: tuple[Endpoint, ...] = ()
    error: Exception | None = None

    @property
    def factor(self) -> float:
        """Simulated seconds a wall second."""
        return self.simulated / self.wall if self.wall > 0.0 else 0.0

    @property
    def steps_per_second(self) -> float:
        """Physics steps a wall second."""
        return self.steps / self.wall if self.wall > 0.0 else 0.0

    def __str__(self) -> str:
        lines = [
            f"{'failed' if self.failed else 'ended'}: {self.reason}",
            f"simulated {self.simulated:.3f} s in {self.wall:.3f} s: {self.factor:.4g} x real time, "
            f"{self.steps_per_second:.0f} steps/s, "
            f"{_counted(self.steps, 'step')}, {_counted(self.episodes, 'episode')}, seed {self.seed}",
        ]
        rows = [_row(endpoint) for endpoint in self.streams if endpoint.direction == "out"]
        rows += [_input_row(endpoint) for endpoint in self.streams if endpoint.direction == "in"]
        return "\n".join([*lines, *_table(rows)]) if rows else "\n".join(lines)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


HEADINGS = ("stream", "rate Hz", "due", "produced", "published", "dropped")


def _row(endpoint: Endpoint) -> tuple[str, ...]:
    counters = endpoint.counters
    rate = _rate(endpoint)
    dropped = ", ".join(f"{count} {reason}" for reason, count in counters.dropped.items()) or "0"
    return (endpoint.path, rate, str(counters.due), str(counters.produced), str(counters.published), dropped)


def _rate(endpoint: Endpoint) -> str:
    if endpoint.rate is None:
        return "every step"
    return f"{endpoint.rate.realised_hz:.6g}" if endpoint.rate.every_steps else "once"


def _input_row(endpoint: Endpoint) -> tuple[str, ...]:
    return (endpoint.path, "input", "", f"{endpoint.counters.received} received", "", "")


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in [HEADINGS, *rows]) for column in range(len(HEADINGS))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [HEADINGS, *rows]
    ]
