"""The one thread that owns the GL context: it makes it, draws with it, and frees it."""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections import deque
from collections.abc import Callable

import mujoco

from roqsim.errors import GLError
from roqsim.rendering.backend import Backend, ContextLost, Device, Shot
from roqsim.rendering.quality import Needs
from roqsim.rendering.turn import Turn, TurnStatus

LOG = logging.getLogger("roqsim")

THREAD_NAME = "roqsim-render"


class RenderThread:
    """Serves turns in order.

    Args:
        backend: What draws.
        changed: The service's lock; notified whenever a turn is over.
        needs: Says what all cameras need, once the device is known; called with the lock held.
        retire: Takes the snapshot of a turn that is over or will not be drawn; called with the lock held.
        opened: Told the device, once the context stands; may raise GLError to refuse it.
        at_exit: Called before the interpreter ends, while GL still works.

    Attributes:
        busy_since: When it began with what it does, in seconds of the monotonic clock; None while it waits for work.
        device: What draws, once that is known.
        failure: Why nothing can be drawn any more; empty while all is well.
    """

    def __init__(
        self,
        backend: Backend,
        changed: threading.Condition,
        needs: Callable[[], Needs],
        retire: Callable[[Turn], None],
        opened: Callable[[Device], None],
        at_exit: Callable[[], None],
    ) -> None:
        self._backend = backend
        self._changed = changed
        # Rung by whoever queues a turn: it wakes this thread at half of what a condition's notification takes.
        self._bell = threading.Lock()
        self._needs = needs
        self._retire = retire
        self._opened = opened
        self._at_exit = at_exit
        self._queue: deque[Turn] = deque()
        self._thread: threading.Thread | None = None
        self._stopping = False
        self._model: mujoco.MjModel | None = None
        self._loaded: tuple[mujoco.MjModel, Needs] | None = None
        self.busy_since: float | None = None
        self._current: Turn | None = None
        self.device: Device | None = None
        self.failure = ""

    # For the other threads, with the lock held

    def start(self) -> None:
        """Starts the thread, unless it runs."""
        if self._thread is None and not self._stopping:
            self.busy_since = time.monotonic()
            self._thread = threading.Thread(target=self._run, name=THREAD_NAME, daemon=True)
            atexit.register(self._at_exit)
            self._thread.start()

    def prepare(self, model: mujoco.MjModel) -> None:
        """Says what is to be drawn; what that takes is made before the next turn."""
        self._model = model

    def submit(self, turn: Turn, model: mujoco.MjModel) -> None:
        """Queues a turn that shows a model."""
        self._model = model
        if self._thread is None:
            self.start()
        self._queue.append(turn)
        self._ring()

    def _ring(self) -> None:
        """Lets the thread look for work; what it does already it finishes first."""
        if self._bell.locked():
            self._bell.release()

    def cancel(self, reason: str, chosen: Callable[[Turn], bool] = lambda turn: True) -> None:
        """Cancels what is queued; the turn that is being drawn goes on."""
        for turn in [turn for turn in self._queue if chosen(turn)]:
            self._queue.remove(turn)
            self._drop(turn, TurnStatus.CANCELLED, reason)

    def cancel_current(self, reason: str) -> None:
        """Cancels the turn that is being drawn: it is finished, and nobody gets it."""
        if self._current is not None:
            self._current.end(TurnStatus.CANCELLED, reason)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is queued or drawn."""
        return not self._queue and self._current is None

    @property
    def stuck_for(self) -> float:
        """Seconds since it began with what it does; 0 while it waits for work."""
        return 0.0 if self.busy_since is None else time.monotonic() - self.busy_since

    def fail(self, reason: str) -> None:
        """Ends all drawing for good; what is queued has failed."""
        if not self.failure:
            self.failure = reason
        self._stopping = True
        current = self._current
        if current is not None:
            current.end(TurnStatus.FAILED, self.failure)
        while self._queue:
            self._drop(self._queue.popleft(), TurnStatus.FAILED, self.failure)
        self._changed.notify_all()
        self._ring()

    def stop(self, reason: str) -> None:
        """Asks the thread to free everything and end; what is queued is cancelled."""
        self._stopping = True
        self.cancel(reason)
        self._changed.notify_all()
        self._ring()

    # Without the lock

    def join(self, timeout: float) -> bool:
        """Waits for the thread's end; true if it came. The thread itself need not ask."""
        thread = self._thread
        if thread is None or thread is threading.current_thread():
            return True
        thread.join(timeout)
        atexit.unregister(self._at_exit)
        return not thread.is_alive()

    # On the thread

    def _run(self) -> None:
        try:
            self.device = self._backend.open()
            # Exit handlers run last first: this one has to come before the one by which EGL ends itself.
            atexit.unregister(self._at_exit)
            atexit.register(self._at_exit)
            self._opened(self.device)
            self._load()
            while (turn := self._next()) is not None:
                self._load()
                self._serve(turn)
        except GLError as error:
            self._give_up(str(error))
        except Exception as error:
            LOG.debug("the render thread failed", exc_info=error)
            self._give_up(f"the render thread failed: {type(error).__name__}: {error}")
        finally:
            self._free()

    def _give_up(self, reason: str) -> None:
        with self._changed:
            self.busy_since = None
            self.fail(reason)
            if self._current is not None:
                self._drop(self._current, TurnStatus.FAILED, reason)
                self._current = None

    def _free(self) -> None:
        try:
            self._backend.close()
        except Exception as error:
            LOG.debug("the GL context could not be freed", exc_info=error)
        with self._changed:
            self.busy_since = None
            self._changed.notify_all()

    def _next(self) -> Turn | None:
        with self._changed:
            self.busy_since = None
            self._current = None
            self._changed.notify_all()
        while True:
            with self._changed:
                if self._stopping:
                    return None
                if self._queue:
                    turn = self._current = self._queue.popleft()
                    turn.started = self.busy_since = time.monotonic()
                    return turn
            self._bell.acquire()

    def _load(self) -> None:
        with self._changed:
            model, needs = self._model, self._needs()
        if model is None:
            return
        if self._loaded is None or self._loaded[0] is not model or not self._loaded[1].covers(needs):
            self._backend.load(model, needs)
            self._loaded = (model, needs)

    def _serve(self, turn: Turn) -> None:
        slot, view = turn.slot, turn.stream.view
        shot = Shot(
            turn.snapshot.scene,
            slot.eye,
            view.lens,
            turn.stream.quality_on(self.device),
            turn.stream.has_sky,
            view.flags,
        )
        drawn = []
        for plane in turn.planes:
            try:
                self._backend.draw(plane, shot, slot.plane(plane))
                drawn.append(plane)
            except ContextLost:
                raise
            except Exception as error:
                slot.failed[plane] = f"{type(error).__name__}: {error}"
                LOG.warning("%s: %s could not be drawn: %s", view.name, plane, slot.failed[plane])
        slot.drawn, slot.stamp = frozenset(drawn), turn.stamp
        with self._changed:
            self._retire(turn)
        if turn.is_over:
            turn.stream.store.abandon(slot)
        elif drawn:
            self._develop(turn)
        else:
            turn.stream.store.abandon(slot)
            turn.end(TurnStatus.MISSED, "; ".join(f"{plane}: {why}" for plane, why in slot.failed.items()))

    def _develop(self, turn: Turn) -> None:
        lease = turn.stream.store.commit(turn.slot)
        turn.stream.drawn += 1
        if turn.develop is None:
            turn.hand_over(lease)
            return
        with lease:
            try:
                turn.result = turn.develop(lease)
            except Exception as error:
                reason = f"{type(error).__name__}: {error}"
                LOG.warning("%s: the picture could not be developed: %s", turn.stream.name, reason, exc_info=error)
                turn.end(TurnStatus.MISSED, reason)
                return
        turn.end(TurnStatus.DONE)

    def _drop(self, turn: Turn, status: TurnStatus, reason: str) -> None:
        self._retire(turn)
        turn.stream.store.abandon(turn.slot)
        turn.end(status, reason)
