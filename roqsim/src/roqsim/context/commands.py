"""How anything outside the physics thread gets something done: it posts a callable."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future

Command = Callable[[object], object]

LOG = logging.getLogger("roqsim")


class CommandQueue:
    """Callables from any thread, run in order on the physics thread."""

    def __init__(self) -> None:
        self._pending: deque[tuple[Command, Future]] = deque()
        self._arrived = threading.Event()
        self._closed = False

    def __bool__(self) -> bool:
        return bool(self._pending)

    def post(self, command: Command) -> Future:
        """Queues ``command(ctx)`` and returns a future of what it returns; after the end it is cancelled at once."""
        future: Future = Future()
        if self._closed:
            future.cancel()
            return future
        self._pending.append((command, future))
        self._arrived.set()
        return future

    def wait(self, timeout: float) -> bool:
        """Blocks until a command is there or the timeout (seconds of wall time) is over; true if there is one."""
        return self._arrived.wait(timeout)

    def drain(self, context: object) -> int:
        """Runs what is queued now, first come first served, on the calling thread.

        A command that raises hands its exception to whoever waits for its future; nobody else stops for it.

        Returns:
            How many commands ran.
        """
        self._arrived.clear()
        ran = 0
        for _ in range(len(self._pending)):
            command, future = self._pending.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            ran += 1
            try:
                future.set_result(command(context))
            except Exception as error:
                LOG.warning("a posted command failed: %s: %s", type(error).__name__, error)
                future.set_exception(error)
        if self._pending:
            self._arrived.set()
        return ran

    def close(self) -> None:
        """Cancels what is left; later commands are cancelled as they come."""
        self._closed = True
        while self._pending:
            self._pending.popleft()[1].cancel()
