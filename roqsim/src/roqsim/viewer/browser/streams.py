"""The streams of a world on the page: read at a low rate, and only those whose panel is open."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from roqsim.context import Endpoint, SimContext
from roqsim.viewer.browser.payloads import show

LOG = logging.getLogger("roqsim")

PERIOD = 0.1
"""Wall seconds between two readings of a stream."""


class Streams:
    """Reads the endpoints that somebody looks at.

    Args:
        ctx: The simulation.
        send: Given ``(path, simulated seconds, what to show)`` of each reading.
    """

    def __init__(self, ctx: SimContext, send: Callable[[str, float, tuple[object, ...]], None]) -> None:
        self._ctx = ctx
        self._send = send
        self._all = {endpoint.path: endpoint for endpoint in ctx.interface.by_direction("out")}
        self._wanted: frozenset[str] = frozenset()
        self._watched: dict[str, object] = {}
        self._next = 0.0
        self._failed: set[str] = set()

    def listed(self) -> list[tuple[str, str]]:
        """Every stream: its path and what it is."""
        return [(path, endpoint.doc) for path, endpoint in self._all.items()]

    def want(self, paths: Sequence[str]) -> None:
        """Says which streams are looked at from now on; from any thread."""
        self._wanted = frozenset(paths) & self._all.keys()

    def sync(self, now: float) -> None:
        """Reads what is due at a wall time in seconds; on the physics thread."""
        wanted = self._wanted
        if wanted != self._watched.keys():
            self._change(wanted)
        if not wanted or now < self._next:
            return
        self._next = now + PERIOD
        for path in wanted:
            self._send(path, self._ctx.sim_time, self._read(path))

    def _change(self, wanted: frozenset[str]) -> None:
        """Listens to what is wanted: whoever makes pictures makes them ahead then, and a reading never waits."""
        for path in [path for path in self._watched if path not in wanted]:
            self._all[path].has_subscribers = self._watched.pop(path)
        for path in wanted - self._watched.keys():
            self._watched[path] = self._all[path].has_subscribers
            if self._all[path].lazy:
                self._all[path].has_subscribers = True
        self._next = 0.0

    def _read(self, path: str) -> tuple[object, ...]:
        endpoint: Endpoint = self._all[path]
        try:
            return show(endpoint.read())
        except Exception as error:
            if path not in self._failed:
                self._failed.add(path)
                LOG.warning("browser: stream %s could not be read: %s: %s", path, type(error).__name__, error)
            return ("text", f"{type(error).__name__}: {error}")

    def close(self) -> None:
        """Stops listening."""
        self._wanted = frozenset()
        self._change(self._wanted)
