"""The message types of a recording as CDR bytes, the encoding of ROS 2, with their definitions as ROS 2 writes them.

CDR: four bytes that say little-endian, then every field aligned to its own size, counted from behind those four bytes;
a sequence is its length in 32 bits and its elements, a string is a sequence of bytes with a zero at its end.
"""

from __future__ import annotations

import struct

import numpy as np

from roqsim.recording.ring import Batch

LITTLE_ENDIAN = b"\x00\x01\x00\x00"

SAMPLES = "roqsim_msgs/msg/Samples"
SAMPLES_DEFINITION = """\
# Consecutive samples of the state of a simulation.
# How many samples of the episode came before these.
uint64 first
# How many numbers one state has (MuJoCo's mjSTATE_INTEGRATION).
uint64 size
# Physics steps since the reset.
int64[] ticks
# Simulated time since the reset, seconds.
float64[] times
# Monotonic clock of the machine, seconds.
float64[] walls
# The states, one after the other.
float64[] states
"""

TEXT = "std_msgs/msg/String"
TEXT_DEFINITION = "string data\n"


def pack_samples(batch: Batch) -> bytes:
    """A batch as a ``Samples`` message."""
    count, size = batch.states.shape
    columns = (batch.ticks, batch.times, batch.walls, batch.states)
    parts = [LITTLE_ENDIAN, struct.pack("<QQ", batch.first, size)]
    parts += [piece for column in columns for piece in _sequence(column)]
    return b"".join(parts)


def unpack_samples(data: bytes) -> tuple[int, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The index of the first sample, ticks, times, walls and states of a ``Samples`` message, as views of its bytes.

    Raises:
        ValueError: It is something else.
    """
    if data[:4] != LITTLE_ENDIAN or len(data) < 20:
        raise ValueError("expected CDR bytes of samples")
    first, size = struct.unpack_from("<QQ", data, 4)
    at, columns = 20, []
    for kind in ("<i8", "<f8", "<f8", "<f8"):
        if len(data) < at + 8:
            raise ValueError("expected CDR bytes of samples that are whole")
        (length,) = struct.unpack_from("<I", data, at)
        if len(data) < at + 8 + 8 * length:
            raise ValueError("expected CDR bytes of samples that are whole")
        columns.append(np.frombuffer(data, kind, length, at + 8))
        at += 8 + 8 * length
    ticks, times, walls, states = columns
    if not len(ticks) == len(times) == len(walls) or len(states) != len(ticks) * size:
        raise ValueError("expected samples with a tick, a time, a wall time and a state each")
    return first, ticks, times, walls, states.reshape(len(ticks), size)


def pack_text(text: str) -> bytes:
    """A text as a ``std_msgs/msg/String`` message."""
    data = text.encode()
    return LITTLE_ENDIAN + struct.pack("<I", len(data) + 1) + data + b"\0"


def unpack_text(data: bytes) -> str:
    """The text of a ``std_msgs/msg/String`` message.

    Raises:
        ValueError: It is something else.
    """
    if len(data) < 9 or data[:4] != LITTLE_ENDIAN or struct.unpack_from("<I", data, 4)[0] != len(data) - 8:
        raise ValueError("expected CDR bytes of a text")
    return data[8:-1].decode()


def _sequence(column: np.ndarray) -> tuple[bytes, bytes]:
    """A sequence of 8-byte numbers, which begins at a multiple of 8: 4 bytes of length, 4 of padding, the numbers."""
    flat = np.ascontiguousarray(column).reshape(-1)
    return struct.pack("<II", len(flat), 0), flat.astype(flat.dtype.newbyteorder("<"), copy=False).tobytes()
