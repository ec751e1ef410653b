"""Writing a recording as MCAP, the container of ROS 2's bags: opens in Foxglove, rerun and ``ros2 bag``.

Layout: the world as attachments first, what is known of the run as metadata records ``roqsim.recording`` (the last one
holds), samples on ``/roqsim/samples``, notes and status as lines of JSON on ``/roqsim/notes`` and ``/roqsim/status``.
Message times are simulated nanoseconds. A whole batch closes its chunk, and so does every flush.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from pathlib import Path

from mcap.writer import CompressionType, Writer

from roqsim.recording import cdr
from roqsim.recording.append import AppendFile
from roqsim.recording.notes import Note, to_line
from roqsim.recording.ring import BATCH_BYTES, Batch
from roqsim.recording.sink import Meta

METADATA = "roqsim.recording"
"""The name of the metadata records."""

PROFILE = "ros2"
"""How messages are encoded: as ROS 2 does it."""

SAMPLES, NOTES, STATUS = "/roqsim/samples", "/roqsim/notes", "/roqsim/status"
"""The topics."""


class McapSink:
    """An MCAP file.

    Args:
        path: Where it goes; nothing may be there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: AppendFile | None = None
        self._dt = 0.0

    def open(self, meta: Meta) -> None:
        self._dt = float(meta["dt"])
        self._file = AppendFile(self.path)
        self._writer = writer = Writer(self._file, BATCH_BYTES // 2, CompressionType.ZSTD)
        writer.start(PROFILE, "roqsim")
        for name in ("declared", "resolved"):
            document = _document(meta, name)
            writer.add_attachment(0, 0, f"{name}.json", "application/json", document)
        self._write_meta(meta)
        samples = writer.register_schema(cdr.SAMPLES, "ros2msg", cdr.SAMPLES_DEFINITION.encode())
        text = writer.register_schema(cdr.TEXT, "ros2msg", cdr.TEXT_DEFINITION.encode())
        self._channels = {
            topic: writer.register_channel(topic, "cdr", schema)
            for topic, schema in ((SAMPLES, samples), (NOTES, text), (STATUS, text))
        }
        self._last_ns = 0
        self.flush()

    def write(self, batch: Batch) -> None:
        self._last_ns = round(float(batch.times[-1]) * 1e9)
        self._add(SAMPLES, cdr.pack_samples(batch), batch.first)

    def note(self, notes: Sequence[Note]) -> None:
        for note in notes:
            self._last_ns = max(self._last_ns, round(note.tick * self._dt * 1e9))
            self._add(NOTES, cdr.pack_text(to_line(note)))

    def status(self, status: Meta) -> None:
        self._add(STATUS, cdr.pack_text(json.dumps(status)))

    def flush(self) -> None:
        self._writer.flush()

    def close(self, meta: Meta) -> None:
        self.flush()
        self._write_meta(meta)
        self._writer.finish()
        self._file.close()

    def abandon(self) -> None:
        if self._file is not None:
            self._file.close()

    def _add(self, topic: str, data: bytes, sequence: int = 0) -> None:
        self._writer.add_message(self._channels[topic], self._last_ns, data, self._last_ns, sequence & 0xFFFFFFFF)

    def _write_meta(self, meta: Meta) -> None:
        text = json.dumps(meta)
        self._writer.add_metadata(METADATA, {"json": text, "crc32": checksum(text)})


def checksum(text: str) -> str:
    """The CRC-32 of a text: metadata records have none of their own."""
    return f"{zlib.crc32(text.encode()):08x}"


def _document(meta: Meta, name: str) -> bytes:
    """The world as it was written, or as it ran, for people and programs that look into the file."""
    parts = meta["declared"] if name == "declared" else {"sim": meta["sim"], "components": meta["components"]}
    return json.dumps(parts, indent=1, ensure_ascii=False).encode()
