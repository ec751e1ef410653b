"""A new file that grows at its end and holds nothing back: what was written is the operating system's at once."""

from __future__ import annotations

import os
from pathlib import Path

Bytes = bytes | bytearray | memoryview
"""What can be written."""


class AppendFile:
    """A file without a buffer, so that letting go of it after a failure writes nothing more.

    Args:
        path: Where it goes.

    Raises:
        OSError: Something is there already, or it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor: int | None = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        self._length = 0

    def write(self, data: Bytes) -> int:
        """Appends bytes; returns how many."""
        left = memoryview(data).cast("B")
        while left:
            left = left[os.write(self._descriptor, left) :]
        self._length += memoryview(data).nbytes
        return memoryview(data).nbytes

    def tell(self) -> int:
        """How long the file is."""
        return self._length

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Ends the file; may be called more than once."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)
