"""A camera's finished pictures: a fixed number of them, leased read-only, never overwritten under a reader."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from roqsim.errors import RoqsimError
from roqsim.generation import FrameGeneration
from roqsim.rendering.eye import Eye


class Stamp(NamedTuple):
    """The state that a picture shows.

    Attributes:
        episode: The run's episode.
        tick: Steps since its reset.
        time_ns: Simulated time since its reset in nanoseconds.
        version: The context's count of changes between steps.
    """

    episode: int = 0
    tick: int = 0
    time_ns: int = 0
    version: int = 0


PLANE_FORMATS: Mapping[str, tuple[tuple[int, ...], type]] = MappingProxyType(
    {"colour": ((3,), np.uint8), "depth": ((), np.float32), "geoms": ((), np.int32)}
)
"""What a pixel of each plane holds: the shape behind rows and columns, and the type."""


class Slot:
    """Memory for one picture, its rows from the bottom up as GL reads them.

    Attributes:
        raw: By plane: what the backend writes into.
        views: By plane: the same memory, read-only, the top row first.
        failed: By plane: why it could not be drawn.
        drawn: The planes that are good.
        is_reserved: Whether it is promised to a picture on its way.
        stamp: The state that is shown.
        eye: Where the camera was.
        leases: How many hold it.
    """

    def __init__(self, width: int, height: int) -> None:
        self._size = (height, width)
        self.raw: dict[str, np.ndarray] = {}
        self.views: dict[str, np.ndarray] = {}
        self.failed: dict[str, str] = {}
        self.drawn: frozenset[str] = frozenset()
        self.stamp = Stamp()
        self.eye = Eye()
        self.leases = 0
        self.is_reserved = False

    def plane(self, name: str) -> np.ndarray:
        """The memory of a plane, made at its first use."""
        if name not in self.raw:
            tail, dtype = PLANE_FORMATS[name]
            self.raw[name] = np.zeros((*self._size, *tail), dtype)
            self.views[name] = self.raw[name][::-1]
            self.views[name].flags.writeable = False
        return self.raw[name]


class Lease:
    """A picture that stays until it is released: by ``release``, by the ``with`` block, or when nothing holds it.

    Attributes:
        stamp: The state that is shown.
        generation: The layout that drew it; the picture outlives it.
    """

    def __init__(self, store: FrameStore, slot: Slot) -> None:
        self._store = store
        self._slot: Slot | None = slot
        self.stamp = slot.stamp
        self.generation = store.generation

    def _plane(self, name: str) -> np.ndarray:
        slot = self._slot
        if slot is None:
            raise RoqsimError(f"expected a lease that is held, got one that was released, while reading {name!r}")
        if name not in slot.drawn:
            reason = slot.failed.get(name, "it was not asked for")
            raise RoqsimError(f"expected a picture with {name!r}, got one without; {reason}")
        return slot.views[name]

    @property
    def planes(self) -> frozenset[str]:
        """The planes that it has."""
        return frozenset() if self._slot is None else self._slot.drawn

    @property
    def failed(self) -> Mapping[str, str]:
        """By plane: why it is missing although it was asked for."""
        return {} if self._slot is None else dict(self._slot.failed)

    @property
    def colour(self) -> np.ndarray:
        """``(h, w, 3)`` uint8 RGB, read-only, gone after the release."""
        return self._plane("colour")

    @property
    def depth(self) -> np.ndarray:
        """``(h, w)`` float32 metres along the optical axis, ``inf`` for nothing; read-only, gone after the release."""
        return self._plane("depth")

    @property
    def geoms(self) -> np.ndarray:
        """``(h, w)`` int32 ids of the geoms, -1 for none; read-only, gone after the release."""
        return self._plane("geoms")

    @property
    def is_held(self) -> bool:
        """Whether it was not released."""
        return self._slot is not None

    def release(self) -> None:
        """Gives the memory back; may be called more than once."""
        slot, self._slot = self._slot, None
        if slot is not None:
            self._store.give_back(slot)

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, *exc: object) -> None:
        self.release()

    def __del__(self) -> None:
        if getattr(self, "_slot", None) is not None:
            self.release()


class FrameStore:
    """The memory of one camera.

    Args:
        width: Columns.
        height: Rows.
        capacity: How many pictures exist at once.
        generation: The layout that they belong to.
        changed: Notified whenever a picture is given back.
    """

    def __init__(
        self,
        width: int,
        height: int,
        capacity: int,
        generation: FrameGeneration,
        changed: threading.Condition | None = None,
    ) -> None:
        if capacity < 1:
            raise ValueError(f"expected a capacity >= 1, got {capacity!r}")
        self.generation = generation
        self.capacity = capacity
        self._slots = [Slot(width, height) for _ in range(capacity)]
        self._newest: Slot | None = None
        # Re-entrant: a lease may be collected, and thereby released, at any allocation of a thread that holds it.
        self._changed = changed or threading.Condition(threading.RLock())

    @property
    def allocated(self) -> int:
        """How many bytes of pictures it holds."""
        return sum(plane.nbytes for slot in self._slots for plane in slot.raw.values())

    @property
    def held(self) -> int:
        """How many pictures are held by leases."""
        return sum(slot.leases > 0 for slot in self._slots)

    def reserve(self) -> Slot | None:
        """Memory for the next picture, or None where every picture is held; the newest one goes last.

        The lock is held.
        """
        slot = None
        for each in self._slots:
            if each.leases or each.is_reserved:
                continue
            slot = each
            if each is not self._newest:
                break
        if slot is None:
            return None
        if slot is self._newest:
            self._newest = None
        slot.is_reserved = True
        slot.failed, slot.drawn = {}, frozenset()
        return slot

    def commit(self, slot: Slot) -> Lease:
        """Makes a reserved slot the newest picture and leases it."""
        with self._changed:
            slot.is_reserved = False
            self._newest = slot
            slot.leases += 1
            return Lease(self, slot)

    def abandon(self, slot: Slot) -> None:
        """Takes a reserved slot back without a picture."""
        with self._changed:
            slot.is_reserved = False
            self._changed.notify_all()

    def newest(self) -> Lease | None:
        """The newest picture, or None where there is none."""
        with self._changed:
            if self._newest is None:
                return None
            self._newest.leases += 1
            return Lease(self, self._newest)

    def give_back(self, slot: Slot) -> None:
        """Ends one lease of a slot."""
        with self._changed:
            slot.leases -= 1
            self._changed.notify_all()
