"""The file that an ``.npz`` recording grows in: blocks that are whole or not there, readable after a kill.

``RQSTREAM``, then blocks of a kind (one letter), a checksum (CRC-32), a length and the bytes: ``M`` for what is known
of the run, ``S`` for samples as rows of ``sample_type``, ``N`` for notes and ``T`` for the status, both as lines of
JSON, ``E`` for what is known at the end.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from roqsim.errors import RecordingError

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


def write_block(file: BinaryIO, kind: bytes, data: bytes) -> None:
    """Appends a block."""
    file.write(HEAD.pack(kind, zlib.crc32(data), len(data)))
    file.write(data)


def read_blocks(path: Path) -> Iterator[Block]:
    """The blocks of a stream, up to where it breaks off.

    Raises:
        RecordingError: A block in its middle is damaged.
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
                if at + count == length:
                    return
                raise RecordingError(f"{path}: expected a stream that is whole, got damage at byte {at}")
            yield Block(kind, at, data)
            at += count
