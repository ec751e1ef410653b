"""A screen that nobody sees, with hands at its keyboard and mouse, and a world for pages in a browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from roqsim.viewer.browser.view import has_studio

WIDTH, HEIGHT = 1280, 800
TITLE = "MuJoCo"

SCENE = """
<mujoco>
  <statistic center="0 0 0.5" extent="4"/>
  <visual><quality shadowsize="512" offsamples="0"/></visual>
  <worldbody>
    <light pos="0 0 6" dir="0 0 -1" castshadow="false"/>
    <geom name="floor" type="plane" size="8 8 0.1" rgba="0.8 0.8 0.8 1"/>
    <body name="robot" pos="0 0 0.7">
      <joint name="drive" type="slide" axis="0 1 0" damping="1"/>
      <joint name="lift" type="slide" axis="0 0 1" damping="1"/>
      <geom name="hull" type="sphere" size="0.6" mass="2" rgba="1 0 0 1" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
  <option gravity="0 0 0"/>
  <actuator><motor name="motor" joint="drive"/></actuator>
</mujoco>
"""

WORLD = """
sim: {world: scene.xml, seed: 3, view: {lookat: [0, 0, 1.5], distance: 7, azimuth: 0, elevation: -15}}
components:
  - dummy: {}
"""

MISSING = [program for program in ("Xvfb", "xdotool") if shutil.which(program) is None]


class Screen:
    """A virtual X display.

    Args:
        folder: Where Xvfb keeps its picture.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        read, write = os.pipe()
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-fbdir", str(folder)],
            pass_fds=[write],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as stream:
            self.name = ":" + stream.readline().strip()

    def close(self) -> None:
        self._server.terminate()
        self._server.wait(10)

    def do(self, *words: str) -> str:
        """Calls xdotool."""
        run = subprocess.run(
            ["xdotool", *words], env={**os.environ, "DISPLAY": self.name}, capture_output=True, text=True, timeout=20
        )
        return run.stdout.strip()

    def windows(self) -> list[str]:
        """The windows of MuJoCo on this screen."""
        return self.do("search", "--name", TITLE).split()

    def focus(self) -> str:
        """Gives the keyboard to the only window; returns its id."""
        (window,) = self.windows()
        self.do("windowfocus", "--sync", window)
        return window

    def press(self, *keys: str) -> None:
        self.focus()
        self.do("key", "--delay", "60", *keys)

    def picture(self) -> np.ndarray:
        """``(height, width, 3)`` what is on the screen; Xvfb keeps it as an XWD file."""
        raw = (self._folder / "Xvfb_screen0").read_bytes()
        header = np.frombuffer(raw, ">u4", 25)
        start = int(header[0] + 12 * header[19])
        rows = np.frombuffer(raw, np.uint8, int(header[12]) * HEIGHT, start).reshape(HEIGHT, WIDTH, 4)
        return rows[:, :, 2::-1]


@pytest.fixture
def screen(tmp_path, monkeypatch) -> Iterator[Screen]:
    """A virtual display that windows of this process open on."""
    if MISSING:
        pytest.skip(f"a window on a virtual screen needs {' and '.join(MISSING)}: apt-get install xvfb xdotool")
    folder = tmp_path / "screen"
    folder.mkdir()
    screen = Screen(folder)
    monkeypatch.setenv("DISPLAY", screen.name)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    yield screen
    screen.close()


@pytest.fixture
def until() -> Callable[..., None]:
    """Waits until something is so, and fails when it does not become so."""

    def wait(
        holds: Callable[[], bool],
        what: str,
        step: Callable[[], object] = lambda: time.sleep(0.02),
        patience: float = 30.0,
    ) -> None:
        deadline = time.monotonic() + patience
        while not holds():
            assert time.monotonic() < deadline, f"expected within {patience:g} s: {what}"
            step()

    return wait


@pytest.fixture
def ball(world, tmp_path):
    """A world with a red ball on a rail; not reset yet."""
    (tmp_path / "scene.xml").write_text(SCENE)
    return lambda document=WORLD, **options: world(document, base_dir=tmp_path, reset=False, **options)


@pytest.fixture
def studio(monkeypatch, tmp_path):
    """Skips where MuJoCo Studio is missing; what its page would keep goes into a folder of the test."""
    if not has_studio():
        pytest.skip("MuJoCo Studio is not installed")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
