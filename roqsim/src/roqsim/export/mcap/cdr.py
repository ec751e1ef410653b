"""Messages as CDR bytes, the encoding of ROS 2.

Four bytes say little-endian; behind them every number stands at a multiple of its own size, counted from there. A
sequence is its length in 32 bits and its elements, a string a sequence of bytes that ends in a zero, a message its
fields in their order.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping

import numpy as np

from roqsim.export.mcap.definitions import FIELDS

LITTLE_ENDIAN = b"\x00\x01\x00\x00"

NUMBERS = {
    "bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "int64": "q",
    "uint64": "Q", "float32": "f", "float64": "d",
}  # fmt: skip
"""The numbers by their names, as ``struct`` calls them."""

Put = Callable[[bytearray, object], None]
"""Appends a value; None is zero, an empty text or nothing."""


class Encoder:
    """Encodes messages of one type.

    Args:
        name: The type, ``package/Type``.
    """

    def __init__(self, name: str) -> None:
        self._put = _message(name)

    def __call__(self, message: Mapping[str, object]) -> bytes:
        """The bytes of a message; a field that is left out is zero or empty."""
        buffer = bytearray()
        self._put(buffer, message)
        return LITTLE_ENDIAN + bytes(buffer)


def _message(name: str) -> Put:
    parts = [(field, _field(kind)) for kind, field in FIELDS[name]]

    def put(buffer: bytearray, value: object) -> None:
        given = {} if value is None else value
        for field, put_field in parts:
            put_field(buffer, given.get(field))

    return put


def _field(kind: str) -> Put:
    match = re.fullmatch(r"([^\[]+)(?:\[(\d*)\])?", kind)
    bare, size = match[1], match[2]
    if size is None:
        return _single(bare)
    numbers = _numbers_of(bare)
    if numbers is not None:
        return _array(*numbers, int(size) if size else None)
    return _sequence(_single(bare))


def _single(bare: str) -> Put:
    if bare == "string":
        return _string
    return _number(NUMBERS[bare]) if bare in NUMBERS else _message(bare)


def _number(code: str) -> Put:
    packer = struct.Struct(f"<{code}")

    def put(buffer: bytearray, value: object) -> None:
        _align(buffer, packer.size)
        buffer.extend(packer.pack(0 if value is None else value))

    return put


def _string(buffer: bytearray, value: object) -> None:
    data = ("" if value is None else str(value)).encode() + b"\0"
    _align(buffer, 4)
    buffer += struct.pack("<I", len(data)) + data


def _numbers_of(bare: str) -> tuple[np.dtype, int] | None:
    """The kind and count of the numbers that a type is made of, if they are all of one kind; else None."""
    if bare in NUMBERS:
        return np.dtype(f"<{NUMBERS[bare]}"), 1
    kinds = {kind for kind, _ in FIELDS.get(bare, ())}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return (np.dtype(f"<{NUMBERS[kind]}"), len(FIELDS[bare])) if kind in NUMBERS else None


def _array(dtype: np.dtype, width: int, size: int | None) -> Put:
    """An array of numbers, or of messages that are ``width`` numbers each, given as rows."""

    def put(buffer: bytearray, value: object) -> None:
        if isinstance(value, bytes | bytearray | memoryview):
            flat = np.frombuffer(value, dtype)
        else:
            flat = np.asarray(() if value is None else value, dtype).reshape(-1)
        if size is None:
            _align(buffer, 4)
            buffer.extend(struct.pack("<I", len(flat) // width))
        elif value is None:
            flat = np.zeros(size, dtype)
        elif len(flat) != size:
            raise ValueError(f"expected {size} numbers, got {len(flat)}")
        if len(flat):
            _align(buffer, dtype.itemsize)
            buffer.extend(flat.tobytes())

    return put


def _sequence(put_one: Put) -> Put:
    def put(buffer: bytearray, value: object) -> None:
        items = () if value is None else value
        _align(buffer, 4)
        buffer.extend(struct.pack("<I", len(items)))
        for item in items:
            put_one(buffer, item)

    return put


def _align(buffer: bytearray, size: int) -> None:
    buffer.extend(b"\0" * (-len(buffer) % size))
