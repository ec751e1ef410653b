"""The register of all endpoints of a world."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from roqsim.context.endpoint import Clock, Endpoint
from roqsim.errors import NotFoundError, RoqsimError, suggest
from roqsim.rates import Rate


@dataclass(frozen=True)
class Clash:
    """Two endpoints of one name in a transport.

    Attributes:
        endpoint: The later one.
        other: The earlier one.
        topic: The full name of the topic, service or frame.
        is_frame: Whether both place that frame.
    """

    endpoint: Endpoint
    other: Endpoint
    topic: str
    is_frame: bool = False

    def __str__(self) -> str:
        """Whose topic, service or frame the endpoint would take, and how to give it one of its own."""
        endpoint, other = self.endpoint, self.other
        if self.is_frame:
            return (
                f"{endpoint.component or endpoint.path}: expected a frame of its own for {endpoint.name!r} to place, "
                f"got {self.topic!r}, which {other.component or other.path} places; name another frame in one of the "
                "two, or give what carries them a `namespace:` of its own"
            )
        cure = f"write `topics: {{{endpoint.name}: <another>}}` in one of the two"
        if endpoint.namespace == other.namespace and endpoint.owner != other.owner:
            cure += ", or give what carries them a `namespace:` of its own"
        return (
            f"{endpoint.component or endpoint.path}: expected a topic of its own for {endpoint.name!r}, "
            f"got {self.topic!r}, which {other.component or other.path} has; {cure}"
        )


class Interface:
    """What a world offers to transports, recorders and scripts, in the order of registration.

    Args:
        clock: The simulation, whose state decides when a payload is stale.
        snap: Turns an endpoint's requested rate into one that the physics step can hold.

    Attributes:
        producer: The address of the component whose hook runs: endpoints that are added meanwhile are its own.
    """

    def __init__(self, clock: Clock, snap: Callable[[str, float], Rate]) -> None:
        self._clock = clock
        self._snap = snap
        self._endpoints: dict[tuple[str, str, str], Endpoint] = {}
        self.producer = ""

    def add(self, endpoint: Endpoint) -> Endpoint:
        """Registers an endpoint and moves its rate to one that the step can hold.

        Raises:
            RoqsimError: If the owner has an endpoint of that name and direction, or the rate cannot be held.
        """
        key = (endpoint.owner, endpoint.name, endpoint.direction)
        if key in self._endpoints:
            raise RoqsimError(
                f"{endpoint.path}: expected one endpoint of this name and direction {endpoint.direction!r}, "
                "got a second"
            )
        rate = None if endpoint.rate_hz is None else self._snap(endpoint.path, endpoint.rate_hz)
        endpoint.bind(self._clock, rate)
        endpoint.producer = self.producer
        self._endpoints[key] = endpoint
        return endpoint

    def all(self) -> list[Endpoint]:
        """Every endpoint."""
        return list(self._endpoints.values())

    def by_direction(self, direction: str) -> list[Endpoint]:
        """The endpoints of one direction."""
        return [endpoint for endpoint in self._endpoints.values() if endpoint.direction == direction]

    def get(self, owner: str, name: str, direction: str | None = None) -> Endpoint:
        """The endpoint of an owner by its name.

        Raises:
            NotFoundError: If there is none.
        """
        for candidate in (direction,) if direction else ("out", "in"):
            if (owner, name, candidate) in self._endpoints:
                return self._endpoints[owner, name, candidate]
        wanted = f"{owner}/{name}"
        known = [endpoint.path for endpoint in self._endpoints.values()]
        raise NotFoundError(f"expected the path of an endpoint, got {wanted!r}; {suggest(wanted, known)}")

    def credit(self, component: str) -> None:
        """Notes which component made the endpoints that came in since the last call."""
        for endpoint in self._endpoints.values():
            if endpoint.component is None:
                endpoint.component = component

    def clashes(self) -> list[Clash]:
        """Each stream or service that has the name of an earlier one in some transport."""
        return [Clash(*pair) for pair in self._twice(Endpoint.names_of_its_own)]

    def frame_clashes(self) -> list[Clash]:
        """Each frame that an endpoint places although an earlier one does, in some transport's tree."""
        return [Clash(*pair, is_frame=True) for pair in self._twice(Endpoint.frames_it_places)]

    def _twice(
        self, names: Callable[[Endpoint], Iterator[tuple[str, str, str]]]
    ) -> Iterator[tuple[Endpoint, Endpoint, str]]:
        """Each endpoint with one of the names of an earlier one, that one, and the last part of the name."""
        first: dict[tuple[str, str, str], Endpoint] = {}
        for endpoint in self._endpoints.values():
            for name in names(endpoint):
                other = first.setdefault(name, endpoint)
                if other is not endpoint:
                    yield endpoint, other, name[-1]

    def count_due(self, tick: int) -> None:
        """Adds the publications that were due in an episode that ends at a tick to the counters."""
        for endpoint in self.by_direction("out"):
            endpoint.counters.due += endpoint.due(tick)

    def __len__(self) -> int:
        return len(self._endpoints)
