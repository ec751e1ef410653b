"""The states of a recording in the pieces in which they lie in its file; only what is asked for is read."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable

import numpy as np

KEPT_BLOCKS = 16
"""How many pieces are kept once read."""

Load = Callable[[], np.ndarray]


class Blocks:
    """Pieces of a long array ``(n, size)``.

    Args:
        size: How many numbers a row has.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._starts: list[int] = []
        self._loads: list[Load] = []
        self._kept: OrderedDict[int, np.ndarray] = OrderedDict()
        self._count = 0

    def add(self, count: int, load: Load) -> None:
        """Appends a piece.

        Args:
            count: How many rows it has.
            load: Reads them: ``(count, size)``.
        """
        self._starts.append(self._count)
        self._loads.append(load)
        self._count += count

    def __len__(self) -> int:
        return self._count

    def row(self, index: int) -> np.ndarray:
        """A copy of one row, ``(size,)``."""
        block = bisect_right(self._starts, index) - 1
        return np.array(self._piece(block)[index - self._starts[block]], dtype=float)

    def rows(self) -> np.ndarray:
        """All rows, ``(n, size)``."""
        out = np.empty((self._count, self._size))
        for start, load in zip(self._starts, self._loads, strict=True):
            piece = load()
            out[start : start + len(piece)] = piece
        return out

    def _piece(self, block: int) -> np.ndarray:
        piece = self._kept.pop(block, None)
        if piece is None:
            piece = self._loads[block]()
        self._kept[block] = piece
        if len(self._kept) > KEPT_BLOCKS:
            self._kept.popitem(last=False)
        return piece
