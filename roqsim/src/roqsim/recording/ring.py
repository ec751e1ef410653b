"""The rows that samples pass through, from the physics thread to the process that writes them.

They lie in memory that both share, are of fixed size, and are never overwritten unread: when all are full, the physics
waits. A recording slows a run down rather than lose a sample.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from roqsim.context import SimContext

BATCH_BYTES = 128 * 1024
"""How much goes into a file at once, uncompressed."""

BATCHES = 8
"""How many batches the rows hold."""

FEWEST_ROWS = 16
"""How many samples there is room for, however large a state is."""

COUNT, LIMIT = 0, 1
"""Which of the first numbers is how many rows are whole, and up to which sample there is room; -1 after a failure."""

HEAD = 8
"""How many numbers of eight bytes lie before the rows: those two, and the rest of their cache line."""

PATIENCE = 1.0
"""Wall seconds between two calls of ``tend``, at most, while samples are taken."""


@dataclass(frozen=True)
class Batch:
    """Consecutive samples on their way to a file.

    Attributes:
        first: The index of the first of them.
        ticks: ``(n,)`` steps since the reset.
        times: ``(n,)`` simulated seconds.
        walls: ``(n,)`` seconds of the monotonic clock.
        states: ``(n, size)`` integration states; valid until the batch is given back.
    """

    first: int
    ticks: np.ndarray
    times: np.ndarray
    walls: np.ndarray
    states: np.ndarray

    def __len__(self) -> int:
        return len(self.ticks)


class Rows:
    """Shared rows, as both sides see them.

    Args:
        file: The descriptor of the memory; None to make it.
        size: How many numbers a state has.

    Attributes:
        batch: How many samples go into a file at once.
        capacity: How many there is room for.
        file: The descriptor of the memory.
    """

    def __init__(self, size: int, file: int | None = None) -> None:
        self.batch = max(1, BATCH_BYTES // (8 * (size + 3)))
        self.capacity = max(FEWEST_ROWS, BATCHES * self.batch)
        length = 8 * (HEAD + self.capacity * (size + 2))
        self.file = _memory(length) if file is None else file
        numbers = np.frombuffer(mmap.mmap(self.file, length), dtype=np.float64)
        if file is None:
            # Touched once: a page that is first needed in the middle of a run costs it more than its sample.
            numbers[:] = 0.0
        self.counters = memoryview(numbers[:HEAD].view(np.int64))
        columns = numbers[HEAD:]
        self.ticks = columns[: self.capacity].view(np.int64)
        self.walls = columns[self.capacity : 2 * self.capacity]
        self.states = columns[2 * self.capacity :].reshape(self.capacity, size)

    def close(self) -> None:
        """Lets go of the descriptor; the memory lasts as long as somebody looks at it."""
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


def _memory(length: int) -> int:
    """A file of zeros in memory, or beside other temporary files where the system has no such thing.

    Raises:
        OSError: There is not that much.
    """
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("roqsim-recording")
    else:
        with tempfile.TemporaryFile() as temporary:
            file = os.dup(temporary.fileno())
    os.ftruncate(file, length)
    return file


class Inlet:
    """Where the physics thread puts samples in.

    Args:
        rows: The shared rows.
        tend: Called whenever half of the rows are filled since the last call, and each second, after a sample.
        wait: Called while there is no room.

    Attributes:
        head: How many samples were put in.
    """

    def __init__(self, rows: Rows, tend: Callable[[], None], wait: Callable[[], None]) -> None:
        self.head = 0
        self._rows = rows
        self._tend, self._wait = tend, wait
        self._half = max(rows.capacity // 2, 1)
        self._pause_at, self._pause_by = self._half, time.monotonic() + PATIENCE
        rows.counters[COUNT], rows.counters[LIMIT] = 0, rows.capacity

    def sampler(self, ctx: SimContext) -> Callable[[SimContext], None]:
        """What takes one sample; everything that it touches is bound beforehand."""
        samples = self._samples(ctx)
        next(samples)
        return samples.send

    def _samples(self, ctx: SimContext) -> Generator[None, SimContext]:
        """Takes a sample whenever it is sent something: a generator is quicker to go on than a function to call."""
        import mujoco

        from roqsim.mj.state import INTEGRATION

        shared, capacity = self._rows.counters, self._rows.capacity
        rows, ticks, walls = list(self._rows.states), memoryview(self._rows.ticks), memoryview(self._rows.walls)
        model, data, get_state, clock = ctx.model, ctx.data, mujoco.mj_getState, time.monotonic
        head = self.head
        while True:
            yield
            row = head % capacity
            get_state(model, data, rows[row], INTEGRATION)
            ticks[row] = ctx.tick
            walls[row] = now = clock()
            shared[COUNT] = head
            self.head = head = head + 1
            if head >= self._pause_at or now >= self._pause_by:
                self._pause(now)

    def _pause(self, now: float) -> None:
        """Does what need not be done at every sample; there is room for the next ones afterwards.

        Args:
            now: Seconds of the monotonic clock.
        """
        self._tend()
        limit = self._rows.counters
        while self.head >= limit[LIMIT]:
            self._wait()
        self._pause_at = min(self.head + self._half, limit[LIMIT])
        self._pause_by = now + PATIENCE

    def last_tick(self) -> int:
        """The tick of the last sample, -1 where there is none."""
        return int(self._rows.ticks[(self.head - 1) % self._rows.capacity]) if self.head else -1


class Outlet:
    """Where the samples of one episode are taken out, in another process as a rule.

    Args:
        rows: The shared rows.
        dt: The physics step in seconds.

    Attributes:
        head: How many samples are known to be there.
        tail: How many were taken out.
    """

    def __init__(self, rows: Rows, dt: float) -> None:
        self.head = self.tail = 0
        self._rows, self._dt = rows, dt

    def count(self) -> None:
        """Learns how many samples are there for sure: all but the last one.

        A row counts once the next sample begins, because only then has every processor seen all of it.
        """
        self.head = self._rows.counters[COUNT]

    def peek(self) -> Batch | None:
        """The next samples that lie in one piece, or None; they stay until ``give_back``."""
        ring, tail = self._rows, self.tail
        start = tail % ring.capacity
        count = min(self.head - tail, ring.batch, ring.capacity - start)
        if count <= 0:
            return None
        rows = slice(start, start + count)
        ticks = ring.ticks[rows].copy()
        return Batch(tail, ticks, ticks * self._dt, ring.walls[rows].copy(), ring.states[rows])

    @property
    def has_batch(self) -> bool:
        """Whether the samples that are there make a batch."""
        return self.head - self.tail >= self._rows.batch

    def give_back(self, batch: Batch) -> None:
        """Frees the rows of a batch."""
        self.tail += len(batch)
        self._rows.counters[LIMIT] = self.tail + self._rows.capacity

    def fail(self) -> None:
        """Leaves no room: whoever fills the rows has to ask why."""
        self._rows.counters[LIMIT] = -1
