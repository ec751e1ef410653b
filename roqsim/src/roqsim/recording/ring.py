"""The rows that samples pass through, from the physics thread to the writer: of fixed size, never overwritten unread.

The physics thread fills rows, the writer's thread empties them. When all are full, the physics waits: a recording slows
a run down rather than lose a sample.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from roqsim.mj.state import INTEGRATION

if TYPE_CHECKING:
    from roqsim.context import SimContext

BATCH_BYTES = 128 * 1024
"""How much is handed to the writer at once, uncompressed."""

BATCHES = 8
"""How many batches the rows hold."""

FEWEST_ROWS = 16
"""How many samples there is room for, however large a state is."""


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


class Ring:
    """Rows for samples between two threads.

    Args:
        size: How many numbers a state has.
        dt: The physics step in seconds.

    Attributes:
        head: How many samples were put in.
        tail: How many were taken out.
        is_failure_told: Whether the physics thread has raised what the writer failed with.
    """

    def __init__(self, size: int, dt: float) -> None:
        self.batch = max(1, BATCH_BYTES // (8 * (size + 3)))
        self.capacity = max(FEWEST_ROWS, BATCHES * self.batch)
        self.head = self.tail = 0
        self._dt = dt
        self._states = np.zeros((self.capacity, size))
        self._rows = list(self._states)
        self._ticks = np.zeros(self.capacity, dtype=np.int64)
        self._walls = np.zeros(self.capacity)
        self._limit = self.capacity
        self._wake_at = self.capacity // 2
        self._filled = threading.Event()
        self._emptied = threading.Event()
        self._failure: BaseException | None = None
        self.is_failure_told = False

    # On the physics thread; the hot path, with everything that it touches bound beforehand

    def sampler(self, ctx: SimContext) -> Callable[[SimContext], None]:
        """What takes one sample."""
        rows, ticks, walls = self._rows, memoryview(self._ticks), memoryview(self._walls)
        model, data, spec, capacity = ctx.model, ctx.data, INTEGRATION, self.capacity
        get_state, clock = mujoco.mj_getState, time.monotonic

        def sample(ctx: SimContext) -> None:
            head = self.head
            if head >= self._limit:
                self._wait()
            row = head % capacity
            get_state(model, data, rows[row], spec)
            ticks[row] = ctx.tick
            walls[row] = clock()
            self.head = head = head + 1
            if head == self._wake_at:
                self._filled.set()

        return sample

    def _wait(self) -> None:
        """Waits for room.

        Raises:
            BaseException: What the writer failed with.
        """
        while self.head >= self._limit:
            if self._failure is not None:
                self.is_failure_told = True
                raise self._failure
            self._emptied.clear()
            if self.head >= self._limit and self._failure is None:
                self._filled.set()
                self._emptied.wait(1.0)

    def last_tick(self) -> int:
        """The tick of the last sample, -1 where there is none."""
        return int(self._ticks[(self.head - 1) % self.capacity]) if self.head else -1

    def wake(self) -> None:
        """Lets the writer look at once."""
        self._filled.set()

    # On the writer's thread

    def wait(self, timeout: float) -> None:
        """Blocks until half of the rows are full, somebody calls ``wake``, or the timeout (seconds) is over."""
        self._filled.wait(timeout)
        self._filled.clear()

    def peek(self, head: int) -> Batch | None:
        """The next samples before the one with index ``head`` that lie in one piece, or None.

        They stay until ``give_back``.
        """
        tail = self.tail
        start = tail % self.capacity
        count = min(head - tail, self.batch, self.capacity - start)
        if not count:
            return None
        rows = slice(start, start + count)
        ticks = self._ticks[rows].copy()
        return Batch(tail, ticks, ticks * self._dt, self._walls[rows].copy(), self._states[rows])

    def give_back(self, batch: Batch) -> None:
        """Frees the rows of a batch."""
        self.tail += len(batch)
        self._wake_at = self.tail + self.capacity // 2
        if self._failure is None:
            self._limit = self.tail + self.capacity
        self._emptied.set()

    def fail(self, error: BaseException) -> None:
        """Hands what the writer failed with to the physics thread, which raises it at its next sample."""
        self._failure = error
        self._limit = -1
        self._emptied.set()

    @property
    def failure(self) -> BaseException | None:
        """What the writer failed with."""
        return self._failure
