"""Checks that a recording still tells the truth: runs its episode again and compares every sample bit for bit."""

from __future__ import annotations

import os
from dataclasses import dataclass

from roqsim.errors import RecordingError, RoqsimError
from roqsim.json_value import json_value
from roqsim.recording.recording import Recording, open_recording
from roqsim.recording.rerun import Difference, compare


class DifferenceFound(RoqsimError):
    """A second run came out otherwise."""

    exit_status = 5


@dataclass(frozen=True)
class Verdict:
    """What came of a check.

    Attributes:
        recording: The file of the recording.
        complete: Whether the recorded run ended on purpose.
        samples: How many samples it has.
        equal: How many of them the second run reached bit for bit, before the first difference.
        seconds: The simulated time of the last of these in seconds.
        difference: Where the runs part, or None.
    """

    recording: str
    complete: bool
    samples: int
    equal: int
    seconds: float
    difference: Difference | None

    def __str__(self) -> str:
        counts = f"{self.equal} of {self.samples} samples are equal to the bit"
        what = f"{self.recording}: {counts}, up to {self.seconds:.6g} s"
        return what if self.complete else f"{what}; the recorded run did not end on purpose"

    def as_dict(self) -> dict[str, object]:
        """The reply that other programs read."""
        reply = {key: value for key, value in vars(self).items() if key != "difference"}
        return {**reply, "difference": json_value(self.difference)}

    def check(self) -> None:
        """Makes sure that nothing differs.

        Raises:
            DifferenceFound: Naming the first tick and number that do.
        """
        if self.difference is not None:
            raise DifferenceFound(f"{self.recording}: expected the recorded run, got another from {self.difference}")


def verify(path: str | os.PathLike[str]) -> Verdict:
    """Runs a recorded episode again.

    Args:
        path: A recording, or a run directory that holds one.

    Raises:
        NotFoundError: Nothing is there.
        RecordingError: It cannot be read, holds no sample, or its world cannot be built again.
    """
    recording = open_recording(path)
    if not len(recording):
        raise RecordingError(f"{recording.path}: expected a recording with samples, got one with none")
    equal, difference = compare(recording)
    return Verdict(
        recording=str(recording.path),
        complete=recording.complete,
        samples=len(recording),
        equal=equal,
        seconds=_seconds(recording, equal),
        difference=difference,
    )


def _seconds(recording: Recording, equal: int) -> float:
    return float(recording.times[equal - 1]) if equal else 0.0
