"""A recording in front of a picture's camera: its states are put in, nothing is simulated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from roqsim.config.nodes import Origin, from_plain
from roqsim.config.overrides import Assignment, assign
from roqsim.config.schema import read
from roqsim.config.sim import View
from roqsim.context import SimContext
from roqsim.drivers.pictures.stage import Report, untold
from roqsim.errors import ConfigError

if TYPE_CHECKING:
    from roqsim.engine import Engine
    from roqsim.recording import Recording

SLACK = 1e-9
"""Seconds by which a time may lie outside through rounding alone."""


@dataclass(frozen=True)
class Cut:
    """Which part of a recording is shown.

    Attributes:
        at: Simulated seconds of a still; None for the end.
        start: Simulated seconds at which a video begins; None for the beginning.
        stop: Simulated seconds at which it ends; None for the end.
        speed: Simulated seconds a second of the video.
    """

    at: float | None = None
    start: float | None = None
    stop: float | None = None
    speed: float = 1.0

    def check(self, recording: Recording) -> None:
        """Makes sure that it lies in a recording.

        Raises:
            ConfigError: It does not.
        """
        first, last = float(recording.times[0]), float(recording.times[-1])
        for option, t in (("--at", self.at), ("--from", self.start), ("--to", self.stop)):
            if t is not None and not first - SLACK <= t <= last + SLACK:
                raise ConfigError(
                    f"{option}: expected a time from {first:.6g} to {last:.6g} s, which was recorded, got {t:.6g}"
                )
        start, stop = self.span(recording)
        if stop < start:
            raise ConfigError(f"--to: expected a time that is not before --from ({start:.6g}), got {stop:.6g}")

    def span(self, recording: Recording) -> tuple[float, float]:
        """The simulated seconds at which a video begins and ends."""
        start = float(recording.times[0]) if self.start is None else self.start
        return start, float(recording.times[-1]) if self.stop is None else self.stop

    def seconds(self, recording: Recording) -> float:
        """How long a video of it lasts."""
        start, stop = self.span(recording)
        return (stop - start) / self.speed


class RecordedStage:
    """Shows the states of a recording.

    Args:
        recording: The recording.
        cut: Which part of it; checked by now.
        is_video: Whether the picture moves.
        view: Assignments to ``sim.view`` that are laid over the recorded one.
    """

    def __init__(self, recording: Recording, cut: Cut, is_video: bool, view: Sequence[Assignment] = ()) -> None:
        self._recording, self._cut, self._is_video, self._assignments = recording, cut, is_video, view
        self._engine: Engine | None = None
        self._view: View | None = None
        self._start = 0.0
        self._stop = math.inf

    @property
    def ctx(self) -> SimContext:
        """The simulation that the states are put into."""
        return self._engine.ctx

    @property
    def view(self) -> View | None:
        """The recorded ``sim.view`` with what was asked for laid over it."""
        return self._view

    @property
    def target(self) -> str:
        """The recording's file."""
        return str(self._recording.path)

    @property
    def recording(self) -> Recording:
        """The recording."""
        return self._recording

    def set_up(self) -> None:
        """Rebuilds the world and goes to where the picture begins, so that what is asked for is looked for there."""
        self._engine = self._recording.rebuild(preview=True)
        self._view = laid_over(self._engine.cfg.sim.view, self._assignments)
        self.begin()

    def begin(self, report: Report = untold) -> None:
        """Puts the first state in."""
        if self._is_video:
            self._start, self._stop = self._cut.span(self._recording)
        else:
            last = float(self._recording.times[-1])
            self._start = self._stop = last if self._cut.at is None else self._cut.at
        self._put(self._start)

    def go_on(self, seconds: float) -> bool:
        """Puts in the state of a moment of the video."""
        t = self._start + seconds * self._cut.speed
        self._put(min(t, self._stop))
        return t < self._stop

    def _put(self, t: float) -> None:
        self._recording.restore(self._engine, self._recording.at(t))

    def close(self) -> None:
        """Ends the simulation."""
        if self._engine is not None:
            self._engine.shutdown()


def laid_over(view: View | None, assignments: Sequence[Assignment]) -> View | None:
    """A view in which some values are replaced.

    Args:
        view: The view; None where nothing is said.
        assignments: What is said instead, each with a path such as ``sim.view.azimuth``.

    Raises:
        ConfigError: A key or value is wrong.
    """
    if not assignments:
        return view
    plain = {key: value for key, value in asdict(view or View()).items() if value is not None}
    root = from_plain({"sim": {"view": plain}}, Origin("the recording"))
    for each in assignments:
        assign(root, each.path, each.value)
    return read(View, root.value["sim"].value["view"], "sim.view")
