"""Who wants pictures: nobody, somebody once, somebody all the time. From any thread."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable

PLANES = ("colour", "depth", "geoms")
"""What a camera can draw: RGB, metres along the optical axis, the id of the geom that is seen."""


_ORDER: dict[frozenset[str], tuple[str, ...]] = {}


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """The planes of these names, in the order in which they are drawn.

    Raises:
        ValueError: If there is no such plane.
    """
    found = _ORDER.get(names) if isinstance(names, frozenset) else None
    if found is None:
        wanted = planes_of(names)
        found = _ORDER[wanted] = tuple(plane for plane in PLANES if plane in wanted)
    return found


def planes_of(names: Iterable[str]) -> frozenset[str]:
    """The planes of these names.

    Raises:
        ValueError: If there is no such plane.
    """
    found = frozenset((names,) if isinstance(names, str) else names)
    unknown = sorted(found - set(PLANES))
    if unknown:
        raise ValueError(f"expected a plane of {', '.join(PLANES)}, got {unknown[0]!r}")
    return found


class Watch:
    """A continuous demand; it ends with ``close`` or the ``with`` block."""

    def __init__(self, demand: Demand, planes: frozenset[str]) -> None:
        self._demand = demand
        self._planes = planes

    def close(self) -> None:
        """Ends the demand; may be called more than once."""
        self._demand._drop(self._planes)
        self._planes = frozenset()

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class Demand:
    """The demand for one camera's planes, beside what its endpoints' listeners ask for.

    Attributes:
        on_ask: Called after each new demand, on the thread that asks; None for nobody.
    """

    def __init__(self) -> None:
        self.on_ask: Callable[[], None] | None = None
        self._lock = threading.Lock()
        self._watched: Counter[str] = Counter()
        self._once: frozenset[str] = frozenset()
        self._planes: frozenset[str] = frozenset()

    def once(self, planes: Iterable[str]) -> None:
        """Asks for the next picture that is due."""
        with self._lock:
            self._once |= planes_of(planes)
            self._sum()
        self._tell()

    def watch(self, planes: Iterable[str]) -> Watch:
        """Asks for every picture that is due, until the watch is closed."""
        wanted = planes_of(planes)
        with self._lock:
            self._watched.update(wanted)
            self._sum()
        self._tell()
        return Watch(self, wanted)

    def _tell(self) -> None:
        if self.on_ask is not None:
            self.on_ask()

    def _drop(self, planes: frozenset[str]) -> None:
        with self._lock:
            self._watched.subtract(planes)
            self._sum()

    def _sum(self) -> None:
        self._planes = self._once | {plane for plane, count in self._watched.items() if count > 0}

    @property
    def planes(self) -> frozenset[str]:
        """What is wanted now; empty for nothing."""
        return self._planes

    def take(self) -> frozenset[str]:
        """What is wanted now, whereupon what was wanted once is served."""
        if not self._planes:
            return self._planes
        with self._lock:
            wanted = self._planes
            self._once = frozenset()
            self._sum()
        return wanted
