"""``roqsim render --state``: a recording is in the picture as it was, and nothing is simulated for it."""

from __future__ import annotations

import json
import subprocess

import imageio_ffmpeg
import mujoco
import numpy as np
import pytest
from PIL import Image
from roqsim.config.world import load_config
from roqsim.engine import Engine
from roqsim.recording import record

pytestmark = pytest.mark.gl

ROOM = """
<mujoco>
  <option gravity="0 0 0"/>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="9 9 .1" rgba=".5 .5 .5 1"/>
    <body name="slider"><joint name="along" type="slide" axis="1 0 0"/>
      <geom type="box" size=".3 .3 .3" rgba="1 0 0 1" contype="0" conaffinity="0"/></body>
    <camera name="above" pos="2 0 9" fovy="60"/>
  </worldbody>
</mujoco>
"""

WORLD = "sim: {world: room.xml, timestep: 0.01, seed: 1, view: {lookat: [0, 0, 0], distance: 9, elevation: -89}}\n"

LOW = ("--size", "160x120", "--quality", "low")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The run of a slider that goes from 0 to 4 m in two seconds; the camera is over its middle."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "room.xml").write_text(ROOM)
    (folder / "world.yaml").write_text(WORLD)
    engine = Engine(load_config(folder / "world.yaml"))
    engine.setup()
    record(engine, folder / "run.npz", fps=25.0)
    engine.reset()
    engine.ctx.data.qvel[0] = 2.0
    engine.advance(200)
    engine.shutdown()
    return folder


@pytest.fixture
def render(cli, folder, tmp_path, monkeypatch):
    """Calls the command and gives its reply and the picture; a step of the physics fails it."""
    monkeypatch.setattr(mujoco, "mj_step", lambda *args: pytest.fail("physics was stepped"))

    def call(*words, out="out.png", run=folder):
        path = tmp_path / out
        result = cli("render", "--state", run, "--out", path, *LOW, *words)
        assert result.exit_code == 0, result.stderr
        assert result.stdout.count("\n") == 1
        return json.loads(result.stdout), path

    return call


def place(path):
    """Where the red box is: its mean column as a fraction of the width, 0 for the left edge."""
    return _place(np.asarray(Image.open(path).convert("RGB"), dtype=int))


def _place(picture):
    red = picture[..., 0] > np.maximum(1.6 * picture[..., 1:].max(axis=2), 50)
    assert red.any(), "no red box"
    return float(np.nonzero(red)[1].mean() / picture.shape[1])


def test_a_still_shows_the_end_or_the_moment_that_is_asked_for(render, folder):
    reply, path = render("--camera", "above")
    assert reply["time"] == 2.0
    assert reply["target"] == str(folder / "run.npz")
    at_end = place(path)
    reply, path = render("--camera", "above", "--at", 0.0, run=folder / "run.npz")
    at_begin = place(path)
    reply, path = render("--camera", "above", "--at", 1.0)
    assert reply["time"] == pytest.approx(1.0)
    # From 9 m above with 60 degrees over the height, 2 m are this part of the width.
    span = 2.0 / (2.0 * 8.7 * np.tan(np.radians(30.0)) * 160 / 120)
    assert [at_begin, place(path), at_end] == pytest.approx([0.5 - span, 0.5, 0.5 + span], abs=0.02)


def test_the_recorded_view_is_kept_and_the_callers_laid_over_it(render):
    reply, _ = render("--at", 1.0)
    assert (reply["view"]["distance"], reply["view"]["elevation"]) == (9.0, -89.0)
    reply, _ = render("--at", 1.0, "--view", "azimuth=45", "distance=5")
    assert reply["view"] == {"azimuth": 45.0, "elevation": -89.0, "distance": 5.0, "lookat": [0.0, 0.0, 0.0]}


def test_the_last_word_of_an_option_is_no_target(cli, folder, tmp_path):
    result = cli("render", "--state", folder, "--out", tmp_path / "o.png", *LOW, "--focus", "nobody", "else")
    assert "--focus: expected the name of an entity, got 'nobody'" in result.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "frames", "begin", "end"),
    [((), 50, 0.0, 1.96), (("--from", 0.48, "--to", 1.48), 25, 0.48, 1.44), (("--speed", 2.0), 25, 0.0, 1.92)],
)
def test_a_video_shows_the_recording_or_a_part_of_it_at_a_speed(render, words, frames, begin, end):
    reply, path = render("--camera", "above", *words, out="out.mp4")
    assert (reply["frames"], reply["time"]) == (frames, begin)
    raw = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    pictures = np.frombuffer(subprocess.run(raw, capture_output=True, check=True).stdout, np.uint8)
    pictures = pictures.reshape(-1, 120, 160, 3).astype(int)
    assert len(pictures) == frames
    span = 2.0 / (2.0 * 8.7 * np.tan(np.radians(30.0)) * 160 / 120)
    expected = [0.5 + span * (2.0 * t - 2.0) / 2.0 for t in (begin, end)]
    assert [_place(pictures[0]), _place(pictures[-1])] == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize(
    ("words", "status", "last"),
    [
        (("--at", 3.0), 2, "--at: expected a time from 0 to 2 s, which was recorded, got 3"),
        (("--camera", "abov"), 2, "--camera: expected the name of a camera, got 'abov'; did you mean 'above'?"),
        (("--from", 0.5), 2, "--from: expected a video, got"),
        (("--seed", 3), 2, "--seed: expected to stand without --state"),
        (("--set", "sim.timestep=0.1"), 2, "--set: expected to stand without --state"),
        (("--seconds", 3), 2, "--seconds: expected"),
        (("world.yaml",), 2, "TARGET: expected to stand without --state"),
        (("--view", "azimut=3"), 2, "did you mean 'azimuth'?"),
    ],
)
def test_a_refusal_says_why_in_its_last_line(cli, folder, tmp_path, words, status, last):
    result = cli("render", "--state", folder, "--out", tmp_path / "o.png", *LOW, *words)
    assert (result.exit_code, result.stdout) == (status, "")
    assert last in result.stderr.splitlines()[-1]
    assert not (tmp_path / "o.png").exists()


def test_a_video_takes_no_single_moment_and_a_range_has_an_order(cli, folder, tmp_path):
    call = lambda *words: cli("render", "--state", folder, "--out", tmp_path / "o.mp4", *LOW, *words)  # noqa: E731
    assert "--at: expected a still" in call("--at", 1.0).stderr.splitlines()[-1]
    assert "--to: expected a time that is not before --from" in call("--from", 1.5, "--to", 0.5).stderr


def test_what_is_no_recording_has_exit_status_four(cli, tmp_path):
    (tmp_path / "run.npz").write_bytes(b"nothing")
    result = cli("render", "--state", tmp_path / "run.npz", "--out", tmp_path / "o.png")
    assert (result.exit_code, result.stdout) == (4, "")


def test_options_of_recordings_are_refused_for_worlds(cli, folder, tmp_path):
    result = cli("render", folder / "world.yaml", "--out", tmp_path / "o.mp4", "--from", 1.0)
    assert "--from: expected --state beside it" in result.stderr.splitlines()[-1]
