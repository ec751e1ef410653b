"""Where the time of a run goes: by hook while stepping, by phase while loading."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class HookTime:
    """Calls and wall time of one hook.

    Attributes:
        calls: How often it ran.
        seconds: Wall time in all.
    """

    calls: int = 0
    seconds: float = 0.0

    @property
    def mean_us(self) -> float:
        """Wall time of a call in microseconds."""
        return 1e6 * self.seconds / self.calls if self.calls else 0.0


class Profile:
    """Wall time by component and hook."""

    def __init__(self) -> None:
        self.times: dict[str, dict[str, HookTime]] = {}

    def wrap(self, address: str, hook: str, run: Callable[..., None]) -> Callable[..., None]:
        """The hook with a stopwatch around it."""
        kept = self.times.setdefault(address, {}).setdefault(hook, HookTime())
        clock = time.perf_counter

        def timed(*given: object) -> None:
            start = clock()
            try:
                run(*given)
            finally:
                kept.seconds += clock() - start
                kept.calls += 1

        return timed

    def report(self) -> dict[str, dict[str, float]]:
        """Mean microseconds of a call, by component and hook."""
        return {address: {hook: kept.mean_us for hook, kept in hooks.items()} for address, hooks in self.times.items()}

    def table(self) -> str:
        """The report as text, the most expensive hook first."""
        rows = [
            (f"{address}.{hook}", kept.calls, kept.mean_us, kept.seconds)
            for address, hooks in self.times.items()
            for hook, kept in hooks.items()
            if kept.calls
        ]
        if not rows:
            return "no hook ran"
        width = max(len(row[0]) for row in rows)
        lines = [f"{'hook':<{width}}  {'calls':>9}  {'mean us':>9}  {'total s':>9}"]
        lines += [
            f"{name:<{width}}  {calls:>9}  {mean:>9.2f}  {seconds:>9.4f}"
            for name, calls, mean, seconds in sorted(rows, key=lambda row: -row[3])
        ]
        return "\n".join(lines)


class LoadTimer:
    """Wall time of the phases of loading a world."""

    def __init__(self) -> None:
        self.phases: dict[str, float] = {}

    @contextmanager
    def __call__(self, phase: str) -> Iterator[None]:
        """Adds the time of the block to a phase."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.phases[phase] = self.phases.get(phase, 0.0) + time.perf_counter() - start

    def table(self) -> str:
        """The phases as text, in the order in which they began."""
        if not self.phases:
            return "nothing was loaded"
        width = max(len(phase) for phase in self.phases)
        return "\n".join(f"{phase:<{width}}  {1e3 * seconds:9.1f} ms" for phase, seconds in self.phases.items())
