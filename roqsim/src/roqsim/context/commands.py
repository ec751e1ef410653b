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
    """Callables from any thread, run in order on the physics thread.

    Attributes:
        pending: What waits to be run, with the futures of the results.
    """

    def __init__(self) -> None:
        self.pending: deque[tuple[Command, Future]] = deque()
        self._arrived = threading.Event()
        self._closed = False
        self._reason: Exception | None = None

    def __bool__(self) -> bool:
        return bool(self.pending)

    def post(self, command: Command) -> Future:
        """Queues ``command(ctx)`` and returns a future of what it returns; after the end it is over at once.

        Raises:
            TypeError: If the command cannot be called.
        """
        if not callable(command):
            raise TypeError(f"post: expected something to call with the context, got {command!r}")
        future: Future = Future()
        self.pending.append((command, future))
        self._arrived.set()
        if self._closed:
            self.close()
        return future

    def wait(self, timeout: float) -> bool:
        """Blocks until a command is there or the timeout (seconds of wall time) is over; true if there is one."""
        return self._arrived.wait(timeout)

    def drain(self, context: object, run: Callable[[Command], object] | None = None) -> int:
        """Runs what is queued now, first come first served, on the calling thread.

        A command that raises hands its exception to whoever waits for its future; nobody else stops for it.

        Args:
            context: Given to each command.
            run: Runs one command, where it is not simply called with the context.

        Returns:
            How many commands ran.
        """
        self._arrived.clear()
        ran = 0
        for _ in range(len(self.pending)):
            command, future = self.pending.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            ran += 1
            try:
                future.set_result(command(context) if run is None else run(command))
            except Exception as error:
                LOG.warning("a posted command failed: %s: %s", type(error).__name__, error)
                future.set_exception(error)
        if self.pending:
            self._arrived.set()
        return ran

    def close(self, reason: Exception | None = None) -> None:
        """Gives up on what is left, and on later commands as they come.

        Args:
            reason: What whoever waits for one is told; without one it is cancelled.
        """
        self._closed, self._reason = True, reason or self._reason
        while self.pending:
            future = self.pending.popleft()[1]
            if self._reason is None:
                future.cancel()
            elif future.set_running_or_notify_cancel():
                future.set_exception(self._reason)
