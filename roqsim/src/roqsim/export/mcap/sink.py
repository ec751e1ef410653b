"""The file: channels that come into being with their first message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO

from mcap.writer import CompressionType, Writer

import roqsim
from roqsim.export.mcap.cdr import Encoder
from roqsim.export.mcap.definitions import definition, full_name

JSON = "json"
"""The type of a message that is a text of JSON, without a schema."""

CHUNK = 1 << 20
"""Bytes that are compressed together."""


class Sink:
    """An MCAP file that is being written.

    Args:
        file: Open for writing.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._writer = Writer(file, CHUNK, CompressionType.ZSTD)
        self._writer.start("", f"roqsim {roqsim.__version__}")
        self._encoders: dict[str, Encoder] = {}
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, tuple[int, str]] = {}
        self._counts: dict[str, int] = {}

    @property
    def counts(self) -> dict[str, int]:
        """How many messages each topic has."""
        return dict(self._counts)

    def add(self, topic: str, kind: str, message: Mapping[str, object] | str, time_ns: int) -> None:
        """Appends a message.

        Args:
            topic: Its topic, which keeps the type of its first message.
            kind: ``package/Type``, or ``JSON``.
            message: Its fields, or a text of JSON.
            time_ns: Simulated time in nanoseconds.
        """
        data = message.encode() if kind == JSON else self._encoder(kind)(message)
        channel = self._channel(topic, kind)
        sequence = self._counts[topic] = self._counts.get(topic, 0) + 1
        self._writer.add_message(channel, time_ns, data, time_ns, sequence)

    def has(self, topic: str) -> bool:
        """Whether a topic has a message."""
        return topic in self._counts

    def add_metadata(self, name: str, fields: Mapping[str, str]) -> None:
        """Appends texts that belong to no time."""
        self._writer.add_metadata(name, dict(fields))

    def finish(self) -> None:
        """Writes the index."""
        self._writer.finish()

    def _encoder(self, kind: str) -> Encoder:
        if kind not in self._encoders:
            self._encoders[kind] = Encoder(kind)
        return self._encoders[kind]

    def _channel(self, topic: str, kind: str) -> int:
        if topic not in self._channels:
            encoding = JSON if kind == JSON else "cdr"
            self._channels[topic] = self._writer.register_channel(topic, encoding, self._schema(kind)), kind
        channel, known = self._channels[topic]
        if known != kind:
            raise ValueError(f"{topic}: expected a message of type {known!r}, got {kind!r}")
        return channel

    def _schema(self, kind: str) -> int:
        if kind == JSON:
            return 0
        if kind not in self._schemas:
            text = definition(kind).encode()
            self._schemas[kind] = self._writer.register_schema(full_name(kind), "ros2msg", text)
        return self._schemas[kind]
