"""The view from outside: what it serves, to whom, and that it leaves the run and the machine as they were."""

from __future__ import annotations

import importlib.util
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import mujoco
import numpy as np
import pytest
from roqsim.drivers.runner import Limits, Runner
from roqsim.errors import ConfigError, RoqsimError
from roqsim.viewer.browser import process as page_process
from roqsim.viewer.browser.view import BrowserView

from .conftest import SCENE, WORLD

BUSY = """
sim: {seed: 3}
components:
  - boxes:
      size: [0.2, 0.2, 0.2]
      instances: [{pose: {position: [0, 0, 1]}}, {pose: {position: [0.1, 0, 1.5]}}]
    name: parcels
"""


def state_of(engine) -> bytes:
    kind = int(mujoco.mjtState.mjSTATE_INTEGRATION)
    state = np.empty(mujoco.mj_stateSize(engine.ctx.model, kind))
    mujoco.mj_getState(engine.ctx.model, engine.ctx.data, state, kind)
    return state.tobytes()


def wait_for(condition, seconds=20.0):
    deadline = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


@pytest.fixture
def shown(ball, studio):
    """Opens a view of a world that was reset, and closes it in the end."""
    views = []

    def show(document=WORLD, **options):
        engine = ball(document)
        engine.reset()
        view = BrowserView(port=0, announce=lambda line: None, **options)
        views.append(view)
        view.open(engine)
        return engine, view

    yield show
    for view in views:
        view.close()


def fetch(url, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


@pytest.mark.slow
def test_a_run_that_is_watched_is_the_run_that_is_not_to_the_bit(world, studio):
    states = []
    for views in ([], [BrowserView(port=0, announce=lambda line: None)]):
        engine = world(BUSY, reset=False)
        summary = Runner(engine, 20.0 if views else None, Limits(steps=4000), views=views).run()
        states.append((summary.steps, state_of(engine)))
    assert states[0] == states[1]


@pytest.mark.slow
def test_a_run_is_announced_served_and_gone_with_nothing_left(ball, studio):
    lines = []
    before = set(threading.enumerate())
    view = BrowserView(port=0, announce=lines.append)
    engine = ball()
    engine.reset()
    view.open(engine)
    process = view._page._process
    assert lines == [f"browser: {view.url} (read-only)"]
    assert view.url.startswith("http://127.0.0.1:")
    assert fetch(view.url)[0] == 200
    assert len(fetch(view.url + "model")[1]) > 1000
    view.close()
    view.close()
    assert process.poll() is not None
    assert set(threading.enumerate()) == before
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(view.url, timeout=5)


@pytest.mark.slow
def test_the_page_listens_on_one_address_only(shown):
    _, view = shown()
    port = int(view.url.rsplit(":", 1)[1].strip("/"))
    with pytest.raises(OSError), socket.create_connection(("127.0.0.2", port), timeout=5):
        pass


@pytest.mark.slow
def test_another_site_reaches_neither_the_page_nor_its_channels(shown, caplog):
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    _, view = shown(control=True)
    assert fetch(view.url, Origin="http://evil.example")[0] == 403
    assert fetch(view.url, Host="evil.example")[0] == 403
    channel = view.url.replace("http", "ws")
    with caplog.at_level(logging.WARNING, "roqsim"):
        for path, origin in (("ui", "http://evil.example"), ("state", "null"), ("drop", view.url.strip("/"))):
            with pytest.raises(InvalidStatus) as error:
                connect(channel + path, origin=origin, proxy=None)
            assert error.value.response.status_code == 403
        assert wait_for(lambda: "model files are not taken" in caplog.text)
    with connect(channel + "state", origin=view.url.strip("/"), proxy=None) as page:
        assert isinstance(page.recv(timeout=10), str | bytes)


@pytest.mark.slow
def test_physics_does_not_wait_for_a_page_that_hangs(shown):
    engine, view = shown()
    process = view._page._process
    process.send_signal(signal.SIGSTOP)
    try:
        began = time.perf_counter()
        for _ in range(200):
            engine.advance(10)
            view._next = 0.0
            view.sync()
        assert time.perf_counter() - began < 5.0
    finally:
        process.send_signal(signal.SIGCONT)


@pytest.mark.slow
def test_a_page_that_hangs_at_the_end_is_killed(shown, monkeypatch):
    monkeypatch.setattr(page_process, "END_TIMEOUT", 0.5)
    _, view = shown()
    process = view._page._process
    process.send_signal(signal.SIGSTOP)
    view.close()
    assert process.returncode == -signal.SIGKILL


@pytest.mark.slow
def test_a_run_goes_on_when_its_page_dies(shown, caplog):
    engine, view = shown()
    picture = engine.ctx.interface.get("dummy", "count")
    picture.lazy = True
    view._streams.want([picture.path])
    view._next = 0.0
    view.sync()
    assert picture.is_watched
    with caplog.at_level(logging.WARNING, "roqsim"):
        view._page._process.kill()
        assert wait_for(lambda: "the run goes on without it" in caplog.text)
        view._next = 0.0
        view.sync()
    assert not picture.is_watched
    engine.advance(10)
    assert engine.ctx.tick == 10


@pytest.mark.slow
def test_a_page_that_does_not_start_is_one_clear_error(ball, studio, monkeypatch):
    monkeypatch.setattr(page_process, "MODULE", "roqsim.no_such_module")
    engine = ball()
    with pytest.raises(
        RoqsimError, match=r"^browser: expected the page to start, got: .*No module named roqsim\.no_such"
    ):
        Runner(engine, None, Limits(steps=10), views=[BrowserView(port=0)]).run()


@pytest.mark.slow
def test_what_comes_and_goes_reaches_the_page_as_a_new_model(shown):
    engine, view = shown()
    before = fetch(view.url + "model")[1]
    engine.ctx.model.geom("hull").rgba[:] = [0, 0, 1, 1]
    view._next = view._next_look = 0.0
    view.sync()
    assert wait_for(lambda: fetch(view.url + "model")[1] != before)


def test_a_mujoco_without_studio_is_one_clear_error(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    version = mujoco.__version__
    with pytest.raises(ConfigError) as error:
        BrowserView()
    assert str(error.value) == (
        f"--browser: expected MuJoCo Studio beside MuJoCo {version}, got none; install mujoco-studio=={version}"
    )


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found through /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_the_page_dies_with_the_run(tmp_path, studio, number):
    (tmp_path / "scene.xml").write_text(SCENE)
    (tmp_path / "world.yaml").write_text(WORLD)
    start = "import sys; from roqsim.cli import main; main(sys.argv[1:])"
    run = subprocess.Popen(
        [sys.executable, "-c", start, "sim", "world.yaml", "--browser=0"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    line = next(line for line in run.stderr if line.startswith("browser: "))
    assert fetch(line.split()[1])[0] == 200
    children = [int(child) for child in Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()]
    assert children
    os.kill(run.pid, number)
    run.wait(20)
    run.stderr.close()
    assert wait_for(lambda: not any(is_running(child) for child in children))


def is_running(pid: int) -> bool:
    """Whether a process is there and is no zombie that only waits to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
