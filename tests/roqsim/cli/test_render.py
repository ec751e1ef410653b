"""``roqsim render``: what is asked for is in the picture, and the reply says how to take it again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from roqsim.cli.words import spread_words

pytestmark = pytest.mark.gl

ROOM = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="5 5 .1" rgba=".5 .5 .5 1"/>
    <geom name="hull" size=".5" pos="0 0 .5" group="3" rgba="0 1 0 1"/>
    <camera name="above" pos="0 0 4" fovy="60"/>
    <camera name="askew" pos="0 0 4" resolution="96 64" sensorsize="3 2" focalpixel="60 60" principalpixel="20 -10"/>
  </worldbody>
</mujoco>
"""

WORLD = """
sim: {world: room.xml, timestep: 0.002}
components:
  - boxes:
      rgba: [1, 0, 0, 1]
      instances:
        - {name: red, size: [0.4, 0.4, 0.4], pose: {position: {z: 0.2}}}
  - boxes:
      rgba: [0, 0, 1, 1]
      instances:
        - {name: blue, size: [0.4, 0.4, 0.4], pose: {position: {x: 1.5, z: 1.2}}}
    name: others
"""

ARM = """
<mujoco>
  <worldbody>
    <light pos="0 0 2" diffuse="1 0 0"/>
    <body name="base"><geom type="box" size=".05 .05 .05" rgba="1 1 1 1"/>
      <body name="link"><joint name="j" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 .5" size=".03" rgba="1 0 0 1"/></body>
    </body>
  </worldbody>
  <keyframe><key name="home" qpos="0 0 0 1 0 0 0 1.5708"/></keyframe>
</mujoco>
"""

LOW = ("--size", "96x64", "--quality", "low")


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A working directory with a world, an MJCF file, a model and a mesh."""
    monkeypatch.chdir(tmp_path)
    Path("room.xml").write_text(ROOM)
    Path("world.yaml").write_text(WORLD)
    Path("arm.urdf").write_text("<robot name='a'><link name='l'/></robot>")
    Path("tetra.obj").write_text("v 0 0 3\nv 1 0 3\nv 0 1 3\nv 0 0 4\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    return tmp_path


@pytest.fixture
def render(cli, world):
    """Renders into ``out.png``, or what ``out`` says: the reply, and the picture of a still."""

    def run(target, *words, out="out.png", options=LOW):
        result = cli("render", target, "--out", out, *options, *words)
        assert result.exit_code == 0, result.output
        lines = result.stdout.splitlines()
        assert len(lines) == 1, "standard output is one line"
        reply = json.loads(lines[0])
        if not out.endswith((".png", ".jpg")):
            return reply, None
        with Image.open(out) as image:
            return reply, np.asarray(image.convert("RGB")).astype(int)

    return run


def share(picture, channel):
    """The share of pixels in which one channel is far above the others."""
    others = np.delete(picture, channel, axis=2).max(axis=2)
    return float((picture[..., channel] > others + 60).mean())


def copied(reply):
    """The words of ``--view`` that repeat a reply's picture."""
    values = reply["view"].items()
    return ["--view", *(f"{k}={v if isinstance(v, str) else json.dumps(v)}" for k, v in values)]


def test_a_world_is_in_the_picture_and_collision_geometry_is_not(render):
    reply, picture = render("world.yaml")
    assert picture.shape == (64, 96, 3)
    assert share(picture, 0) > 0.02
    assert share(picture, 2) > 0.02
    assert share(picture, 1) == 0.0
    assert (reply["size"], reply["time"], reply["frames"], reply["fps"]) == ([96, 64], 0.0, 1, None)


def test_an_absent_entity_is_not_in_the_picture(render):
    assert share(render("world.yaml", "--set", "components.others.present=false")[1], 2) == 0.0


def test_the_reply_holds_the_camera_in_the_words_that_repeat_the_picture(render):
    reply, _ = render("world.yaml", "--focus", "blue", out="first.png")
    assert reply["camera"] is None
    assert set(reply["view"]) == {"azimuth", "elevation", "distance", "lookat"}
    again, _ = render("world.yaml", *copied(reply), out="second.png")
    assert again["view"] == reply["view"]
    assert Path("first.png").read_bytes() == Path("second.png").read_bytes()


@pytest.mark.parametrize("suffix", ["png", "jpg", "mp4"])
def test_the_same_words_give_the_same_bytes(render, suffix):
    words = [] if suffix != "mp4" else ["--seconds", "0.2"]
    for name in ("a", "b"):
        render("world.yaml", "--overlay", "clock", *words, out=f"{name}.{suffix}")
    assert Path(f"a.{suffix}").read_bytes() == Path(f"b.{suffix}").read_bytes()


def test_the_worlds_view_is_kept_and_the_callers_laid_over_it(render):
    Path("viewed.yaml").write_text(WORLD.replace("sim: {", "sim: {view: {azimuth: 10, distance: 3}, "))
    assert render("viewed.yaml")[0]["view"]["azimuth"] == 10.0
    view = render("viewed.yaml", "--view", "azimuth=20", "elevation=-40", "--view", "lookat=0,0,1")[0]["view"]
    assert view == {"azimuth": 20.0, "elevation": -40.0, "distance": 3.0, "lookat": [0.0, 0.0, 1.0]}


def test_focus_shows_its_entities_whatever_the_worlds_view(render):
    Path("viewed.yaml").write_text(WORLD.replace("sim: {", "sim: {view: {azimuth: 10, distance: 30}, "))
    _, picture = render("viewed.yaml", "--focus", "blue")
    assert share(picture, 2) > 0.2
    _, both = render("viewed.yaml", "--focus", "blue", "red")
    assert share(both, 0) > 0.02
    assert share(both, 2) > 0.02


def test_the_target_may_follow_the_words_of_an_option(cli, world):
    for words in (["--focus", "red", "world.yaml"], ["--view", "azimuth=3", "world.yaml"]):
        assert cli("render", *LOW, "--out", "out.png", *words).exit_code == 0


def test_words_are_spread_over_their_options():
    wordy = {"--view": lambda word: "=" in word, "--focus": lambda word: True}
    args = ["w.yaml", "--focus", "a", "b", "--out", "x", "--view", "k=1", "l=2", "rest"]
    spread, extra = spread_words(args, wordy)
    assert spread == [*args[:3], "--focus", "b", "--out", "x", "--view", "k=1", "--view", "l=2", "rest"]
    assert extra == 10
    assert spread_words(["--focus", "-x"], wordy) == (["--focus", "-x"], None)
    assert spread_words(["--focus", "a", "--", "b"], wordy) == (["--focus", "a", "--", "b"], None)


def test_a_camera_of_the_model_looks_through_its_own_lens(render):
    reply, picture = render("world.yaml", "--camera", "above")
    assert (reply["camera"], reply["view"]) == ("above", None)
    # The lower box's top of 0.4 m is 3.6 m away, where 64 rows show 2 * 3.6 m * tan(30 degrees).
    rows = np.flatnonzero((picture[..., 0] > picture[..., 1] + 60).any(axis=1))
    assert len(rows) == pytest.approx(64 * 0.4 / (7.2 * np.tan(np.radians(30.0))), abs=1.5)


def test_a_camera_whose_sensor_is_off_the_axis_shows_what_is_on_the_axis_beside_the_middle(render):
    _, picture = render("world.yaml", "--camera", "askew")
    shown = np.argwhere(picture[..., 0] > picture[..., 1] + 60).mean(axis=0)
    assert shown == pytest.approx((31.5 + 10.0, 47.5 - 20.0), abs=1.0)


def test_the_simulation_runs_first_where_it_is_told_to(render):
    still, moved = (render("world.yaml", "--view", *VIEW, "--at", at) for at in ("0", "0.3"))
    assert moved[0]["time"] == pytest.approx(0.3)
    fallen = np.mean(np.argwhere(moved[1][..., 2] > moved[1][..., 0] + 60), axis=0)
    before = np.mean(np.argwhere(still[1][..., 2] > still[1][..., 0] + 60), axis=0)
    # The box falls by g t² / 2 = 0.44 m before the camera, which shows 2 * 4 m * tan(22.5 degrees) in 64 rows.
    assert fallen[0] - before[0] == pytest.approx(64 * 0.4415 / (8.0 * np.tan(np.radians(22.5))), abs=1.5)


VIEW = ["azimuth=90", "elevation=0", "distance=4", "lookat=1.5,0,0.8"]


@pytest.mark.parametrize(("out", "fps"), [("film.gif", 10.0), ("film.webp", 25.0), ("film.mp4", 25.0)])
def test_a_video_has_the_length_and_rate_that_were_asked_for(render, out, fps):
    reply, _ = render("world.yaml", "--seconds", "0.4", out=out)
    assert (reply["frames"], reply["fps"]) == (round(0.4 * fps), fps)
    if not out.endswith(".mp4"):
        with Image.open(out) as film:
            assert film.n_frames == reply["frames"]


def test_a_tracking_camera_keeps_its_entity_in_the_middle(render):
    words = ["--view", "track=blue", "azimuth=90", "elevation=0", "--seconds", "0.4", "--fps", "10"]
    reply, _ = render("world.yaml", *words, out="film.webp")
    assert reply["view"]["track"] == "blue"
    with Image.open("film.webp") as film:
        for index in range(film.n_frames):
            film.seek(index)
            picture = np.asarray(film.convert("RGB")).astype(int)
            middle = np.mean(np.argwhere(picture[..., 2] > picture[..., 0] + 60), axis=0)
            assert middle == pytest.approx([31.5, 47.5], abs=1.5)
    again, _ = render("world.yaml", *copied(reply), *words[4:], out="again.webp")
    assert again["view"] == reply["view"]
    assert Path("film.webp").read_bytes() == Path("again.webp").read_bytes()


def test_a_run_that_ends_by_itself_ends_its_video(render, cli):
    Path("ender.py").write_text(
        "from roqsim.plugin import Plugin\n"
        "class Ender(Plugin):\n"
        "    def post_step(self, ctx):\n"
        "        if ctx.tick == 100:\n"
        "            ctx.request_stop('that was all')\n"
    )
    Path("ending.yaml").write_text(WORLD + '  - "ender.py:Ender": {}\n')
    result = cli("render", "ending.yaml", "--out", "film.gif", "--seconds", "1", "--fps", "10", *LOW)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["frames"] == 3
    result = cli("render", "ending.yaml", "--out", "out.png", "--at", "1", *LOW)
    assert json.loads(result.stdout)["time"] == pytest.approx(0.2)
    assert "the run ended by itself at 0.2 s: that was all" in result.stderr


def test_an_overlay_paints_on_the_picture(render):
    _, bare = render("world.yaml", "--view", *VIEW)
    _, clock = render("world.yaml", "--view", *VIEW, "--overlay", "clock:anchor=bottom-right,width=0.4,margin=0")
    changed = np.argwhere((bare != clock).any(axis=2))
    assert changed.min(axis=0)[1] >= 96 - 40
    assert changed.max(axis=0).tolist() == [63, 95]


def test_overlays_are_listed_with_their_packages(cli):
    result = cli("render", "--overlay", "list")
    assert result.exit_code == 0
    assert "clock  roqsim (roqsim.rendering.clock:Clock)" in result.stdout.splitlines()


@pytest.fixture
def arm(installed):
    """A package ``toys`` with a model ``arm``, whose home is an arm stretched out along x."""
    here = "from pathlib import Path\nMODELS_DIR = Path(__file__).parent / 'models_dir'\n"
    folder = installed("toys", {"roqsim.models": {"toys": "toys.models"}}, models=here) / "models_dir" / "arm"
    folder.mkdir(parents=True)
    (folder / "arm.xml").write_text(ARM.replace("0 0 0 1 0 0 0 1.5708", "1.5708"))
    return folder / "arm.xml"


@pytest.mark.parametrize("target", ["arm", "toys:arm"])
def test_a_model_stands_on_a_floor_at_home_in_the_studios_light(render, arm, target):
    _, picture = render(target, "--view", "azimuth=90", "elevation=0")
    rows, columns = np.nonzero(picture[..., 0] > picture[..., 1:].max(axis=2) + 60)
    assert np.ptp(columns) > 3 * np.ptp(rows), "the arm lies, as its home says"
    lit = picture[2, 2]
    assert np.ptp(lit) < 30, "the model's own red lamp is out"
    assert lit.mean() > 150


def test_a_model_rests_on_the_floor(render, arm):
    reply, _ = render("arm", "--view", "azimuth=90", "elevation=0")
    lowest = reply["view"]["lookat"][2]
    # Seen from the side, the box of 0.1 m and the arm of 0.03 m at half its height: 0.05 m above the floor.
    assert lowest == pytest.approx(0.05, abs=0.01)


def test_a_mesh_stands_on_a_floor_however_high_it_was_drawn(render):
    reply, picture = render("tetra.obj")
    assert reply["view"]["lookat"][2] < 1.0
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 3


def test_an_mjcf_file_is_a_world(render):
    reply, _ = render("room.xml")
    assert reply["view"]["distance"] > 0.0


def test_a_thumbnail_is_what_render_makes_of_the_model(cli, render, arm):
    result = cli("catalog", "model", "arm", "--json", "--thumbnail", "thumb.png")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["thumbnail"] == "thumb.png"
    render("arm", out="out.png", options=("--size", "512x512"))
    assert Path("thumb.png").read_bytes() == Path("out.png").read_bytes()
    assert cli("catalog", "model", "arm", "--thumbnail", "thumb.mp4").exit_code == 2


REFUSED = {
    "a recording": (["run.mcap"], "got 'run.mcap'; show a recording with --state run.mcap"),
    "no world, model or mesh": (["turtle"], "expected a world, a model or a mesh, got 'turtle'"),
    "a missing world": (["wrld.yaml"], "there is no file 'wrld.yaml'; did you mean 'world.yaml'?"),
    "a missing mesh": (["tetr.obj"], "there is no mesh 'tetr.obj'; did you mean 'tetra.obj'?"),
    "an unknown camera": (["world.yaml", "--camera", "abov"], "--camera: expected the name of a camera, got 'abov'"),
    "an unknown entity": (
        ["world.yaml", "--focus", "rd"],
        "--focus: expected the name of an entity, got 'rd'; did you",
    ),
    "an absent entity": (
        ["world.yaml", "--focus", "blue", "--set", "components.others.present=false"],
        "--focus: expected an entity that is present, got 'blue'",
    ),
    "an unknown track": (["world.yaml", "--view", "track=rd"], "sim.view.track: expected the name of an entity"),
    "an unknown overlay": (["world.yaml", "--overlay", "clok"], "got 'clok'; did you mean 'clock'?"),
    "a wrong view": (["world.yaml", "--view", "azimut=3"], "got 'azimut' at --view azimut=3; did you mean 'azimuth'?"),
    "a wrong distance": (["world.yaml", "--view", "distance=-1"], "got -1 at --view distance=-1"),
    "a view without a value": (["world.yaml", "--view", "azimuth"], "--view: expected KEY=VALUE, got 'azimuth'"),
    "a camera and a view": (["world.yaml", "--camera", "above", "--view", "azimuth=1"], "--view: expected to stand"),
    "a still that lasts": (["world.yaml", "--seconds", "2"], "--seconds: expected a video, got 'out.png'"),
    "an unknown kind": (["world.yaml", "--out", "out.tiff"], "--out: expected a file that ends in .png"),
    "a folder": (["world.yaml", "--out", "folder.png"], "folder.png: expected a file to write, got a folder"),
    "an odd size": (["world.yaml", "--out", "a.mp4", "--size", "33x20"], "expected even numbers for .mp4, got 33x20"),
    "no size": (["world.yaml", "--size", "big"], "expected columns x rows from 1x1"),
    "a huge size": (["world.yaml", "--size", "9000x10"], "to 8192x8192"),
    "no target": ([], "Missing argument 'TARGET'"),
}


@pytest.mark.parametrize("case", list(REFUSED))
def test_a_wrong_order_is_refused_with_what_to_write(cli, world, case):
    words, complaint = REFUSED[case]
    Path("folder.png").mkdir()
    Path("run.mcap").touch()
    result = cli("render", *LOW, "--out", "out.png", *words)
    assert result.exit_code == 2, result.output
    assert complaint in result.stderr
    assert result.stdout == ""
    assert not Path("out.png").exists()


def test_a_refused_order_leaves_the_picture_that_was_there(cli, world):
    Path("out.png").write_bytes(b"precious")
    assert cli("render", "world.yaml", "--out", "out.png", "--focus", "nobody").exit_code == 2
    assert Path("out.png").read_bytes() == b"precious"


@pytest.mark.parametrize("backend", ["disable", "glfw", "foo"])
def test_without_a_usable_gl_the_cause_and_the_cure_are_told(world, backend):
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    run = subprocess.run(
        [Path(sys.executable).with_name("roqsim"), "render", "world.yaml", "--out", "out.png"],
        env={**environment, "MUJOCO_GL": backend},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 3, run.stderr
    assert run.stdout == ""
    last = run.stderr.splitlines()[-1]
    assert "MUJOCO_GL" in last
    assert ";" in last
    assert not Path("out.png").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_a_terminal_shows_how_far_it_is_and_standard_output_stays_clean(world):
    import pty

    ours, theirs = pty.openpty()
    command = [Path(sys.executable).with_name("roqsim"), "render", "world.yaml", "--out", "film.gif", *LOW]
    run = subprocess.run([*command, "--at", "1", "--seconds", "0.3"], stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert run.returncode == 0, shown
    assert "simulated steps" in shown
    assert "frames" in shown
    assert "100%" in shown
    assert json.loads(run.stdout)["frames"] == 3
