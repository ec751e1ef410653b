"""States on their way to the render thread: at most two of them, filled by the physics thread, drawn by the other."""

from __future__ import annotations

from typing import Protocol

import mujoco

from roqsim.rendering.scene import SceneOptions, scene_size
from roqsim.rendering.store import Stamp

IN_FLIGHT = 2
"""How many states of one model are captured and not yet drawn."""


class Source(Protocol):
    """Whose states are captured; a ``SimContext`` is one."""

    model: mujoco.MjModel
    data: mujoco.MjData
    episode: int
    tick: int
    version: int

    @property
    def time_ns(self) -> int: ...

    def refresh(self) -> None: ...


class StillSource:
    """A model and its data without a simulation around them.

    Args:
        model: The compiled model.
        data: Its state; after changing it, call ``changed``.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self.model, self.data = model, data
        self.episode = self.tick = self.version = 0
        self.changed()

    @property
    def time_ns(self) -> int:
        """The data's time in nanoseconds."""
        return round(float(self.data.time) * 1e9)

    def refresh(self) -> None:
        """Nothing to do: the data is current since the last ``changed``."""

    def changed(self) -> None:
        """Says that the state was written, and makes derived quantities current."""
        mujoco.mj_forward(self.model, self.data)
        self.version += 1


class Snapshot:
    """What there is to draw at one state; whatever model and data do later, it stays.

    Attributes:
        scene: Geoms and lights in the world.
        stamp: The state.
        options: What was left out of it.
        users: Turns that have yet to draw it.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        self.scene = mujoco.MjvScene(model, scene_size(model))
        self.stamp = Stamp()
        self.options: SceneOptions | None = None
        self.users = 0
        self._camera = mujoco.MjvCamera()
        self._option: mujoco.MjvOption | None = None
        self._categories = 0

    def fill(self, source: Source, options: SceneOptions, stamp: Stamp) -> None:
        """Copies the current state; on the physics thread."""
        if self._option is None or (options is not self.options and options != self.options):
            self._option, self._categories, self.options = options.to_mujoco(), options.categories, options
        source.refresh()
        mujoco.mjv_updateScene(
            source.model, source.data, self._option, None, self._camera, self._categories, self.scene
        )
        self.stamp = stamp


class SnapshotPool:
    """All snapshots of one model.

    Args:
        model: The compiled model.
        count: How many there are; each is made at its first use.
    """

    def __init__(self, model: mujoco.MjModel, count: int = IN_FLIGHT) -> None:
        self._model = model
        self._left = count
        self._free: list[Snapshot] = []
        self._busy: list[Snapshot] = []

    @property
    def in_flight(self) -> int:
        """How many snapshots have yet to be drawn."""
        return len(self._busy)

    def shared(self, stamp: Stamp, options: SceneOptions) -> Snapshot | None:
        """A snapshot of this very state that is still in flight, or None."""
        for snapshot in self._busy:
            if snapshot.stamp == stamp and (snapshot.options is options or snapshot.options == options):
                return snapshot
        return None

    def take(self) -> Snapshot | None:
        """A snapshot to fill, or None where all are in flight."""
        if not self._free:
            if not self._left:
                return None
            self._left -= 1
            self._free.append(Snapshot(self._model))
        snapshot = self._free.pop()
        snapshot.users = 0
        self._busy.append(snapshot)
        return snapshot

    def give_back(self, snapshot: Snapshot) -> None:
        """Ends the use by one turn."""
        snapshot.users -= 1
        if snapshot.users <= 0 and snapshot in self._busy:
            self._busy.remove(snapshot)
            self._free.append(snapshot)
