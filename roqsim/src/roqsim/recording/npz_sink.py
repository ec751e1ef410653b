"""Writing a recording as ``.npz``: into a stream while the run goes on, packed into one file at its end.

The file holds ``meta`` (JSON), ``samples`` (rows of tick, time, wall and state) and ``notes`` (lines of JSON as bytes);
NumPy alone reads it.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from roqsim.recording import stream
from roqsim.recording.append import AppendFile
from roqsim.recording.notes import Note, to_line
from roqsim.recording.ring import Batch
from roqsim.recording.sink import Meta

PART = ".part"
"""What is appended to the name while the stream is packed."""


class NpzSink:
    """An ``.npz`` file.

    Args:
        path: Where it goes; nothing may be there, nor its stream.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stream = path.with_name(path.name + stream.SUFFIX)
        self._file: AppendFile | None = None

    def open(self, meta: Meta) -> None:
        self._file = AppendFile(self.stream)
        self._file.write(stream.MAGIC)
        self._block(stream.META, json.dumps(meta).encode())
        self.flush()

    def write(self, batch: Batch) -> None:
        stream.write_block(self._file, stream.SAMPLES, *stream.columns_of(batch))

    def note(self, notes: Sequence[Note]) -> None:
        self._block(stream.NOTES, "".join(f"{to_line(note)}\n" for note in notes).encode())

    def status(self, status: Meta) -> None:
        self._block(stream.STATUS, json.dumps(status).encode())

    def flush(self) -> None:
        self._file.flush()

    def close(self, meta: Meta) -> None:
        self._block(stream.END, json.dumps(meta).encode())
        self._file.close()
        pack(self.stream, self.path)
        self.stream.unlink()

    def abandon(self) -> None:
        if self._file is not None:
            self._file.close()

    def _block(self, kind: bytes, data: bytes) -> None:
        stream.write_block(self._file, kind, data)


def pack(source: Path, target: Path) -> None:
    """Packs a stream into an ``.npz`` file, which is there only once it is whole; memory does not grow with it."""
    meta: Meta = {}
    samples = notes = 0
    for block in stream.read_blocks(source):
        if block.kind in (stream.META, stream.END):
            meta = json.loads(block.data)
        samples += len(block.data) if block.kind == stream.SAMPLES else 0
        notes += len(block.data) if block.kind == stream.NOTES else 0
    kind = stream.sample_type(int(meta["state_size"]))
    part = target.with_name(target.name + PART)
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            with archive.open("meta.npy", "w") as member:
                np.lib.format.write_array(member, np.array(json.dumps(meta)), allow_pickle=False)
            _copy(archive, "samples", source, stream.SAMPLES, kind, samples // kind.itemsize)
            _copy(archive, "notes", source, stream.NOTES, np.dtype("u1"), notes)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def _copy(archive: zipfile.ZipFile, name: str, source: Path, letter: bytes, kind: np.dtype, count: int) -> None:
    """Copies the blocks of a letter as one array."""
    head = {"descr": np.lib.format.dtype_to_descr(kind), "fortran_order": False, "shape": (count,)}
    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
        np.lib.format.write_array_header_1_0(member, head)
        for block in stream.read_blocks(source):
            if block.kind == letter:
                member.write(_rows(block.data, kind) if letter == stream.SAMPLES else block.data)


def _rows(data: bytes, kind: np.dtype) -> bytes:
    """The columns of a block as rows."""
    columns = stream.split(data, kind["state"].shape[0])
    rows = np.empty(len(columns[0]), kind)
    for name, column in zip(kind.names, columns, strict=True):
        rows[name] = column
    return rows.tobytes()
