"""One endpoint of a camera: who wants it, what is on its way to it, and what it carries now."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from roqsim.context import Endpoint
from roqsim.sensing.sensor import Output

from roqsim_sensors.cameras.imager import Imager
from roqsim_sensors.cameras.products import Develop


class Turn(Protocol):
    """A picture of the render service that was asked for."""

    is_over: bool
    result: Mapping[str, object] | None
    reason: str

    def wait(self) -> object: ...


@dataclass(frozen=True, kw_only=True)
class CameraOutput(Output):
    """A stream of a camera.

    Attributes:
        imager: The view that it is taken from.
        planes: What has to be drawn for it; nothing for the geometry of the camera.
        develop: Makes the payload of a picture; None for the geometry.
        topic: The topic behind the camera's own label.
        doc: One sentence for people.
    """

    imager: Imager
    planes: frozenset[str] = frozenset()
    develop: Develop | None = None
    topic: str
    doc: str


@dataclass(frozen=True)
class Shot:
    """A capture that is on its way to an endpoint.

    Attributes:
        tick: The tick of the state.
        time_ns: Its time in nanoseconds.
        turn: The picture; None where none is needed.
    """

    tick: int
    time_ns: int
    turn: Turn | None


class Port:
    """The state of one endpoint.

    Attributes:
        output: What it is.
        endpoint: The endpoint, once offered.
        wanted: Whether somebody has read it since the last capture.
        tick: The tick of the last capture, -1 for none.
        time_ns: The time of that state in nanoseconds.
        version: The context's version at that capture.
        payload: What it carries.
    """

    def __init__(self, output: CameraOutput) -> None:
        self.output = output
        self.endpoint: Endpoint | None = None
        self.forget()

    def forget(self) -> None:
        """Drops what it carries and what is on its way."""
        self.wanted = False
        self.tick = self.version = -1
        self.time_ns = 0
        self.payload: object | None = None
        self._shots: deque[Shot] = deque()

    @property
    def has_listener(self) -> bool:
        """Whether a transport has somebody who listens."""
        return bool(self.endpoint.is_watched)

    def begin(self, shot: Shot, version: int) -> None:
        """Notes a capture."""
        self.tick, self.time_ns, self.version = shot.tick, shot.time_ns, version
        self._shots.append(shot)

    def collect(self, until: int, *, wait: bool) -> None:
        """Takes what has arrived.

        Args:
            until: The last tick whose pictures may be seen by now.
            wait: Whether to wait for pictures that are still being drawn.
        """
        while self._shots and self._shots[0].tick <= until:
            shot = self._shots[0]
            if shot.turn is None:
                self.payload = self.output.imager.channel.info(shot.time_ns)
            elif wait or shot.turn.is_over:
                self._take(shot.turn, wait)
            else:
                return
            self._shots.popleft()

    def _take(self, turn: Turn, wait: bool) -> None:
        if wait:
            turn.wait()
        payload = (turn.result or {}).get(self.output.name)
        if payload is not None:
            self.payload = payload
            return
        self.endpoint.counters.drop(turn.reason or "not drawn")
        if wait:
            # Whoever waited for this very picture must not take an older one for it.
            self.payload = None
