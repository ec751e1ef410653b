"""A long array in an ``.npz`` file, read in pieces: each begins where the decompressor's state was kept."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np

PIECE = 2**21
"""Bytes of a piece, at most; a decompressor that is kept takes about 40 kB."""

FED = 2**14
"""Compressed bytes that are read at a time."""

LOCAL_HEAD = struct.Struct("<26xHH")
"""The lengths of name and extra field in what a member of a ZIP archive begins with (APPNOTE.TXT, 4.3.7)."""


def pieces(path: Path, info: zipfile.ZipInfo) -> Iterator[tuple[np.ndarray, Callable[[], np.ndarray]]]:
    """The rows of a member that holds a one-dimensional array, piece by piece.

    Args:
        path: The archive.
        info: The member, which is deflated.

    Yields:
        ``(n,)`` rows, and what reads them again.

    Raises:
        ValueError: It is damaged, or another array.
    """
    with zipfile.ZipFile(path) as archive, archive.open(info) as member:
        np.lib.format.read_magic(member)
        (count,), is_fortran, kind = np.lib.format.read_array_header_1_0(member)
        skipped = member.tell()
    if is_fortran or kind.hasobject or info.file_size != skipped + count * kind.itemsize:
        raise ValueError(f"expected {count} rows of numbers in {info.filename}")
    with path.open("rb") as file:
        file.seek(info.header_offset)
        file.seek(info.header_offset + LOCAL_HEAD.size + sum(LOCAL_HEAD.unpack(file.read(LOCAL_HEAD.size))))
        decompressor = zlib.decompressobj(-zlib.MAX_WBITS)
        checksum = zlib.crc32(_inflate(file, decompressor, skipped))
        most = max(PIECE // kind.itemsize, 1)
        for start in range(0, count, most):
            kept, offset = decompressor.copy(), file.tell()
            data = _inflate(file, decompressor, min(most, count - start) * kind.itemsize)
            checksum = zlib.crc32(data, checksum)
            rows = np.frombuffer(data, kind)
            yield rows, partial(_read, path, kind, len(rows), offset, kept)
    if checksum != info.CRC:
        raise ValueError(f"expected the checksum of {info.filename}, got another")


def _read(path: Path, kind: np.dtype, count: int, offset: int, decompressor: object) -> np.ndarray:
    """The rows of a piece; the decompressor stays as it is."""
    with path.open("rb") as file:
        file.seek(offset)
        return np.frombuffer(_inflate(file, decompressor.copy(), count * kind.itemsize), kind)


def _inflate(file: BinaryIO, decompressor: object, size: int) -> bytes:
    """The next bytes; the decompressor keeps what it was fed and did not use."""
    found = bytearray()
    while len(found) < size:
        fed = decompressor.unconsumed_tail or file.read(FED)
        found += decompressor.decompress(fed, size - len(found))
        if not fed or decompressor.eof:
            break
    if len(found) != size:
        raise ValueError("expected more data")
    return bytes(found)
