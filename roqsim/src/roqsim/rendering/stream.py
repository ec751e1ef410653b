"""One camera of the render service, as its user holds it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import mujoco

from roqsim.errors import StaleError
from roqsim.generation import FrameGeneration
from roqsim.rendering.backend import Device
from roqsim.rendering.demand import Demand, Watch
from roqsim.rendering.eye import Eye
from roqsim.rendering.quality import Resolved
from roqsim.rendering.store import FrameStore, Lease
from roqsim.rendering.view import View
from roqsim.retirement import Retirement

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roqsim.rendering.service import RenderService

KEPT = ("service", "view", "name", "generation", "close")
"""What of a camera outlives its model: who it was, and that it may be closed."""


class Stream:
    """A camera, its store of pictures and its counters; made by ``RenderService.open``.

    Attributes:
        service: The service that draws it.
        view: Where it looks from, and how.
        generation: The layout that it belongs to; a stream of an older one is refused.
        has_sky: Whether the world has a sky, which could hide something.
        demand: Who wants its pictures beside its owner.
        captured: Pictures begun.
        drawn: Pictures finished.
        missed: Pictures that came to nothing, by reason.
    """

    def __init__(
        self, service: RenderService, view: View, store: FrameStore, model: mujoco.MjModel, has_sky: bool
    ) -> None:
        self.service = service
        self.view = view
        self.has_sky = has_sky
        self._model = model
        self._quality: tuple[Device | None, Resolved] | None = None
        self._data: mujoco.MjData | None = None
        self._pose: tuple[memoryview, memoryview] | None = None
        self.generation: FrameGeneration = store.generation
        self.store = store
        self.demand = Demand()
        self.captured = 0
        self.drawn = 0
        self.missed: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """How messages call it."""
        return self.view.name

    def latest(self) -> Lease | None:
        """The newest picture, or None before the first; from any thread."""
        return self.store.newest()

    def once(self, planes: Iterable[str] = ("colour",)) -> None:
        """Asks for the next picture that is due; from any thread."""
        self.demand.once(planes)

    def watch(self, planes: Iterable[str] = ("colour",)) -> Watch:
        """Asks for every picture that is due until the watch is closed; from any thread."""
        return self.demand.watch(planes)

    def fetch(self, planes: Iterable[str] = ("colour",), timeout: float = 60.0) -> Lease:
        """A picture of the current state, drawn for the caller; from any thread, also while the simulation is paused.

        Args:
            planes: What is wanted.
            timeout: Seconds of wall time.

        Raises:
            TimeoutError: If the physics thread or the renderer does not get to it in time.
            RoqsimError: If it could not be drawn.
            GLError: If the renderer failed for good.
        """
        return self.service.fetch(self, planes, timeout)

    def close(self) -> None:
        """Takes the camera out of the service; pictures on lease stay as they are."""
        self.service.forget(self)

    def aim(self, eye: Eye, data: mujoco.MjData) -> None:
        """Takes the camera's pose of a state with current kinematics; on the physics thread."""
        if data is not self._data:
            camera = self.view.camera
            is_free = isinstance(camera, mujoco.MjvCamera)
            self._pose = None if is_free else (memoryview(data.cam_xpos[camera]), memoryview(data.cam_xmat[camera]))
            self._data = data
        if self._pose is None:
            eye.look(self.view.camera, data)
        else:
            eye.stand(*self._pose)

    def quality_on(self, device: Device | None) -> Resolved:
        """The quality on a device; before one is known, that of the slowest."""
        if self._quality is None or self._quality[0] is not device:
            software = device is None or device.is_software
            self._quality = (device, self.view.quality.resolve(self._model, software=software))
        return self._quality[1]

    def retire(self, retirement: Retirement) -> None:
        """Refuses every picture from now on: its model was replaced. What a turn that was cancelled tells stays."""
        retirement.retire(self, f"camera {self.name!r}", "open it again with ctx.render", KEPT)

    def check(self, generation: FrameGeneration) -> None:
        """Makes sure that the stream belongs to a layout.

        Raises:
            StaleError: If it does not.
        """
        if self.generation != generation:
            raise StaleError(
                f"{self.name}: expected a camera of {generation}, got one of {self.generation}; open it again"
            )
