"""The way between a run and the process that serves its page; putting something on it never waits."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import Connection

Message = tuple[object, ...]
"""A kind and its values, all of them plain."""


class Link:
    """Sends and receives on threads of its own.

    Args:
        connection: The other end is the page's process.
        receive: Called with each message that comes, on the receiving thread.
        ended: Called there once nothing more can come.
    """

    def __init__(self, connection: Connection, receive: Callable[[Message], None], ended: Callable[[], None]) -> None:
        self._connection = connection
        self._receive = receive
        self._ended = ended
        self._changed = threading.Condition()
        self._queue: deque[Message] = deque()
        self._latest: dict[object, Message] = {}
        self._open = True
        self._threads = [
            threading.Thread(target=target, name=f"roqsim-browser-{name}", daemon=True)
            for name, target in (("send", self._send_all), ("receive", self._receive_all))
        ]
        for thread in self._threads:
            thread.start()

    def put(self, *message: object) -> None:
        """Sends a message after those that were put before it."""
        with self._changed:
            self._queue.append(message)
            self._changed.notify()

    def put_latest(self, key: object, *message: object) -> None:
        """Sends a message unless a later one with the same key overtakes it before it is on its way."""
        with self._changed:
            self._latest[key] = message
            self._changed.notify()

    def _send_all(self) -> None:
        while self._open:
            with self._changed:
                while self._open and not self._queue and not self._latest:
                    self._changed.wait()
                messages = [*self._queue, *self._latest.values()]
                self._queue.clear()
                self._latest.clear()
            try:
                for message in messages:
                    self._connection.send(message)
            except OSError:
                return

    def _receive_all(self) -> None:
        try:
            while True:
                self._receive(self._connection.recv())
        except (EOFError, OSError):
            self._ended()

    def close(self) -> None:
        """Ends both threads; the other process has to be gone by now."""
        with self._changed:
            self._open = False
            self._changed.notify()
        for thread in self._threads:
            thread.join()
        self._connection.close()
