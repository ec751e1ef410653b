"""Which moments of a recording are looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from roqsim.errors import ConfigError

if TYPE_CHECKING:
    from roqsim.recording import Recording, Sample

SLACK = 1e-6
"""The fraction of a period by which a time may come early through rounding alone."""


@dataclass(frozen=True)
class Selection:
    """A moment, or a range of them.

    Attributes:
        at: Simulated seconds of the one moment; None for a range.
        start: Simulated seconds from which on; None for the beginning.
        stop: Simulated seconds up to which; None for the end.
        rate_hz: Moments a simulated second at most; None for every one that was recorded.
    """

    at: float | None = None
    start: float | None = None
    stop: float | None = None
    rate_hz: float | None = None

    def check(self, recording: Recording) -> None:
        """Makes sure that there is something at these times.

        Raises:
            ConfigError: A time lies outside the recording, or the range is empty.
        """
        if not len(recording):
            raise ConfigError(f"{recording.path}: expected a recording with samples, got none: the run ended too early")
        first, last = float(recording.times[0]), float(recording.times[-1])
        span = f"a time from {first:.6g} to {last:.6g} s, which was recorded"
        if self.at is not None and (self.start is not None or self.stop is not None or self.rate_hz is not None):
            raise ConfigError("--at: expected to stand without --from, --to and --rate, which name a range; take one")
        for option, t in (("--at", self.at), ("--from", self.start), ("--to", self.stop)):
            if t is not None and not first - 1e-9 <= t <= last + 1e-9:
                raise ConfigError(f"{option}: expected {span}, got {t:.6g}")
        if self.start is not None and self.stop is not None and self.stop < self.start:
            raise ConfigError(
                f"--to: expected a time that is not before --from ({self.start:.6g}), got {self.stop:.6g}"
            )

    def check_rate(self, most: float | None, what: str, hint: str = "") -> None:
        """Makes sure that the rate can be had.

        Args:
            most: The highest rate in Hz; None for any.
            what: What has this rate.
            hint: What to do about it.

        Raises:
            ConfigError: It can't.
        """
        if self.rate_hz is not None and most is not None and self.rate_hz > most * (1.0 + 1e-6):
            raise ConfigError(f"--rate: expected at most the {most:.6g} Hz {what}, got {self.rate_hz:.6g}{hint}")

    def span(self, recording: Recording) -> tuple[float, float]:
        """Simulated seconds of the first and the last moment."""
        start = float(recording.times[0]) if self.start is None else self.start
        return start, float(recording.times[-1]) if self.stop is None else self.stop

    def thinning(self) -> Callable[[float], bool]:
        """What says of one time after the other whether it is taken at the selection's rate."""
        first: float | None = None
        place = 0

        def is_taken(t: float) -> bool:
            nonlocal first, place
            if self.rate_hz is None:
                return True
            first = t if first is None else first
            periods = (t - first) * self.rate_hz + SLACK
            if periods < place:
                return False
            place = int(periods) + 1
            return True

        return is_taken

    def samples(self, recording: Recording) -> Iterator[Sample]:
        """The samples, one after the other."""
        if self.at is not None:
            yield recording.at(self.at)
            return
        is_taken = self.thinning()
        for sample in recording.range(*self.span(recording)):
            if is_taken(sample.time):
                yield sample


def recorded_rate(recording: Recording) -> float | None:
    """Samples a simulated second, or None where there are fewer than two."""
    if len(recording.times) < 2:
        return None
    step = float(np.median(np.diff(recording.times)))
    return 1.0 / step if step > 0.0 else None
