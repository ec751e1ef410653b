"""What every container gives when it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from roqsim.recording.blocks import Blocks
from roqsim.recording.notes import Note, from_line


@dataclass
class Source:
    """The content of one file.

    Attributes:
        path: The file.
        meta: What is known of the run.
        status: What was known of it last while it ran.
        notes: What happened beside the samples, in its order.
        ticks: ``(n,)`` steps since the reset.
        times: ``(n,)`` simulated seconds.
        walls: ``(n,)`` seconds of the monotonic clock.
        states: The states, read as they are asked for.
        is_whole: Whether the file ends where its writer ended it.
    """

    path: Path
    meta: dict[str, object]
    states: Blocks
    status: dict[str, object] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    ticks: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    times: np.ndarray = field(default_factory=lambda: np.zeros(0))
    walls: np.ndarray = field(default_factory=lambda: np.zeros(0))
    is_whole: bool = True


def notes_of(lines: bytes) -> list[Note]:
    """Notes from lines of JSON."""
    return [from_line(line) for line in lines.split(b"\n") if line]


def joined(columns: list[np.ndarray], kind: type) -> np.ndarray:
    """Pieces of a column as one array."""
    return np.concatenate(columns).astype(kind) if columns else np.zeros(0, dtype=kind)
