"""The process that serves the page: ``python -m roqsim.viewer.browser.page SOCKET CONNECTION local|open``.

It holds a copy of the model, shows the states it is sent, and sends back what people ask for.
"""

from __future__ import annotations

import copy
import os
import pickle
import signal
import socket
import sys
import threading
import time
from collections.abc import Mapping
from multiprocessing.connection import Connection

import numpy as np

from roqsim.viewer.browser.address import NO_FILES, refusal
from roqsim.viewer.browser.deck_panel import DeckPanel
from roqsim.viewer.browser.intake import Intake
from roqsim.viewer.browser.pace import Pace
from roqsim.viewer.browser.panel import RunPanel
from roqsim.viewer.browser.studio import (
    App,
    AppConfig,
    messages,
    plugin,
    serve_on,
    viewer_protocol,
    web_viewer,
)
from roqsim.viewer.camera import Camera

NICENESS = 5
"""How far the page's process steps back behind the simulation's."""

IDLE = 0.004
"""Seconds between two looks at whether the page has drawn."""

HIDDEN_GROUP = 5
"""The group of what is absent, which nobody can switch on."""

FIRST = messages.Priority.CRITICAL + 2
"""Before Studio's own handlers."""

LAST = 0
"""After Studio's own handlers."""

SCENE = "world"
"""A path that stays the same while a world does, by which Studio knows that a changed model is still the same scene."""


class Page(plugin.ViewerPlugin):
    """Our part of the viewer.

    Args:
        connection: To the run.
        introduction: What the run said of itself.

    Attributes:
        title: The name of the run.
        app: Studio's user interface.
        intake: What Studio takes for its simulation.
        panel: Our windows.
        deck: What plays a recording; None for a run.
    """

    def __init__(self, connection: Connection, introduction: Mapping[str, object]) -> None:
        self._connection = connection
        self._sending = threading.Lock()
        self._model = pickle.loads(introduction["model"])
        self._worlds = 1
        self._view, self._targets = introduction["view"], introduction["targets"]
        self._camera: Camera | None = None
        self._shown, self._kept = "", {}
        self.title = introduction["title"]
        self.intake = Intake(self._model, self.send)
        control = introduction["control"]
        self.app = App(AppConfig(show_inspector=control))
        span = introduction.get("deck")
        self.deck = None if span is None else DeckPanel(span, self.send)
        self.panel = RunPanel(self.app, control, introduction["streams"], self.send, self._upload, self.deck)
        self._publish()

    # To and from the run

    def send(self, *request: object) -> None:
        """Sends a request to the run."""
        try:
            with self._sending:
                self._connection.send(request)
        except OSError:
            self.intake.leave()

    def receive(self) -> None:
        """Takes what the run sends until it ends; on a thread of its own."""
        takers = {
            "state": self.intake.show_state,
            "paused": self._pause,
            "looks": self._change_looks,
            "world": self._change_world,
            "stream": self.panel.take,
            "notice": self._notice,
        }
        if self.deck is not None:
            takers["deck"] = self.deck.take
        try:
            while True:
                kind, *values = self._connection.recv()
                if kind == "bye":
                    break
                takers[kind](*values)
        except (EOFError, OSError):
            pass
        self.intake.leave()

    def _pause(self, paused: bool) -> None:
        self.intake.paused = self.panel.paused = paused
        self.intake.show_truth()

    def _notice(self, reason: str) -> None:
        self.panel.notify(reason)
        self.intake.show_truth()

    def _change_looks(self, arrays: Mapping[str, np.ndarray]) -> None:
        for name, values in arrays.items():
            getattr(self._model, name)[...] = values
        self._publish()

    def _change_world(self, introduction: Mapping[str, object]) -> None:
        self._model = pickle.loads(introduction["model"])
        self._worlds += 1
        self._view, self._targets = introduction["view"], introduction["targets"]
        self.panel.offer(introduction["streams"])
        self._publish()

    def _publish(self) -> None:
        # The viewer copies the model on its own thread, so it gets one that nobody writes any more.
        path = f"{SCENE} {self._worlds}"
        self.intake.events.put(messages.ModelEvent(model=copy.copy(self._model), path=path))

    def _upload(self, texture: int, rgb: bytes, width: int, height: int) -> int:
        return self.viewer.upload_image(texture, rgb, width, height, 3)

    # From Studio

    @messages.handler(priority=FIRST)
    def before_model(self, event: messages.ModelEvent) -> None:
        """Notes the view that people have, before Studio goes back to its own for another scene."""
        if self._camera is not None:
            self._kept = self._camera.view()

    @messages.handler(priority=LAST)
    def on_model(self, event: messages.PostModelEvent) -> None:
        """Takes up a world's camera, once; later models keep the one people chose, unless it follows what is gone."""
        if event.path == self._shown:
            return
        is_first, self._shown = self._camera is None, event.path
        followed = self._kept.get("track")
        is_kept = not is_first and followed in (None, *(name for name, _ in self._targets))
        view = self._kept if is_kept else self._view
        self._camera = Camera(self._model, self.viewer.camera, view, self._targets)
        self.intake.begin(self._model)
        if is_first:
            self.send("ready")

    @messages.handler(priority=LAST)
    def on_state(self, event: messages.StateSnapshot) -> None:
        """Notes what is shown; a state of the world before is not."""
        if len(event.state) == self.intake.size:
            self.intake.shown = event.state

    @messages.handler(priority=LAST)
    def on_update(self, event: messages.UpdateEvent) -> None:
        """Turns with what the camera follows, and keeps what is absent out of sight, whatever keys are pressed."""
        self._camera.update(self.viewer.data)
        options = self.viewer.vis_options
        options.geomgroup[HIDDEN_GROUP] = options.sitegroup[HIDDEN_GROUP] = 0

    @messages.handler
    def on_build(self, event: messages.BuildGuiEvent) -> None:
        """Draws our windows, after Studio has laid out its own."""
        self.panel.build()

    @messages.handler(priority=FIRST)
    def on_exit(self, event: messages.ExitEvent) -> bool:
        """Lets only the run, or a failure, end the page: "Quit" in the menu asks for the end of the run."""
        if self.intake.leaving or event.reason:
            return False
        self.send("quit")
        return True


class PacedViewer(web_viewer.WebViewer):
    """Studio's viewer, no faster than the page that holds the controls.

    Args:
        pace: How fast that is.
        arguments: Those of Studio's viewer.
    """

    def __init__(self, pace: Pace, *arguments: object, **options: object) -> None:
        self._pace = pace
        super().__init__(*arguments, **options)

    def prepare_next_frame(self) -> bool:
        """Begins a frame, or says that there is none to make now."""
        if self._pace.begin(time.monotonic()):
            return super().prepare_next_frame()
        time.sleep(IDLE)
        return False


def run(listening: socket.socket, connection: Connection, *, local: bool) -> None:
    """Serves the page until the run ends.

    Args:
        listening: Where browsers come in.
        connection: To the run.
        local: Whether the page is served to this machine alone.
    """
    _, introduction = connection.recv()
    page = Page(connection, introduction)
    receiver = threading.Thread(target=page.receive, daemon=True)
    receiver.start()

    def turn_away(path: str, host: str | None, origin: str | None) -> str | None:
        reason = refusal(path, host, origin, local=local)
        if reason == NO_FILES:
            page.send("refused", reason)
        return reason

    serve_on(listening, turn_away, page.panel.pace.draw)
    config = viewer_protocol.ViewerConfig(title=page.title, gfx="web", http_port=listening.getsockname()[1])
    viewer = PacedViewer(page.panel.pace, config, page.intake, plugins=[page.app, page])
    viewer_protocol.run_viewer_loop(viewer)


def main(served: str, connected: str, scope: str) -> None:
    """Runs the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    status = 1
    try:
        run(socket.socket(fileno=int(served)), Connection(int(connected)), local=scope == "local")
        status = 0
    finally:
        # Studio's threads and its native parts have nothing left to do; waiting for them would hold up the run's end.
        if status == 0:
            os._exit(status)


if __name__ == "__main__":
    main(*sys.argv[1:])
