"""One picture that was asked for: on its way, drawn, missed or cancelled."""

from __future__ import annotations

import enum
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from roqsim.errors import GLError
from roqsim.rendering.store import Lease, Slot, Stamp

if TYPE_CHECKING:
    from roqsim.rendering.snapshot import Snapshot
    from roqsim.rendering.stream import Stream

Develop = Callable[[Lease], object]
"""Makes something of a picture, on the render thread; the picture is given back afterwards."""

POLL = 0.25
"""Seconds between two looks at the watchdog while somebody waits."""


class TurnStatus(enum.Enum):
    """What became of a turn."""

    PENDING = "pending"
    DONE = "done"
    MISSED = "missed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Turn:
    """One capture of one camera.

    Attributes:
        stream: The camera.
        stamp: The state that was captured.
        planes: What is to be drawn, in the order in which it is.
        status: What became of it.
        reason: Why it is missed, failed or cancelled; empty otherwise.
        result: What ``develop`` made of the picture.
        lease: The picture, where there is no ``develop``; whoever takes it releases it.
        started: When the render thread began with it, in seconds of the monotonic clock.
    """

    status = TurnStatus.PENDING
    reason = ""
    result: object = None
    lease: Lease | None = None
    started: float | None = None
    slot: Slot | None = None
    snapshot: Snapshot | None = None

    def __init__(
        self,
        stream: Stream,
        stamp: Stamp,
        planes: tuple[str, ...],
        develop: Develop | None,
        changed: threading.Condition,
    ) -> None:
        self.stream = stream
        self.stamp = stamp
        self.planes = planes
        self.develop = develop
        self._changed = changed

    @property
    def is_over(self) -> bool:
        """Whether anything became of it."""
        return self.status is not TurnStatus.PENDING

    def end(self, status: TurnStatus, reason: str = "") -> None:
        """Says what became of it; the first verdict stays."""
        with self._changed:
            if not self.is_over:
                self.status, self.reason = status, reason
            self._changed.notify_all()

    def hand_over(self, lease: Lease) -> None:
        """Ends it with a picture, unless it was cancelled meanwhile: the picture is given back then."""
        with self._changed:
            if self.is_over:
                lease.release()
                return
            self.lease = lease
            self.end(TurnStatus.DONE)

    def wait(self, timeout: float | None = None) -> Turn:
        """Blocks until something became of it.

        Args:
            timeout: Seconds of wall time; None leaves it to the service's watchdog.

        Raises:
            TimeoutError: If the timeout is over first.
            GLError: If the renderer failed for good.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        service = self.stream.service
        with self._changed:
            while not self.is_over:
                left = POLL if deadline is None else min(POLL, deadline - time.monotonic())
                if left <= 0.0:
                    raise TimeoutError(f"{self.stream.name}: expected a picture within {timeout:g} s, got none")
                self._changed.wait(left)
                service.check_watchdog()
        if self.status is TurnStatus.FAILED and service.failure:
            raise GLError(service.failure)
        return self
