"""The process of the window: MuJoCo's passive viewer over a copy of the simulation.

It is started by ``roqsim.viewer.window`` with its options as JSON on standard input, where the end of the input tells
it to go. It answers with lines of JSON on standard output.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from pathlib import Path

import glfw
import mujoco
import mujoco.viewer
import numpy as np

from roqsim.mj import state
from roqsim.viewer.block import Block
from roqsim.viewer.camera import FREE, Camera
from roqsim.viewer.edits import Edits, Message
from roqsim.viewer.flight import Flight
from roqsim.viewer.keys import FLY, FOLLOW, LIST, RESET, Key, KeyMap, key_list
from roqsim.viewer.overlay import Overlay

GAP = 0.002
"""Seconds in each frame that the window's own thread gets to take the lock, where it is held to slow it down."""

NOTICE_SECONDS = 4.0
"""How long a notice stays."""

POLITENESS = 10
"""How far the window steps back behind the physics when both want a processor (``nice``)."""


class Pane:
    """The window and what is done for each of its frames.

    Args:
        options: What ``window.Window`` sent.
        send: Where messages go.
    """

    def __init__(self, options: dict[str, object], send: Callable[[list[Message]], None]) -> None:
        self._send = send
        self._period = 1.0 / options["frame_rate"]
        self._is_slowed = bool(options["software"])
        self._model = mujoco.MjModel.from_binary_path(options["model"])
        os.unlink(options["model"])
        self._data = mujoco.MjData(self._model)
        self._block = Block(Path(options["block"]), self._model, create=False)
        self._state = np.empty(state.size(self._model))
        self._overlay = Overlay()
        self._presses: deque[int] = deque()
        self._glfw_window: object | None = None
        self._notices = 0
        self._messages: list[Message] = []
        self._load()
        self._handle = mujoco.viewer.launch_passive(
            self._model,
            self._data,
            key_callback=self._note_key,
            show_left_ui=options["left_ui"],
            show_right_ui=options["right_ui"],
        )
        with self._handle.lock():
            targets = [(name, body) for name, body in options["targets"]]
            self._camera = Camera(self._model, self._handle.cam, options["view"], targets)
            # Collision geometry (group 3 by convention) and what is absent (group 5) stay hidden.
            self._handle.opt.geomgroup[:] = [group in options["groups"] for group in range(mujoco.mjNGROUP)]
            self._flight = Flight(self._handle.opt, self._handle.user_scn)
        self._edits = Edits(self._model, self._data, self._handle.perturb, manual=options["manual_control"])
        theirs = [Key(*key) for key in options["keys"]]
        mine = {LIST: self._toggle_list, FOLLOW: self._follow, FLY: self._fly}
        self._keys = KeyMap(mine, {key: self._pass_on(key) for key in theirs})
        self._say_mode()

    def run(self) -> None:
        """Shows frames until the window is closed."""
        self._frame(0.0)
        self._send([{"kind": "ready"}])
        last = time.monotonic()
        while self._handle.is_running():
            start = time.monotonic()
            self._frame(start - last)
            last = start
            busy = time.monotonic() - start
            self._rest(max(self._period - busy, busy))
        self._send([{"kind": "closed"}])

    def _frame(self, seconds: float) -> None:
        """One look at the simulation, and one at what the person did."""
        self._load()
        self._edits.before()
        self._handle.sync()
        self._messages += self._edits.after()
        if self._edits.complaint:
            self._overlay.write("notice", self._edits.complaint, seconds=NOTICE_SECONDS)
        with self._handle.lock():
            if not self._handle.is_running():
                return
            while self._presses:
                self._keys.press(self._presses.popleft())
            if self._camera.update(self._data):
                self._say_mode()
            if self._flight.is_on:
                self._steer(seconds)
        self._write_texts()
        self._send(self._messages)
        self._messages.clear()

    def _load(self) -> None:
        """Takes the newest state over and derives from it what is drawn."""
        if self._block.read(self._state):
            state.put(self._model, self._data, self._state)
            mujoco.mj_forward(self._model, self._data)

    def _rest(self, seconds: float) -> None:
        """Waits for the next frame. Without vertical sync MuJoCo draws without end, so its lock is held meanwhile."""
        if not self._is_slowed:
            time.sleep(seconds)
            return
        with self._handle.lock():
            time.sleep(max(seconds - GAP, 0.0))
        time.sleep(GAP)

    # Keys

    def _note_key(self, code: int) -> None:
        """On the window's own thread, which holds the lock and the context."""
        self._glfw_window = glfw.get_current_context()
        self._presses.append(code)

    def _is_down(self, code: int) -> bool:
        return glfw.get_key(self._glfw_window, code) == glfw.PRESS

    def _pass_on(self, key: Key) -> Callable[[], None]:
        def press() -> None:
            if key == RESET:
                self._messages += self._edits.reset()
            else:
                self._messages.append({"kind": "key", "code": key.code, "view": self._view()})

        return press

    def _view(self) -> dict[str, object]:
        """The present view; that of a flight as it is after landing, which is the same picture."""
        if not self._flight.is_on:
            return self._camera.view()
        self._flight.end(self._handle.cam)
        view = self._camera.view()
        self._flight.begin(self._handle.cam)
        return view

    def _toggle_list(self) -> None:
        if self._overlay.has("keys"):
            self._overlay.clear("keys")
        else:
            self._overlay.write("keys", *key_list(self._keys.keys))

    def _follow(self) -> None:
        if self._flight.is_on:
            self._flight.end(self._handle.cam)
        self._camera.cycle(int(self._handle.perturb.select), self._model.body_parentid, self._data)
        self._say_mode()

    def _fly(self) -> None:
        if self._flight.is_on:
            self._flight.end(self._handle.cam)
        else:
            self._camera.enter(FREE)
            self._flight.begin(self._handle.cam)
        self._say_mode()

    def _steer(self, seconds: float) -> None:
        if self._handle.cam.type != int(mujoco.mjtCamera.mjCAMERA_FREE):
            self._flight.end(self._handle.cam)
            self._say_mode()
        else:
            self._flight.move(self._handle.cam, self._is_down, seconds)

    # Texts

    def _say_mode(self) -> None:
        text = f"flying, {self._flight.speed:.2g} m/s" if self._flight.is_on else self._camera.describe()
        if text:
            self._overlay.write("camera", text)
        else:
            self._overlay.clear("camera")

    def _write_texts(self) -> None:
        status = self._block.status or ("paused" if self._block.paused else "")
        if status:
            self._overlay.write("paused", status)
        else:
            self._overlay.clear("paused")
        count, notice = self._block.notice
        if count != self._notices:
            self._notices = count
            self._overlay.write("notice", notice, seconds=NOTICE_SECONDS)
        texts = self._overlay.take()
        if texts is not None and self._handle.is_running():
            self._handle.set_texts(texts) if texts else self._handle.clear_texts()


class Sender:
    """Writes messages to the simulation, on a stream to which nothing else is printed."""

    def __init__(self) -> None:
        self._stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
        # MuJoCo and GLFW print their errors to standard output.
        os.dup2(2, 1)

    def __call__(self, messages: list[Message]) -> None:
        """Sends at once; where the simulation is gone, there is nothing left to do."""
        if not messages:
            return
        try:
            self._stream.write("".join(json.dumps(message) + "\n" for message in messages))
            self._stream.flush()
        except OSError:
            os._exit(0)


def leave_with(stream: object) -> None:
    """Ends the process when a stream ends: the simulation closed the window, or died."""

    def wait() -> None:
        stream.read()
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def main() -> None:
    """Runs the window of one simulation.

    The process ends without tearing the window down: the display server does that, while MuJoCo's own way frees the GL
    context under the thread that draws with it.
    """
    # Ctrl-C reaches the whole process group; the simulation ends its window itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(POLITENESS)
    send = Sender()
    options = json.loads(sys.stdin.readline())
    leave_with(sys.stdin)
    threading.excepthook = lambda failed: _fail(failed.exc_value)
    try:
        Pane(options, send).run()
    except BaseException as error:
        _fail(error)
    os._exit(0)


def _fail(error: BaseException | None) -> None:
    """Ends the process with a reason, also where a thread failed that another one waits for."""
    traceback.print_exception(error)
    sys.stderr.flush()
    os._exit(1)
