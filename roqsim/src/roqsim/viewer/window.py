"""The window as the simulation sees it: a process to hand states to, and to take a person's wishes from."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Future
from dataclasses import asdict
from pathlib import Path

import mujoco

from roqsim.config.sim import View
from roqsim.engine import Engine
from roqsim.errors import GLError, RoqsimError
from roqsim.viewer.block import Block
from roqsim.viewer.deck import FIXED, Deck
from roqsim.viewer.deck_keys import deck_keys
from roqsim.viewer.display import draws_in_software
from roqsim.viewer.hand import Hand
from roqsim.viewer.keys import PAUSE, RELOAD, RESET, SAVE_VIEW, STEP, KeyMap
from roqsim.viewer.targets import find_targets
from roqsim.viewer.view_file import save_view

SYNC_RATE_HZ = 60.0
"""How often the state is handed over at most, by the clock on the wall."""

FRAME_RATES_HZ = {False: 60.0, True: 30.0}
"""Frames a second, by whether they are drawn in software: there they take processor time from the physics."""

GROUPS = (0, 1, 2)
"""The geom groups that are drawn at first; 3 is collision geometry by convention, 5 is what is absent."""

OPENING = 60.0
"""Seconds after which a window that does not appear counts as failed."""

CLOSING = 3.0
"""Seconds that its process gets to end."""

REASON = re.compile(r"\w*Error: .*")
"""How a Python error ends."""

PROGRAM = "from roqsim.viewer.pane import main; main()"


class Window:
    """Shows a run, or a recording of one, in a window of MuJoCo's own.

    Args:
        left_ui: Whether the panel of settings is open at first (Tab toggles it).
        right_ui: Whether the panel of joints and controls is (Shift+Tab); under manual control it always is.
        deck: What plays the recording; None for a run.
    """

    def __init__(self, *, left_ui: bool = False, right_ui: bool = False, deck: Deck | None = None) -> None:
        self._panels = (left_ui, right_ui)
        self._deck = deck
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._block: Block | None = None
        self._next = 0.0
        self._unread = b""
        self._kept_view: dict[str, object] | None = None

    # The interface of a viewer

    def open(self, engine: Engine) -> None:
        """Opens the window on a run that was reset and waits until it is there.

        Raises:
            ConfigError: If ``sim.view`` tracks what does not exist.
            GLError: If the window does not open, with its reason.
        """
        self._engine, self._ctx = engine, engine.ctx
        self._hand = Hand(engine.ctx)
        run = {PAUSE: self._pause, STEP: self._step, RESET: self._reset, RELOAD: self._reload}
        run[SAVE_VIEW] = self._save_view
        self._keys = KeyMap(run if self._deck is None else deck_keys(self._deck))
        self._view: dict[str, object] = {}
        self._unread = b""
        self._kept_view, kept = None, self._kept_view
        targets = find_targets(self._ctx)
        self._folder = tempfile.TemporaryDirectory(prefix="roqsim-window-")
        folder = Path(self._folder.name)
        mujoco.mj_saveModel(self._ctx.model, str(folder / "model.mjb"), None)
        self._block = Block(folder / "block", self._ctx.model, create=True)
        self._write()
        self._start(folder, {**self._options(folder, targets), **_view_kept(kept, targets)})
        self._wait_until_ready()

    def sync(self) -> None:
        """Hands the state over and takes messages, at most 60 times a second."""
        now = time.perf_counter()
        if now < self._next or self._process is None:
            return
        self._next = now + 1.0 / SYNC_RATE_HZ
        for message in self._receive():
            self._serve(message)
        self._write()

    def _write(self) -> None:
        status = "" if self._deck is None else self._deck.describe()
        self._block.write(self._ctx.data, paused=self._ctx.control.paused, status=status)

    def close(self) -> None:
        """Ends the window's process and waits for its end; a hanging one is killed."""
        process, self._process = self._process, None
        if process is not None:
            process.stdin.close()
            try:
                process.wait(CLOSING)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()
        if self._block is not None:
            self._block.close()
            self._block = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    # The process

    def _options(self, folder: Path, targets: list[tuple[str, int]]) -> dict[str, object]:
        software = draws_in_software()
        manual = self._ctx.manual_control
        return {
            "model": str(folder / "model.mjb"),
            "block": str(folder / "block"),
            "frame_rate": FRAME_RATES_HZ[software],
            "software": software,
            "left_ui": self._panels[0],
            "right_ui": self._panels[1] or manual,
            "manual_control": manual,
            "groups": GROUPS,
            "view": asdict(self._engine.cfg.sim.view or View()),
            "targets": targets,
            "keys": [[key.code, key.label, key.does] for key in self._keys.keys],
        }

    def _start(self, folder: Path, options: dict[str, object]) -> None:
        # The viewer makes its own context with GLFW, so no offscreen backend is loaded beside it. On macOS, windows
        # belong to the main thread, which MuJoCo's own interpreter leaves to them.
        program = Path(sys.executable).with_name("mjpython") if sys.platform == "darwin" else sys.executable
        with (folder / "errors").open("wb") as errors:
            self._process = subprocess.Popen(
                [program, "-P", "-c", PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, "MUJOCO_GL": "glfw"},
            )
        try:
            self._process.stdin.write(json.dumps(options).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise self._failure() from None
        os.set_blocking(self._process.stdout.fileno(), False)

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + OPENING
        while not self._ctx.stop_requested:
            for message in self._receive():
                if message["kind"] == "ready":
                    return
                if message["kind"] == "ended":
                    raise self._failure()
            if time.monotonic() > deadline:
                raise GLError(f"window: expected it within {OPENING:g} s, got none; add --headless to run without one")
            time.sleep(0.01)

    def _receive(self) -> list[dict[str, object]]:
        """The messages that came, without waiting; ``ended`` where the process is gone."""
        received = []
        while True:
            try:
                piece = os.read(self._process.stdout.fileno(), 1 << 16)
            except BlockingIOError:
                break
            if not piece:
                received.append({"kind": "ended"})
                break
            *lines, self._unread = (self._unread + piece).split(b"\n")
            received += [json.loads(line) for line in lines]
        return received

    def _failure(self) -> GLError:
        return GLError(f"window: expected it to open, got {self._reason()!r}; check DISPLAY, or add --headless")

    def _reason(self) -> str:
        """Why the process ended: the last error that it told, else its exit status."""
        status = self._process.wait(CLOSING)
        said = Path(self._folder.name, "errors").read_text(errors="replace").strip()
        return [f"exit status {status}", *said.splitlines(), *REASON.findall(said)][-1]

    # What the person wants

    def _serve(self, message: dict[str, object]) -> None:
        kind = message["kind"]
        if kind == "key":
            self._view = message["view"]
            self._keys.press(message["code"])
        elif self._deck is not None and kind in ("ctrl", "push", "release"):
            self._block.tell(FIXED)
        elif kind == "ctrl":
            self._hand.set_controls(message["values"])
        elif kind == "push":
            self._hand.push(message["body"], message["wrench"])
        elif kind == "release":
            self._hand.release(message["body"])
        elif kind == "reset":
            self._keys.press(RESET.code)
        elif kind == "closed":
            self._ctx.request_stop("the window was closed")
        elif kind == "ended":
            self._ctx.request_stop(f"the window ended by itself: {self._reason()}", failed=True)

    def _pause(self) -> None:
        control = self._ctx.control
        if control.paused:
            control.resume()
        else:
            control.pause()

    def _step(self) -> None:
        if self._ctx.control.paused:
            self._ctx.control.step()
        else:
            self._block.tell("press Space first: only a paused run is stepped")

    def _reset(self) -> None:
        self._ctx.control.reset()

    def _reload(self) -> None:
        self._kept_view = self._view
        self._ctx.control.reload().add_done_callback(self._tell_mistake)

    def _tell_mistake(self, future: Future) -> None:
        """Shows why there is no other world; on the physics thread, which serves the request."""
        if not future.cancelled() and (error := future.exception()) is not None and self._block is not None:
            self._kept_view = None
            self._block.tell(f"the world was not reloaded: {error}")

    def _save_view(self) -> None:
        try:
            path = save_view(self._engine.cfg, self._view)
        except RoqsimError as error:
            self._ctx.log.warning("%s", error)
            self._block.tell(f"the view was not saved: {error}")
        else:
            self._ctx.log.info("the view was saved into %s", path)
            self._block.tell(f"the view was saved into {path.name}")


def _view_kept(view: dict[str, object] | None, targets: list[tuple[str, int]]) -> dict[str, object]:
    """The option that shows a person's view again; none where what it follows is gone."""
    if view is None or view.get("track") not in (None, *(name for name, _ in targets)):
        return {}
    return {"view": view}
