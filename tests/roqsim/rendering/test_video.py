"""Videos: every frame is there, at its time, and a file that was closed is whole."""

from __future__ import annotations

import re
import subprocess
import sys

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image
from roqsim.errors import ConfigError
from roqsim.rendering.video import WRITERS, check_video, frame_times, open_video

WIDTH, HEIGHT = 32, 16


def frame(index):
    """A frame of one shade that tells its number."""
    return np.full((HEIGHT, WIDTH, 3), 20 * (index % 12 + 1), np.uint8)


def shoot(path, count=5, fps=25.0):
    """Writes a video of frames in order."""
    writer = open_video(path, WIDTH, HEIGHT, fps)
    for index in range(count):
        writer.add(frame(index))
    writer.close()
    writer.close()
    return path


def ffmpeg(*words):
    """Runs the program that imageio-ffmpeg brings."""
    return subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), *map(str, words)], capture_output=True)


def shades(path):
    """The mean shade of every frame of a file."""
    if path.suffix == ".mp4":
        run = ffmpeg("-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
        assert run.returncode == 0, run.stderr
        return np.frombuffer(run.stdout, np.uint8).reshape(-1, HEIGHT * WIDTH * 3).mean(axis=1).tolist()
    found = []
    with Image.open(path) as image:
        assert image.size == (WIDTH, HEIGHT)
        for index in range(image.n_frames):
            image.seek(index)
            found.append(np.asarray(image.convert("RGB")).mean())
    return found


@pytest.mark.parametrize("suffix", list(WRITERS))
def test_a_video_holds_every_frame_in_order(tmp_path, suffix):
    found = shades(shoot(tmp_path / f"film{suffix}"))
    assert found == pytest.approx([20.0 * (index + 1) for index in range(5)], abs=4.0)


@pytest.mark.parametrize("suffix", list(WRITERS))
def test_the_same_frames_give_the_same_bytes(tmp_path, suffix):
    first, second = (shoot(tmp_path / f"{name}{suffix}").read_bytes() for name in "ab")
    assert first == second


def test_an_mp4_has_its_rate(tmp_path):

    path = shoot(tmp_path / "film.mp4", 20, fps=10.0)
    told = ffmpeg("-i", path).stderr.decode()
    assert re.search(r"Video: h264 .* 32x16.* 10 fps", told)
    assert "Duration: 00:00:02.00" in told


def test_frame_times_do_not_drift():
    times = frame_times(30, 30.0, 0.01)
    assert sum(times) == pytest.approx(1.0)
    assert {round(each, 2) for each in times} == {0.03, 0.04}
    assert frame_times(3, 1000.0, 0.01) == [0.01] * 3


def test_a_gif_runs_at_its_rate(tmp_path):
    with Image.open(shoot(tmp_path / "film.gif", 4, fps=10.0)) as image:
        assert image.info["duration"] == 100
        assert image.info["loop"] == 0


def test_an_odd_size_is_refused_for_mp4_with_the_next_even_one(tmp_path):
    with pytest.raises(ConfigError, match="--size: expected even numbers for .mp4, got 33x16; take 34x16"):
        check_video(tmp_path / "film.mp4", 33, 16)
    check_video(tmp_path / "film.gif", 33, 17)


def test_without_its_package_mp4_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ConfigError, match=r"imageio-ffmpeg, got none; install it with: pip install 'roqsim\[video\]'"):
        check_video(tmp_path / "film.mp4", 32, 16)


def test_a_video_without_frames_leaves_no_gif(tmp_path):
    open_video(tmp_path / "film.gif", WIDTH, HEIGHT, 10.0).close()
    assert not (tmp_path / "film.gif").exists()
