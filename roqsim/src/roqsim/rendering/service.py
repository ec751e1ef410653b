"""The render service: every camera of one engine, drawn by one thread with one GL context.

The physics thread captures a state (``capture``) and goes on; the render thread draws it, makes of it what the owner
wants, and keeps it for whoever leases it. Nothing here waits for a picture unless told to.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from roqsim.errors import GLError, RoqsimError
from roqsim.generation import FrameGeneration
from roqsim.rendering.backend import Backend, Device
from roqsim.rendering.demand import in_order, planes_of
from roqsim.rendering.device import note_missing_render_node
from roqsim.rendering.pinhole import Pinhole
from roqsim.rendering.quality import Needs, Quality
from roqsim.rendering.scene import SceneOptions, has_sky
from roqsim.rendering.snapshot import IN_FLIGHT, SnapshotPool, Source
from roqsim.rendering.store import FrameStore, Stamp
from roqsim.rendering.stream import Stream
from roqsim.rendering.thread import THREAD_NAME, RenderThread
from roqsim.rendering.turn import POLL, Develop, Turn, TurnStatus
from roqsim.rendering.view import View
from roqsim.retirement import Retirement

LOG = logging.getLogger("roqsim")

PATIENCE = 60.0
"""Seconds after which the watchdog takes the render thread for stuck."""

FAREWELL = 10.0
"""Seconds that closing waits for the render thread."""

BUSY, FULL, CLOSED, REPLACED = "renderer busy", "store full", "service closed", "the model was replaced"
"""Why a capture is missed or cancelled."""

Request = tuple[Stream, Iterable[str], Develop | None]
"""A camera, the planes that are wanted, and what to make of them."""


class RenderService:
    """All cameras of one simulation.

    Args:
        source: Whose states are captured: a ``SimContext``, or a ``StillSource``.
        backend: What draws; MuJoCo's classic renderer by default.
        in_flight: How many captured states may wait to be drawn.
        patience: Seconds after which the render thread counts as stuck.

    Attributes:
        generation: The layout of models and cameras.
    """

    def __init__(
        self,
        source: Source,
        *,
        backend: Backend | None = None,
        in_flight: int = IN_FLIGHT,
        patience: float = PATIENCE,
    ) -> None:
        self._source = source
        self._in_flight = in_flight
        self._patience = patience
        # Re-entrant: a lease may be collected, and thereby released, at any allocation of a thread that holds it.
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._streams: list[Stream] = []
        self._pool = SnapshotPool(source.model, in_flight)
        self._detached: list[Stream] = []
        self._is_open = True
        self._refusal = ""
        self.generation = FrameGeneration()
        self._thread = RenderThread(
            backend if backend is not None else _classic(),
            self._changed,
            self.needs,
            self._retire,
            self._on_opened,
            self.close,
        )

    # Cameras

    def open(
        self,
        name: str,
        *,
        camera: object,
        size: tuple[int, int],
        intrinsics: tuple[float, float, float, float],
        clip: tuple[float, float],
        quality: Mapping[str, object] | None = None,
        groups: Sequence[int] | None = None,
        capacity: int = 3,
    ) -> Stream:
        """Adds a camera; it costs next to nothing until a picture is captured.

        Args:
            name: How messages call it.
            camera: The id of a camera of the model, or an ``MjvCamera``.
            size: Columns and rows.
            intrinsics: ``fx, fy, cx, cy`` in pixels (see ``Pinhole``).
            clip: Near and far end of what is seen, in metres along the optical axis.
            quality: The fields of ``Quality`` that are not left to the device.
            groups: Geom groups to draw; MuJoCo's own choice by default.
            capacity: How many pictures exist at once.
        """
        lens = Pinhole(*size, *intrinsics, *clip)
        options = SceneOptions() if groups is None else SceneOptions(groups=tuple(groups))
        return self.open_view(View(name, camera, lens, Quality(**(quality or {})), options), capacity=capacity)

    def open_view(self, view: View, *, capacity: int = 3) -> Stream:
        """Adds a camera by its description; see ``open``."""
        model = self._source.model
        with self._changed:
            store = FrameStore(view.lens.width, view.lens.height, capacity, self.generation, self._changed)
            stream = Stream(self, view, store, model, has_sky(model))
            self._streams.append(stream)
            return stream

    def forget(self, stream: Stream) -> None:
        """Takes a camera out; what it has queued is cancelled."""
        with self._changed:
            if stream in self._streams:
                self._streams.remove(stream)
            self._thread.cancel("the camera was closed", lambda turn: turn.stream is stream)

    # Captures

    def capture(self, requests: Iterable[Request], *, wait: bool = False) -> list[Turn]:
        """Captures the current state for some cameras; on the physics thread.

        Args:
            requests: What is wanted of which camera.
            wait: Whether to wait for a snapshot and for room in the stores; else what finds none is missed at once.

        Returns:
            A turn for each request, in order; a missed one says why.

        Raises:
            GLError: If nothing can be drawn any more.
            RoqsimError: If a camera is of an older layout, or no room came.
        """
        source = self._source
        stamp = Stamp(source.episode, source.tick, source.time_ns, source.version)
        return [self._begin(stream, planes, develop, stamp, wait) for stream, planes, develop in requests]

    def _begin(self, stream: Stream, planes: Iterable[str], develop: Develop | None, stamp: Stamp, wait: bool) -> Turn:
        turn = Turn(stream, stamp, in_order(planes), develop, self._changed)
        with self._lock:
            self._require_health()
            if stream.generation is not self.generation:
                stream.check(self.generation)
            if self._refusal:
                turn.end(TurnStatus.CANCELLED, self._refusal)
                return turn
            lacking = self._find_room(turn)
            if lacking and wait:
                lacking = self._wait_for_room(turn)
            if lacking:
                stream.missed[lacking] += 1
                turn.end(TurnStatus.MISSED, lacking)
                return turn
            try:
                self._expose(turn)
            except Exception:
                self._retire(turn)
                stream.store.abandon(turn.slot)
                raise
            stream.captured += 1
            self._thread.submit(turn, self._source.model)
        return turn

    def _require_health(self) -> None:
        thread = self._thread
        if thread.busy_since is not None:
            self.check_watchdog()
        if thread.failure:
            raise GLError(thread.failure)

    def _find_room(self, turn: Turn) -> str:
        """Gives a turn a slot and a snapshot, or says what there is none of; the lock is held."""
        stream = turn.stream
        slot = stream.store.reserve()
        if slot is None:
            return FULL
        snapshot = self._pool.shared(turn.stamp, stream.view.options) or self._pool.take()
        if snapshot is None:
            stream.store.abandon(slot)
            return BUSY
        turn.slot, turn.snapshot = slot, snapshot
        snapshot.users += 1
        return ""

    def _wait_for_room(self, turn: Turn) -> str:
        """Waits until a turn has a slot and a snapshot; the lock is held, and let go of meanwhile."""
        deadline = time.monotonic() + self._patience
        while lacking := self._find_room(turn):
            if time.monotonic() > deadline:
                raise RoqsimError(self._no_room(turn.stream, lacking))
            self._changed.wait(POLL)
            self._require_health()
            if self._refusal:
                return self._refusal
        return ""

    def _expose(self, turn: Turn) -> None:
        """Takes the state and the camera's pose; a state that another camera has taken is not taken again."""
        view = turn.stream.view
        if turn.snapshot.users == 1:
            turn.snapshot.fill(self._source, view.options, turn.stamp)
        turn.stream.aim(turn.slot.eye, self._source.data)

    def _no_room(self, stream: Stream, lacking: str) -> str:
        if lacking is FULL:
            return (
                f"{stream.name}: expected one of {stream.store.capacity} pictures to be given back within "
                f"{self._patience:g} s, got none; release leases, or raise the capacity"
            )
        return f"{stream.name}: expected the renderer to be ready within {self._patience:g} s, got {lacking!r}"

    def fetch(self, stream: Stream, planes: Iterable[str], timeout: float) -> object:
        """See ``Stream.fetch``."""
        wanted = planes_of(planes)

        def ask(_: object) -> Turn:
            return self.capture([(stream, wanted, None)], wait=True)[0]

        began = time.monotonic()
        call = getattr(self._source, "call", None)
        turn = ask(None) if call is None else call(ask, timeout)
        turn.wait(max(timeout - (time.monotonic() - began), 0.0))
        if turn.lease is None:
            raise RoqsimError(f"{stream.name}: expected a picture, got none; {turn.reason}")
        return turn.lease

    # What it takes, and what became of it

    def needs(self) -> Needs:
        """What the GL context has to have for all cameras that are open."""
        device = self._thread.device
        total = Needs()
        for stream in self._streams:
            lens, quality = stream.view.lens, stream.quality_on(device)
            total |= Needs(lens.width, lens.height, quality.samples, quality.shadow_size)
        return total

    @property
    def device(self) -> Device | None:
        """What draws, or None before the first picture."""
        return self._thread.device

    @property
    def failure(self) -> str:
        """Why nothing can be drawn any more; empty while all is well."""
        return self._thread.failure

    @property
    def in_flight(self) -> int:
        """How many captured states have yet to be drawn."""
        return self._pool.in_flight

    def statistics(self) -> dict[str, dict[str, object]]:
        """By camera: how many pictures were begun, finished and missed, and the bytes that are kept for it."""
        return {
            stream.name: {
                "captured": stream.captured,
                "drawn": stream.drawn,
                "missed": dict(Counter(stream.missed)),
                "bytes": stream.store.allocated,
            }
            for stream in self._streams
        }

    def prepare(self, timeout: float = PATIENCE) -> Device:
        """Makes the GL context now, which takes a few tenths of a second, rather than with the first picture.

        Raises:
            GLError: If there is no usable GL.
        """
        deadline = time.monotonic() + timeout
        with self._changed:
            self._thread.prepare(self._source.model)
            self._thread.start()
            while not self.failure and (self.device is None or self._thread.stuck_for > 0.0):
                self.check_watchdog()
                if not self._is_open or time.monotonic() > deadline:
                    raise GLError(f"expected a GL context within {timeout:g} s, got none from {self._who()}")
                self._changed.wait(POLL)
        if self.failure:
            raise GLError(self.failure)
        return self.device

    def check_watchdog(self) -> None:
        """Gives the renderer up where it has been busy with one thing for longer than its patience."""
        stuck = self._thread.stuck_for
        if stuck > self._patience and not self.failure:
            with self._changed:
                self._thread.fail(
                    f"the render thread has been busy with one picture for {stuck:.0f} s: {self._who()}; other "
                    "programs on the same device may hold it up: start them one after the other, or export "
                    "MUJOCO_GL=osmesa"
                )

    def _who(self) -> str:
        return f"thread {THREAD_NAME!r} on {self.device or 'a device that did not answer yet'}"

    def _on_opened(self, device: Device) -> None:
        with self._changed:
            streams = list(self._streams)
        if not device.is_software:
            return
        note_missing_render_node()
        asked = [stream.name for stream in streams if stream.view.quality.gpu]
        if asked:
            raise GLError(
                f"{asked[0]}: expected a graphics card, as quality.gpu asks, got {device}; give the process access to "
                "/dev/dri, or remove quality.gpu"
            )
        if any(stream.view.quality.is_automatic for stream in streams):
            LOG.info(
                "pictures are drawn in software by %s: shadows, reflections and multisampling are off unless a "
                "camera's quality turns them on",
                device.renderer,
            )

    # Life

    def quiesce(self, reason: str = REPLACED) -> None:
        """Takes no more captures, cancels what is queued or drawn, waits until nothing is drawn, forgets every camera.

        Pictures on lease stay as they are.
        """
        with self._changed:
            self._refusal = self._refusal or reason
            self._thread.cancel(reason)
            self._thread.cancel_current(reason)
            while not self._thread.is_idle and not self.failure:
                self._changed.wait(POLL)
                self.check_watchdog()
            self._detached += self._streams
            self._streams.clear()

    def reload(self, source: Source) -> FrameGeneration:
        """Goes over to another model; the cameras of the one before refuse what is asked of them."""
        self.quiesce()
        with self._changed:
            old, self.generation = self.generation, self.generation.next()
            self._source = source
            self._pool = SnapshotPool(source.model, self._in_flight)
            self._refusal = "" if self._is_open else CLOSED
            detached, self._detached = self._detached, []
        retirement = Retirement(old, lambda: self.generation)
        for stream in detached:
            stream.retire(retirement)
        return self.generation

    def close(self) -> None:
        """Cancels what is queued, frees everything on the render thread and joins it; may be called more than once."""
        with self._changed:
            if not self._is_open:
                return
            self._is_open, self._refusal = False, CLOSED
            self._thread.stop(CLOSED)
        if not self._thread.join(FAREWELL):
            LOG.error("the render thread did not end within %g s; %s", FAREWELL, self._who())

    def __enter__(self) -> RenderService:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _retire(self, turn: Turn) -> None:
        with self._changed:
            if turn.snapshot is not None:
                self._pool.give_back(turn.snapshot)
                turn.snapshot = None


def _classic() -> Backend:
    from roqsim.rendering.classic import ClassicBackend

    return ClassicBackend()


def open_service(context: Source) -> RenderService:
    """The service of a simulation; ``ctx.render`` calls it at its first use."""
    return RenderService(context)
