"""The page in a real browser: what is on it, and that it follows the run."""

from __future__ import annotations

import base64
import contextlib
import io
import itertools
import json
import os
import shutil
import signal
import subprocess
import threading
import time
import urllib.request
from types import SimpleNamespace

import numpy as np
import pytest
from roqsim.drivers.replay import Replay
from roqsim.drivers.runner import Runner
from roqsim.recording import open_recording, record
from roqsim.viewer.browser.view import BrowserView
from roqsim.viewer.deck import Deck

from roqsim import Endpoint, load_config_from_dict

Image = pytest.importorskip("PIL.Image")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--enable-unsafe-swiftshader"),
    *("--remote-debugging-port=0", "--window-size=900,640"),
]

PATIENCE = 120.0
"""Wall seconds that software may take to draw what is waited for."""

VIOLET = (180, 20, 220)
SWATCH = SimpleNamespace(data=np.full((30, 40, 3), VIOLET, np.uint8), encoding="rgb8")
"""What a camera of plain violet would publish."""

READS = []
"""The readings of it."""


def read_swatch():
    READS.append(time.monotonic())
    return SWATCH


CHECKBOXES = [(28, row) for row in (406, 412, 400, 418, 394, 426)]
"""Where the box of the second stream may be, in pixels: below Studio's own sections."""

pytestmark = [
    pytest.mark.gl,
    pytest.mark.slow,
    pytest.mark.screen,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]


class Browser:
    """Chromium without a window, told what to do through its own protocol."""

    def __init__(self, url, folder):
        from websockets.sync.client import connect

        self._open = contextlib.ExitStack()
        self._process = subprocess.Popen(
            [CHROMIUM, *FLAGS, f"--user-data-dir={folder}", url],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            page = self._find_page(folder)
            self._socket = self._open.enter_context(connect(page, max_size=2**26, proxy=None))
        except BaseException:
            self.close()
            raise
        self._numbers = itertools.count(1)

    def _find_page(self, folder):
        for _ in range(300):
            with contextlib.suppress(OSError, IndexError):
                port = (folder / "DevToolsActivePort").read_text().split()[0]
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=10) as reply:
                    pages = [each for each in json.load(reply) if each["type"] == "page"]
                return pages[0]["webSocketDebuggerUrl"]
            time.sleep(0.1)
        raise TimeoutError("Chromium did not start")

    def call(self, method, **values):
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": values}))
        while (reply := json.loads(self._socket.recv(timeout=PATIENCE))).get("id") != number:
            pass
        return reply["result"]

    def picture(self):
        """``(h, w, 3)`` what is on the page now."""
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), dtype=int)

    def press(self, key, code, number):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode=number)

    def click(self, x, y):
        """A slow click: software draws about one picture a second, and Studio looks at the mouse once a picture."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
            time.sleep(1.0)

    def close(self):
        self._open.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def red_column(picture):
    """The mean column of what is red, or None where nothing much is."""
    red = (picture[..., 0] > 120) & (picture[..., 1:].max(axis=2) < picture[..., 0] / 2)
    return float(np.nonzero(red)[1].mean()) if np.count_nonzero(red) > 300 else None


def wait_for(look, accepts, patience=PATIENCE):
    deadline = time.monotonic() + patience
    while not accepts(found := look()) and time.monotonic() < deadline:
        time.sleep(0.2)
    return found


@pytest.fixture
def watched(ball, studio, tmp_path):
    """A run that goes on in a thread of its own, and a browser that looks at it."""
    with contextlib.ExitStack() as stack:

        def watch(**options):
            view = BrowserView(port=0, announce=lambda line: opened.set(), **options)
            opened = threading.Event()
            # Physics belongs to the thread that sets the engine up.
            engines = []

            def run():
                engines.append(ball())
                engines[0].ctx.interface.add(Endpoint("swatch", "out", read=read_swatch, rate_hz=10))
                Runner(engines[0], 1.0, views=[view]).run()

            thread = threading.Thread(target=run)
            thread.start()
            stack.callback(thread.join)
            stack.callback(lambda: engines[0].ctx.request_stop("the test is over"))
            assert opened.wait(60)
            browser = Browser(view.url, tmp_path / "profile")
            stack.callback(browser.close)
            return engines[0], browser

        yield watch


def test_the_page_shows_the_world_follows_the_robot_and_opens_streams(watched):
    engine, browser = watched()
    before = wait_for(lambda: red_column(browser.picture()), lambda column: column is not None)
    assert before is not None, "the robot is not on the page"
    first = browser.picture()
    assert first.std(axis=(0, 1)).min() > 10, "the page is blank"
    # The camera looks along x, so the world's y axis runs to the left.
    engine.ctx.call(lambda ctx: ctx.data.qpos.__setitem__(0, -1.2))
    after = wait_for(lambda: red_column(browser.picture()), lambda column: column is not None and column > before + 25)
    assert after > before + 25

    def violet(picture):
        return np.count_nonzero((abs(picture - VIOLET) < 30).all(axis=2))

    assert violet(first) == 0
    assert not READS
    places = itertools.cycle(CHECKBOXES)
    deadline = time.monotonic() + PATIENCE
    while not READS and time.monotonic() < deadline:
        browser.click(*next(places))
        wait_for(lambda: READS, bool, patience=10.0)
    assert READS, "nobody reads the stream"
    assert wait_for(lambda: violet(browser.picture()), lambda count: count > 1000) > 1000


def test_the_page_goes_over_to_another_world_with_the_run(watched):
    engine, browser = watched(control=True)
    before = wait_for(lambda: red_column(browser.picture()), lambda column: column is not None)
    assert before is not None, "the robot is not on the page"
    crate = {"name": "crate", "size": [1.2, 1.2, 1.2], "pose": {"position": {"y": -1.5, "z": 0.7}}}
    boxes = {"motion": "static", "rgba": [1, 0, 0, 1], "instances": [crate]}
    engine.ctx.control.reload(load_config_from_dict({"components": [{"boxes": boxes}]})).result(30.0)
    after = wait_for(lambda: red_column(browser.picture()), lambda column: column is not None and column > before + 25)
    assert after is not None and after > before + 25
    assert engine.ctx.entities.names() == ["crate"] and not engine.ctx.stop_requested


def test_the_pause_key_holds_the_run_where_the_page_may_steer(watched):
    engine, browser = watched(control=True)
    control = engine.ctx.control
    wait_for(lambda: red_column(browser.picture()), lambda column: column is not None)
    deadline = time.monotonic() + PATIENCE
    while not control.paused and time.monotonic() < deadline:
        # A page that is slow to start loses the first keys.
        browser.press(" ", "Space", 32)
        wait_for(lambda: control.paused, bool, patience=15.0)
    assert control.paused


SLIDERS = [(100, row) for row in (370, 366, 374, 362, 378, 358, 382)]
"""Where the slider of a recording may be, in pixels: left of its middle, below Studio's own sections."""


def test_a_recording_is_played_and_sought_from_the_page(ball, studio, tmp_path):
    engine = ball()
    record(engine, tmp_path / "run.mcap", fps=25.0)
    engine.reset()
    engine.ctx.data.qvel[0] = -1.5
    engine.advance(round(60.0 / engine.ctx.dt))
    engine.shutdown()
    recording = open_recording(tmp_path / "run.mcap")
    deck, opened, running = Deck(recording.times, paused=True), threading.Event(), []
    view = BrowserView(port=0, announce=lambda line: opened.set(), deck=deck)

    def run():
        running.append(recording.rebuild(preview=True))
        Replay(recording, running[0], deck, [view]).run()

    thread = threading.Thread(target=run)
    thread.start()
    with contextlib.ExitStack() as stack:
        stack.callback(thread.join)
        stack.callback(lambda: running[0].ctx.request_stop("the test is over"))
        assert opened.wait(60)
        browser = Browser(view.url, tmp_path / "profile")
        stack.callback(browser.close)
        before = wait_for(lambda: red_column(browser.picture()), lambda column: column is not None)
        assert before is not None, "the robot is not on the page"
        places = itertools.cycle(SLIDERS)
        deadline = time.monotonic() + PATIENCE
        while deck.time == 0.0 and time.monotonic() < deadline:
            browser.click(*next(places))
            wait_for(lambda: deck.time, bool, patience=6.0)
        assert 5.0 < deck.time < 55.0, "the slider was not moved"
        assert deck.paused
        after = wait_for(lambda: red_column(browser.picture()), lambda c: c is not None and c > before + 25)
        assert after > before + 25
        if (kept := os.environ.get("ROQSIM_KEEP_PICTURES")) is not None:
            Image.fromarray(browser.picture().astype(np.uint8)).save(os.path.join(kept, "replay.png"))
