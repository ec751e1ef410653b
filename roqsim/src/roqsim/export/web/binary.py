"""The numbers of a scene: one file of arrays, each named by where it begins and how many elements it has."""

from __future__ import annotations

import numpy as np

ALIGNMENT = 4
"""Bytes of which every offset is a multiple: what a browser's typed arrays ask for."""

FLOATS, INDICES, BONES = "<f4", "<u4", "<u2"
"""Coordinates and weights, vertices of triangles, and bones of vertices: little-endian."""


class Binary:
    """Collects arrays; equal ones are kept once."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._known: dict[bytes, int] = {}
        self._size = 0

    def add(self, array: np.ndarray, dtype: str) -> dict[str, int]:
        """Appends an array in rows.

        Args:
            array: Of any shape.
            dtype: ``FLOATS``, ``INDICES`` or ``BONES``.

        Returns:
            ``off`` in bytes and ``count`` in elements.
        """
        raw = np.ascontiguousarray(array, dtype=dtype).tobytes()
        if raw not in self._known:
            self._known[raw] = self._size
            padded = raw + b"\0" * (-len(raw) % ALIGNMENT)
            self._parts.append(padded)
            self._size += len(padded)
        return {"off": self._known[raw], "count": int(np.size(array))}

    def bytes(self) -> bytes:
        """The content of the file."""
        return b"".join(self._parts)
