"""Reading a recording from MCAP, whole or cut off anywhere."""

from __future__ import annotations

import io
import json
import logging
import struct
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np
from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, Message, Metadata
from mcap.stream_reader import breakup_chunk

from roqsim.errors import RecordingError
from roqsim.recording import cdr
from roqsim.recording.blocks import Blocks
from roqsim.recording.mcap_sink import METADATA, NOTES, SAMPLES, STATUS, checksum
from roqsim.recording.notes import from_line
from roqsim.recording.source import Source, joined

LOG = logging.getLogger("roqsim")

MAGIC = b"\x89MCAP0\r\n"
"""What an MCAP file begins with, and ends with where it was finished."""

HEAD = struct.Struct("<BQ")
"""What every record begins with: its kind and its length."""


def read_mcap(path: Path) -> Source:
    """Reads everything but the states; a file that breaks off is read up to there.

    Raises:
        RecordingError: It is no recording, or damaged in its middle.
    """
    with path.open("rb") as file:
        reader = _Reader(path, file)
        reader.walk()
    return reader.source()


class _Reader:
    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path, self._file = path, file
        self._length = file.seek(0, io.SEEK_END)
        file.seek(max(self._length - len(MAGIC), 0))
        self._is_finished = self._length > 2 * len(MAGIC) and file.read() == MAGIC
        self._meta: dict[str, object] | None = None
        self._status = "{}"
        self._topics: dict[int, str] = {}
        self._found = Source(path, {}, Blocks(0))
        self._ticks: list[np.ndarray] = []
        self._times: list[np.ndarray] = []
        self._walls: list[np.ndarray] = []
        self._ended = False

    def walk(self) -> None:
        """Visits the records in their order, as far as they go."""
        at = len(MAGIC)
        for at, kind, length in self._records():
            try:
                if kind == Opcode.METADATA:
                    self._take_metadata(Metadata.read(_stream(self._file, at, length)))
                elif kind == Opcode.CHUNK:
                    self._take_chunk(at, length)
                elif kind == Opcode.DATA_END:
                    self._ended = True
                    return
            except Exception as error:
                # Damaged bytes raise all kinds of things, in mcap as in the decompressors.
                if self._is_finished:
                    raise _damaged(self._path, at) from error
                if at + length < self._length:
                    LOG.warning("%s: damaged at byte %d; it is read up to there", self._path, at)
                return
        if self._is_finished:
            raise _damaged(self._path, at)

    def source(self) -> Source:
        """What was found."""
        if self._meta is None and not self._is_finished:
            raise RecordingError(f"{self._path}: expected a recording, got one that breaks off in its head")
        if self._meta is None:
            raise RecordingError(
                f"{self._path}: expected a recording of roqsim, got an MCAP file without "
                f"metadata {METADATA!r}; name a file that 'roqsim sim --record' wrote"
            )
        found = self._found
        found.meta, found.status = self._meta, json.loads(self._status)
        found.is_whole = self._ended and self._is_finished
        found.ticks, found.times = joined(self._ticks, np.int64), joined(self._times, float)
        found.walls = joined(self._walls, float)
        return found

    def _records(self) -> Iterator[tuple[int, int, int]]:
        """Where each whole record's content begins, its kind and its length."""
        at = len(MAGIC)
        while at + HEAD.size <= self._length:
            self._file.seek(at)
            kind, length = HEAD.unpack(self._file.read(HEAD.size))
            at += HEAD.size
            if not kind or at + length > self._length:
                return
            yield at, kind, length
            at += length

    def _take_metadata(self, record: Metadata) -> None:
        if record.name != METADATA:
            return
        is_first = self._meta is None
        text = record.metadata["json"]
        if checksum(text) != record.metadata["crc32"]:
            raise ValueError("expected metadata that are whole")
        self._meta = json.loads(text)
        if is_first:
            self._found.states = Blocks(int(self._meta.get("state_size") or 0))

    def _take_chunk(self, at: int, length: int) -> None:
        for number, message in _messages(self._file, at, length, self._topics):
            topic = self._topics.get(message.channel_id)
            if topic == SAMPLES and self._meta is not None:
                first, ticks, times, walls, _ = cdr.unpack_samples(message.data)
                if first != len(self._found.states):
                    raise ValueError(f"expected sample {len(self._found.states)}, got {first}")
                for column, values in ((self._ticks, ticks), (self._times, times), (self._walls, walls)):
                    column.append(values)
                self._found.states.add(len(ticks), partial(_load, self._path, at, length, number))
            elif topic == NOTES:
                self._found.notes.append(from_line(cdr.unpack_text(message.data)))
            elif topic == STATUS:
                self._status = cdr.unpack_text(message.data)


def _load(path: Path, at: int, length: int, number: int) -> np.ndarray:
    """The states of one message of a chunk."""
    with path.open("rb") as file:
        for index, message in _messages(file, at, length, {}):
            if index == number:
                return cdr.unpack_samples(message.data)[-1]
    raise _damaged(path, at)


def _messages(file: BinaryIO, at: int, length: int, topics: dict[int, str]) -> Iterator[tuple[int, Message]]:
    """The messages of a chunk, numbered; the channels in it are added to the topics."""
    records = breakup_chunk(Chunk.read(_stream(file, at, length)), validate_crc=True)
    topics.update({each.id: each.topic for each in records if isinstance(each, Channel)})
    yield from enumerate(each for each in records if isinstance(each, Message))


def _stream(file: BinaryIO, at: int, length: int) -> ReadDataStream:
    file.seek(at)
    return ReadDataStream(io.BytesIO(file.read(length)))


def _damaged(path: Path, at: int) -> RecordingError:
    return RecordingError(f"{path}: expected a recording that is whole, got damage at byte {at}; take a copy of it")
