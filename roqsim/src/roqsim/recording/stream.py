"""The file that an ``.npz`` recording grows in: blocks that are whole or not there, readable after a kill.

``RQSTREAM``, then blocks of a kind (one letter), a checksum (CRC-32), a length and the bytes: ``M`` for what is known
of the run; ``S`` for samples, all their ticks, then all times, wall times and states; ``N`` for notes and ``T`` for the
status, both as lines of JSON; ``E`` for what is known at the end.
"""

from __future__ import annotations

import logging
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from roqsim.errors import RecordingError
from roqsim.recording.append import Bytes
from roqsim.recording.ring import Batch

LOG = logging.getLogger("roqsim")

MAGIC = b"RQSTREAM"
SUFFIX = ".stream"
"""What is appended to the name of the recording that the stream becomes."""

HEAD = struct.Struct("<1sIQ")

META, SAMPLES, NOTES, STATUS, END = b"M", b"S", b"N", b"T", b"E"


def sample_type(size: int) -> np.dtype:
    """One sample: its tick, simulated time (s), monotonic wall time (s) and state."""
    return np.dtype([("tick", "<i8"), ("time", "<f8"), ("wall", "<f8"), ("state", "<f8", (size,))])


@dataclass(frozen=True)
class Block:
    """One block of a stream.

    Attributes:
        kind: Its letter.
        start: Where its bytes begin.
        data: Its bytes.
    """

    kind: bytes
    start: int
    data: bytes


class Target(Protocol):
    """A file that blocks are appended to."""

    def write(self, data: Bytes) -> int: ...


def write_block(file: Target, kind: bytes, *parts: Bytes) -> None:
    """Appends a block, without copying its parts together."""
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    file.write(HEAD.pack(kind, checksum, sum(len(part) for part in parts)))
    for part in parts:
        file.write(part)


def columns_of(batch: Batch) -> list[memoryview]:
    """A batch as the parts of a block: its ticks, its times, its wall times, its states."""
    columns = (batch.ticks, batch.times, batch.walls, batch.states)
    return [memoryview(np.ascontiguousarray(column)).cast("B") for column in columns]


def split(data: bytes, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Ticks, times, wall times and states ``(n, size)`` of a block of samples, as views of its bytes.

    Raises:
        ValueError: The length is not one of whole samples.
    """
    count, rest = divmod(len(data), 8 * (size + 3))
    if rest:
        raise ValueError(f"expected samples of {size} numbers, got {len(data)} bytes")
    numbers = np.frombuffer(data, "<f8")
    times, walls, states = numbers[count : 2 * count], numbers[2 * count : 3 * count], numbers[3 * count :]
    return numbers[:count].view("<i8"), times, walls, states.reshape(count, size)


def read_blocks(path: Path) -> Iterator[Block]:
    """The blocks of a stream, up to where it breaks off or is damaged.

    Raises:
        RecordingError: It is no stream.
    """
    length = path.stat().st_size
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise RecordingError(f"{path}: expected the stream of a recording, got something else")
        at = len(MAGIC)
        while at + HEAD.size <= length:
            kind, checksum, count = HEAD.unpack(file.read(HEAD.size))
            at += HEAD.size
            if kind == b"\0" or at + count > length:
                return
            data = file.read(count)
            if zlib.crc32(data) != checksum:
                if at + count < length:
                    LOG.warning("%s: damaged at byte %d; it is read up to there", path, at)
                return
            yield Block(kind, at, data)
            at += count
