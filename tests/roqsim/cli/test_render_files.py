"""What ``roqsim render`` leaves on the disk: a whole file, or the one that was there."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import imageio_ffmpeg
import pytest
from roqsim.errors import RoqsimError

pytestmark = pytest.mark.gl

LOW = ("--size", "96x64", "--quality", "low")


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A working directory with a world."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "world.yaml").write_text("components: [boxes: {instances: [{name: box, size: [0.1, 0.1, 0.1]}]}]\n")
    return tmp_path


@pytest.mark.parametrize("out", ["out.gif", "out.webp", "out.mp4", "out.png"])
def test_a_picture_that_fails_leaves_the_one_that_was_there(cli, world, monkeypatch, out):
    def fail(frame, t):
        raise RoqsimError("the paint is dry")

    Path(out).write_bytes(b"precious")
    monkeypatch.setattr("roqsim.rendering.overlays.Overlays.draw", lambda self, frame, t: fail(frame, t))
    result = cli("render", "world.yaml", *LOW, "--out", out)
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (1, "the paint is dry")
    assert Path(out).read_bytes() == b"precious"
    assert not list(Path().glob(".out*"))


@pytest.mark.slow
def test_an_interrupted_video_is_a_whole_file(world):
    command = [Path(sys.executable).with_name("roqsim"), "render", "world.yaml", "--out", "film.mp4", *LOW]
    run = subprocess.Popen(
        [*command, "--seconds", "2000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 60.0
    film = world / "film.mp4"
    film.write_bytes(b"precious")
    while not any(each.stat().st_size for each in world.glob(".film.*")) and time.monotonic() < deadline:
        assert run.poll() is None
        time.sleep(0.1)
    assert film.read_bytes() == b"precious"
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out, err) == (130, "", "interrupted\n")
    check = subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", film, "-f", "null", "-"])
    assert check.returncode == 0
