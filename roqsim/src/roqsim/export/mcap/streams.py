"""The endpoints of a world as channels: when each is due, its topic, and its messages."""

from __future__ import annotations

import json
import logging
import struct

from roqsim.context import Endpoint, SimContext
from roqsim.errors import RoqsimError, reason_of
from roqsim.export.mcap.frames import FrameTree
from roqsim.export.mcap.messages import MAKERS, SCALARS, scalar_of
from roqsim.export.mcap.sink import JSON, Sink
from roqsim.json_value import json_value

LOG = logging.getLogger("roqsim")

MISFITS = (AttributeError, KeyError, TypeError, ValueError, struct.error)
"""What is raised by a payload that does not fit the message it is said to be."""


class Stream:
    """One endpoint.

    Args:
        endpoint: The endpoint.
        frames: Names the frames that its messages speak of.

    Attributes:
        endpoint: The endpoint.
        every_steps: Ticks from one due message to the next; None where every tick is due.
    """

    def __init__(self, endpoint: Endpoint, frames: FrameTree) -> None:
        self.endpoint = endpoint
        self.every_steps = None if endpoint.rate is None else endpoint.rate.every_steps
        hints = endpoint.backend.get("ros2", {})
        name = str(hints.get("type", "")).replace(".msg.", "/")
        self._frames, self._field = frames, hints.get("field")
        self._type = name if name in MAKERS or name in SCALARS else JSON
        self._topic = _topic(endpoint)
        self._told = 0

    def write(self, sink: Sink, ctx: SimContext) -> object | None:
        """Writes the current payload if one became due since the last call.

        Returns:
            The payload; None where none is due or there is nothing to say.
        """
        due = self.endpoint.due(ctx.tick)
        is_due, self._told = due > self._told, due
        payload = self.endpoint.read() if is_due else None
        if payload is None:
            return None
        try:
            sink.add(self._topic, self._type, self._message(payload), ctx.time_ns)
        except MISFITS as error:
            if self._type == JSON or sink.has(self._topic):
                text = f"{self.endpoint.path}: expected a payload for {self._type}, got {payload!r}; {reason_of(error)}"
                raise RoqsimError(text) from error
            LOG.warning("%s: written as JSON, because it is no %s: %s", self.endpoint.path, self._type, error)
            self._type = JSON
            sink.add(self._topic, JSON, self._message(payload), ctx.time_ns)
        return payload

    def _message(self, payload: object) -> object:
        if self._type == JSON:
            value = json_value(payload, infinite=lambda value: None)
            return json.dumps(value if isinstance(value, dict) else {"value": value}, allow_nan=False)
        if self._type in SCALARS:
            return {"data": scalar_of(payload, self._field)}
        return MAKERS[self._type](payload, lambda frame: self._frames.scoped(self.endpoint.namespace, frame))


def streams_of(ctx: SimContext, frames: FrameTree, *, pictures: bool) -> list[Stream]:
    """The endpoints that say something again and again.

    Args:
        ctx: A simulation after a reset.
        frames: Its frames.
        pictures: Whether those that have to be drawn are among them.
    """
    outs = ctx.interface.by_direction("out")
    return [Stream(each, frames) for each in outs if (pictures or not each.is_drawn) and each.rate_hz != 0.0]


def _topic(endpoint: Endpoint) -> str:
    """Where a transport would publish; the endpoint's path where it says nothing."""
    topic = str(endpoint.backend.get("ros2", {}).get("topic", "")) or "/" + endpoint.path.replace(".", "/")
    if topic.startswith("/"):
        return topic
    return "/" + "/".join(filter(None, (endpoint.namespace.strip("/"), topic)))
