"""The ports of a robot: what it publishes and what it can be told, in terms of no transport."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from roqsim.errors import RoqsimError
from roqsim.rates import Rate

DIRECTIONS = ("out", "in")

SERVED = ("service", "action")
"""The hints by which an ``in`` endpoint is a server, of which a name has one."""


class Clock(Protocol):
    """What an endpoint needs of the simulation: which state is current, and how to make it coherent."""

    tick: int
    version: int

    def refresh(self) -> None: ...


@dataclass
class StreamCounters:
    """What became of one stream over a run, resets included.

    Attributes:
        due: Publications that the rate called for, in the episodes that are over.
        produced: Payloads computed.
        published: Payloads that a transport sent.
        received: Payloads that came in.
        dropped: Payloads that were not sent, by reason.
    """

    due: int = 0
    produced: int = 0
    published: int = 0
    received: int = 0
    dropped: dict[str, int] = field(default_factory=dict)

    def drop(self, reason: str) -> None:
        """Counts a payload that was lost, and why."""
        self.dropped[reason] = self.dropped.get(reason, 0) + 1


def full_name(topic: str, namespace: str) -> str:
    """A topic with the scope that it is in; one that begins with a slash is in none."""
    scope = "" if topic.startswith("/") else namespace.strip("/")
    return "/".join(["", *filter(None, (scope, topic.strip("/")))])


def full_frame(frame: str, namespace: str) -> str:
    """A frame with the scope that it is in."""
    return full_name(frame.strip("/"), namespace).strip("/")


class Endpoint:
    """One port of an entity.

    An ``out`` endpoint has a value that is read, an ``in`` endpoint takes values that are written; both run on the
    physics thread and carry neutral payloads (``roqsim.context.payloads``). What a transport needs to know is in
    ``backend``, by the transport's name, and means nothing to anybody else.

    Attributes:
        name: The port's name in its owner's namespace, such as ``scan``.
        direction: ``out`` (simulation to world) or ``in``.
        owner: The entity it belongs to.
        namespace: The scope that a transport puts before topic and frame names.
        rate_hz: How often an ``out`` endpoint is to be published in Hz; None for every tick.
        rate: The rate that the physics step can hold, once the endpoint is registered.
        backend: Hints by transport, such as ``{"ros2": {"type": "sensor_msgs.msg.LaserScan", "topic": "scan"}}``; with
            ``"shared": True`` other endpoints may publish on the topic too. ``"tf": True`` says that the payload places
            ``child_frame_id`` in the tree of frames, ``"fixed_frames"`` which frames a ``Transforms`` places there.
        component: The address of the component that made it, once that is configured.
        on_listeners: Called whenever ``has_subscribers`` is set, on the thread that does it; None for nobody.
        on_write: Told the endpoint and every payload before the owner gets it, on the physics thread; None for nobody.
        lazy: True if a transport need not read it while nobody listens.
        holds: True if ``read`` gives the same payload again until the owner has a new one; only new ones count as
            produced.
        is_drawn: True if what it carries has to be drawn, which needs OpenGL.
        stateless: True if the payload is a function of the simulation's state, the tick and the seed alone, so that
            it can be read in a restored state. False, the default, for sums, latches, delays and commands' results.
        doc: One sentence for people.
        producer: The address of the component that offers it, filled in where it is added; empty for nobody's.
        counters: What became of its payloads.
    """

    def __init__(
        self,
        name: str,
        direction: str,
        owner: str = "",
        read: Callable[[], object] | None = None,
        write: Callable[[object], object] | None = None,
        *,
        rate_hz: float | None = None,
        namespace: str = "",
        backend: Mapping[str, Mapping[str, object]] | None = None,
        has_subscribers: Callable[[], bool] | bool | None = None,
        lazy: bool = False,
        holds: bool = False,
        reads_derived: bool = True,
        is_drawn: bool = False,
        stateless: bool = False,
        doc: str = "",
    ) -> None:
        if direction not in DIRECTIONS:
            raise ValueError(f"endpoint {name!r}: expected a direction of 'out' or 'in', got {direction!r}")
        needed, given = ("read", read) if direction == "out" else ("write", write)
        if given is None:
            raise ValueError(f"endpoint {name!r}: expected a `{needed}` callable for direction {direction!r}, got None")
        self.name = name
        self.direction = direction
        self.owner = owner
        self.namespace = namespace
        self.rate_hz = rate_hz
        self.rate: Rate | None = None
        self.backend = dict(backend or {})
        self.component: str | None = None
        self.on_listeners: Callable[[], None] | None = None
        self.on_write: Callable[[Endpoint, object], None] | None = None
        self._has_subscribers = has_subscribers
        self.lazy = lazy
        self.holds = holds
        self.is_drawn = is_drawn
        self.stateless = stateless
        self.doc = doc
        self.producer = ""
        self.counters = StreamCounters()
        self._produce = read or self._refuse_to_read
        self._consume = write
        self._reads_derived = reads_derived
        self._clock: Clock | None = None
        self._tick = self._version = -1
        self._value: object = None

    @property
    def path(self) -> str:
        """``owner/name``: how the endpoint is listed."""
        return f"{self.owner}/{self.name}" if self.owner else self.name

    def names_of_its_own(self) -> Iterator[tuple[str, str, str]]:
        """Transport, kind and full name of every topic and service that no other endpoint may have.

        Any number may listen to a topic; one publishes on it, unless it is there to be shared.
        """
        for transport, hints in self.backend.items():
            kind = "topic" if self.direction == "out" else next((key for key in SERVED if key in hints), None)
            topic = hints.get("topic")
            if kind is not None and isinstance(topic, str) and not hints.get("shared"):
                yield transport, kind, full_name(topic, self.namespace)

    def frames_it_places(self) -> Iterator[tuple[str, str, str]]:
        """Transport, tree and full name of every frame that the payloads place, as no other endpoint may.

        The tree is the scope of the topic that the transforms are published on, empty for ``/tf`` and ``/tf_static``.
        """
        for transport, hints in self.backend.items():
            frames = [hints.get("child_frame_id")] if hints.get("tf") else hints.get("fixed_frames", ())
            tree = "" if hints.get("tf") else str(hints.get("topic", "")).rpartition("/")[0].strip("/")
            for frame in frames:
                yield transport, tree, full_frame(str(frame), self.namespace)

    @property
    def has_subscribers(self) -> Callable[[], bool] | bool | None:
        """Whether anybody listens, or what tells it, where a transport knows; None where none does."""
        return self._has_subscribers

    @has_subscribers.setter
    def has_subscribers(self, told: Callable[[], bool] | bool | None) -> None:
        self._has_subscribers = told
        if self.on_listeners is not None:
            self.on_listeners()

    @property
    def is_watched(self) -> bool | None:
        """Whether somebody listens through a transport; None where no transport knows."""
        told = self._has_subscribers
        return told() if callable(told) else told

    def due(self, tick: int) -> int:
        """How many publications the rate calls for in the first ``tick`` ticks of an episode."""
        if self.rate is None:
            return tick
        return tick // self.rate.every_steps if self.rate.every_steps else 0

    def bind(self, clock: Clock, rate: Rate | None) -> None:
        """Ties the endpoint to a simulation; the interface does it when the endpoint is added."""
        self._clock = clock
        self.rate = rate

    def read(self) -> object:
        """The current payload, computed at most once a state however many ask; None where there is nothing to send."""
        clock = self._clock
        if clock is None:
            return self._produce()
        if clock.tick != self._tick or clock.version != self._version:
            if self._reads_derived:
                clock.refresh()
            value = self._produce()
            if value is not None and not (self.holds and value is self._value):
                self.counters.produced += 1
            self._value, self._tick, self._version = value, clock.tick, clock.version
        return self._value

    def write(self, payload: object) -> object:
        """Hands a payload to the owner; on the physics thread only (from elsewhere: ``ctx.post``).

        Raises:
            RoqsimError: If it is an ``out`` endpoint, or its owner refuses the payload.
        """
        if self._consume is None:
            raise RoqsimError(f"{self.path}: expected an 'in' endpoint to write to, got an 'out' one; read it")
        self.counters.received += 1
        if self.on_write is not None:
            self.on_write(self, payload)
        return self._consume(payload)

    def _refuse_to_read(self) -> object:
        raise RoqsimError(f"{self.path}: expected an 'out' endpoint to read, got an 'in' one; write to it")

    def __repr__(self) -> str:
        return f"Endpoint({self.path!r}, {self.direction!r})"
