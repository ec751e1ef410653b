"""The browser view: a page that a process of its own serves, fed by the run and never waited for.

The page shows a copy of the model in MuJoCo Studio's web viewer. It gets states and hands back requests; nothing but
this side ever touches the simulation.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import pickle
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import asdict

import mujoco
import numpy as np

from roqsim.config.sim import View
from roqsim.engine import Engine
from roqsim.errors import ConfigError, Problem, RoqsimError, StaleError
from roqsim.viewer.browser.address import is_loopback, listen, url_of
from roqsim.viewer.browser.appearance import Appearance
from roqsim.viewer.browser.deck import DeckRequests
from roqsim.viewer.browser.link import Message
from roqsim.viewer.browser.process import PageProcess
from roqsim.viewer.browser.requests import Requests
from roqsim.viewer.browser.streams import Streams
from roqsim.viewer.deck import Deck
from roqsim.viewer.targets import find_targets

LOG = logging.getLogger("roqsim")

PERIOD = 1.0 / 60.0
"""Wall seconds between two states."""

LOOK_PERIOD = 1.0
"""Wall seconds between two looks at what the model looks like; a change makes pages load the model anew."""

START_TIMEOUT = 60.0
"""Wall seconds that the page may take to start."""

STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


class BrowserView:
    """A view of a run in a web browser.

    Args:
        host: The address to serve on; this machine alone by default.
        port: The port; 0 for any, None for the first free one from 8080 on.
        control: Whether the page may pause, step, reset, push and set joints.
        announce: Given one line with the URL.
        deck: What plays a recording; None for a run.

    Attributes:
        url: Where the page is.

    Raises:
        ConfigError: If the port is taken, the host is not this machine, or MuJoCo Studio is missing.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int | None = None,
        *,
        control: bool = False,
        announce: Callable[[str], None] = print,
        deck: Deck | None = None,
    ) -> None:
        _require_studio()
        self._control = control
        self._deck = deck
        self._announce = announce
        self._listening: socket.socket | None = listen(host, port)
        self._is_local = is_loopback(self._listening.getsockname()[0])
        self.url = url_of(self._listening)
        self._page: PageProcess | None = None
        self._answered = threading.Event()
        self._failure: str | None = None
        self._next = self._next_look = 0.0
        self._paused: bool | None = None

    # What a driver calls

    def open(self, engine: Engine) -> None:
        """Starts to serve a run that was set up; on the physics thread.

        Raises:
            ConfigError: If ``sim.view`` tracks what does not exist.
            RoqsimError: If the page does not start.
        """
        introduction = self._take_up(engine)
        self._page = PageProcess(self._listening, local=self._is_local, receive=self._receive, ended=self._ended)
        self._close_listening()
        self._page.put("hello", introduction)
        if not self._answered.wait(START_TIMEOUT):
            self._failure = f"no answer within {START_TIMEOUT:g} s"
        if self._failure is not None:
            raise RoqsimError(f"browser: expected the page to start, got: {self._failure}")
        self._announce(f"browser: {self.url} ({'may steer' if self._control else 'read-only'})")
        self.sync()

    def reload(self, engine: Engine) -> None:
        """Shows the world that the engine has gone over to, on the page that is open; on the physics thread."""
        if self._failure is None:
            self._page.put("world", self._take_up(engine))
            self._next = 0.0
            self.sync()

    def _take_up(self, engine: Engine) -> dict[str, object]:
        """Begins to look at a world.

        Returns:
            What the page is told of it.
        """
        ctx = self._ctx = engine.ctx
        self._state = np.empty(mujoco.mj_stateSize(ctx.model, STATE))
        self._appearance = Appearance(ctx.model)
        self._paused = None
        self._streams = Streams(ctx, self._send_stream)
        self._requests = self._make_requests()
        return self._introduction(engine)

    def _make_requests(self) -> Requests | DeckRequests:
        if self._deck is None:
            return Requests(self._ctx, self._control, self._send_notice)
        return DeckRequests(self._ctx, self._deck, self._control, self._send_notice)

    def sync(self) -> None:
        """Hands the current state over, if it is time to; on the physics thread."""
        now = time.perf_counter()
        if now < self._next:
            return
        self._next = now + PERIOD
        if self._failure is not None:
            self._streams.close()
            return
        ctx = self._ctx
        mujoco.mj_getState(ctx.model, ctx.data, self._state, STATE)
        self._page.put_latest("state", "state", self._state.tobytes())
        if ctx.control.paused != self._paused:
            self._paused = ctx.control.paused
            self._page.put("paused", self._paused)
        if self._deck is not None:
            self._page.put_latest("deck", "deck", self._deck.time, self._deck.speed, self._deck.paused)
        if now >= self._next_look:
            self._next_look = now + LOOK_PERIOD
            changed = self._appearance.changed()
            if changed:
                self._page.put("looks", changed)
        self._streams.sync(now)

    def close(self) -> None:
        """Ends the page and its process; may be called more than once."""
        self._close_listening()
        if self._page is not None:
            self._page.close()
            self._page = None
            self._streams.close()

    def _close_listening(self) -> None:
        if self._listening is not None:
            self._listening.close()
            self._listening = None

    # Messages

    def _introduction(self, engine: Engine) -> dict[str, object]:
        """All that the page needs to begin with."""
        sim = engine.cfg.sim
        return {
            "title": sim.name or "roqsim",
            "model": pickle.dumps(engine.ctx.model),
            "control": self._control,
            "view": asdict(sim.view or View()),
            "targets": find_targets(engine.ctx),
            "streams": self._streams.listed(),
            "deck": None if self._deck is None else (self._deck.start, self._deck.stop),
        }

    def _send_stream(self, path: str, sim_time: float, shown: tuple[object, ...]) -> None:
        self._page.put_latest(("stream", path), "stream", path, sim_time, shown)

    def _send_notice(self, reason: str) -> None:
        self._page.put_latest("notice", "notice", reason)

    def _receive(self, message: Message) -> None:
        kind, *values = message
        try:
            if kind == "ready":
                self._answered.set()
            elif kind == "watch":
                self._streams.want(*values)
            else:
                self._requests.take(kind, *values)
        except StaleError:
            self._send_notice("the world was reloaded meanwhile; try again")

    def _ended(self, reason: str) -> None:
        self._failure = reason
        if self._answered.is_set():
            with contextlib.suppress(StaleError):
                self._requests.release()
            LOG.warning("browser: the page ended: %s; the run goes on without it", reason)
        self._answered.set()


def has_studio() -> bool:
    """Whether MuJoCo Studio is installed; nothing of it is imported."""
    for name in ("mujoco.studio", "mujoco.experimental.studio"):
        try:
            if importlib.util.find_spec(name) is not None:
                return True
        except ModuleNotFoundError:
            continue
    return False


def _require_studio() -> None:
    if not has_studio():
        version = mujoco.__version__
        hint = f"install mujoco-studio=={version}"
        raise ConfigError(Problem("--browser", f"MuJoCo Studio beside MuJoCo {version}", "none", hint=hint))
