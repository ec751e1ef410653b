"""Reading a recording from an ``.npz`` file, or from the stream that a killed run left of one."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from roqsim.errors import RecordingError
from roqsim.recording import deflated, stream
from roqsim.recording.blocks import Blocks
from roqsim.recording.source import Source, joined, notes_of

MAGIC = b"PK\x03\x04"
"""What an ``.npz`` file begins with."""


def read_npz(path: Path) -> Source:
    """Reads everything but the states of a packed recording.

    Raises:
        RecordingError: It is none, or damaged.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            if "meta" not in archive or "samples" not in archive:
                raise RecordingError(
                    f"{path}: expected a recording of roqsim, got an .npz file without 'meta' and 'samples'; "
                    "name a file that 'roqsim sim --record' wrote"
                )
            meta = json.loads(str(archive["meta"]))
            info = archive.zip.getinfo("samples.npy")
            # What NumPy saved again without compression is read as a whole.
            whole = None if info.compress_type == zipfile.ZIP_DEFLATED else archive["samples"]
            notes = notes_of(archive["notes"].tobytes()) if "notes" in archive else []
        found = Source(path, meta, Blocks(int(meta["state_size"])), notes=notes)
        columns: list[list[np.ndarray]] = [[], [], []]
        for rows, load in deflated.pieces(path, info) if whole is None else [(whole, lambda: whole)]:
            for column, name in zip(columns, ("tick", "time", "wall"), strict=True):
                column.append(np.array(rows[name]))
            found.states.add(len(rows), partial(_states, load))
    except RecordingError:
        raise
    except Exception as error:
        # Damaged bytes raise all kinds of things, in zipfile as in NumPy.
        got = f"{type(error).__name__}: {error}"
        raise RecordingError(f"{path}: expected a recording that is whole, got {got}; take a copy of it") from error
    found.ticks, found.times = joined(columns[0], np.int64), joined(columns[1], float)
    found.walls = joined(columns[2], float)
    return found


def _states(load: Callable[[], np.ndarray]) -> np.ndarray:
    """The states of a piece."""
    return load()["state"]


def read_stream(path: Path) -> Source:
    """Reads a stream, up to where it breaks off.

    Raises:
        RecordingError: It is damaged in its middle.
    """
    found = Source(path, {}, Blocks(0), is_whole=False)
    columns: list[list[np.ndarray]] = [[], [], []]
    size = 0
    try:
        for block in stream.read_blocks(path):
            if not found.meta and block.kind != stream.META:
                break
            if block.kind == stream.META:
                found.meta = json.loads(block.data)
                size = int(found.meta["state_size"])
                found.states = Blocks(size)
            elif block.kind == stream.SAMPLES:
                *short, states = stream.split(block.data, size)
                for column, values in zip(columns, short, strict=True):
                    column.append(np.array(values))
                found.states.add(len(states), partial(_load, path, block.start, len(states), size))
            elif block.kind == stream.NOTES:
                found.notes += notes_of(block.data)
            elif block.kind == stream.STATUS:
                found.status = json.loads(block.data)
            elif block.kind == stream.END:
                found.meta, found.is_whole = json.loads(block.data), True
    except (ValueError, KeyError, TypeError) as error:
        raise RecordingError(f"{path}: expected a stream that is whole, got {error}") from error
    if not found.meta:
        raise RecordingError(f"{path}: expected the stream of a recording, got one that breaks off in its head")
    found.ticks, found.times = joined(columns[0], np.int64), joined(columns[1], float)
    found.walls = joined(columns[2], float)
    return found


def _load(path: Path, start: int, count: int, size: int) -> np.ndarray:
    """The states of one block."""
    return np.fromfile(path, "<f8", count * size, offset=start + 3 * 8 * count).reshape(count, size)
