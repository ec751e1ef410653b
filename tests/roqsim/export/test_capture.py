"""A run's motion for a browser: a scene that a capture moves shows what the run did, at the very instant."""

from __future__ import annotations

import json

import mujoco
import numpy as np
import pytest
from roqsim.errors import ConfigError, RecordingError
from roqsim.export.capture import export_capture
from roqsim.export.web import export_web
from roqsim.presence import set_present
from roqsim.recording import open_recording

MACHINE = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <body name="stand" pos="0 0 1" euler="0 0 30">
      <joint name="turn" axis="0 0 1" ref="40"/>
      <geom size="0.05 0.2" type="capsule"/>
      <body name="arm" pos="0.2 0 0">
        <joint name="lift" axis="0 1 0" pos="-0.1 0 0"/><joint name="reach" type="slide" axis="1 0 0" damping="2"/>
        <geom size="0.03 0.2" type="capsule" euler="0 90 0"/>
        <body pos="0.3 0 0"><joint axis="1 0 1"/><geom size="0.05" pos="0 0 0.1"/></body>
      </body>
    </body>
    <body name="bob" pos="1 0 1"><joint type="ball"/><geom size="0.1" pos="0.2 0.1 -0.3"/>
      <body name="tail" pos="0 0 -0.4"><joint name="wag" axis="0 1 0"/><geom size="0.05" pos="0.1 0 0"/></body></body>
    <body name="loose" pos="0 2 1"><freejoint/><geom type="box" size="0.1 0.2 0.3"/></body>
    <body name="puppet" pos="0 3 1" mocap="true"><geom size="0.1"/></body>
  </worldbody>
</mujoco>
"""

DOOR = """
<mujoco><worldbody>
  <body name="leaf"><joint name="hinge" axis="0 0 1"/><geom size="0.1"/>
    <body name="knob" pos="0.1 0 0"><geom size="0.02"/></body></body>
</worldbody></mujoco>
"""


@pytest.fixture
def shown(read_scene, read_capture, tmp_path, world, same_pose):
    """Exports the scene of a world and the capture of a run, and compares every body in every sample."""

    def compare(document, file, **options):
        engine = world(document, **options)
        export_web(engine.ctx, tmp_path / "scene")
        reply = export_capture(file, tmp_path / "capture")
        scene, capture = read_scene(tmp_path / "scene"), read_capture(tmp_path / "capture")
        recording = open_recording(file)
        engine = recording.rebuild()
        np.testing.assert_array_equal(capture.times, recording.times)
        for sample in recording:
            recording.restore(engine, sample)
            capture.apply(scene, sample.index)
            absent = engine.ctx.blackboard.require("presence").absent
            for body in range(engine.ctx.model.nbody):
                down = [0.0, 0.0, 100.0] if absent[body] else [0.0, 0.0, 0.0]
                place = engine.ctx.data.xpos[body] - down
                same_pose(scene.pose(scene.names[body]), place, engine.ctx.data.xquat[body], tolerance=2e-5)
        engine.shutdown()
        return scene, capture, reply

    return compare


def push(ctx):
    ctx.data.qvel[:] = np.linspace(-2.0, 2.0, ctx.model.nv)
    ctx.data.mocap_pos[0] = [1.0, 3.0, 1.5]


def test_every_body_is_shown_where_it_was(run, write, shown):
    document = {"sim": {"world": write("machine.xml", MACHINE)}}
    _, capture, reply = shown(document, run(document, 1.0, then=[(0.2, push)]))
    assert reply == {"samples": 26, "joints": 5, "poses": 3, "t0": 0.0, "t1": 1.0, "complete": True}
    assert capture.names("joint") == ["turn", "lift", "reach", "joint_3", "wag"]
    assert capture.names("pose") == ["bob", "loose", "puppet"]


def test_a_joints_track_counts_from_its_reference(run, write, shown):
    document = {"sim": {"world": write("machine.xml", MACHINE)}}
    _, capture, _ = shown(document, run(document, 0.1))
    assert capture.tracks["joint", "turn"][0] == 0.0
    units = {track["name"]: track["unit"] for track in capture.manifest["tracks"]}
    assert (units["turn"], units["reach"], units["loose"]) == ("rad", "m", "m")


def test_what_comes_and_goes_is_parked_while_it_is_absent(run, write, shown):
    write("door.xml", DOOR)
    document = {
        "components": [
            {"boxes": {"instances": [{"name": "crate", "size": [1, 1, 1], "pose": {"position": {"z": 2.0}}}]},
             "present": False},
            {"spawn_model": {"model": "./door.xml", "pose": {"position": {"x": 3.0, "z": 1.0}}}, "name": "door"},
        ]
    }  # fmt: skip
    appear = [(0.2, lambda ctx: set_present(ctx, "crate", True)), (0.4, lambda ctx: set_present(ctx, "door", False))]
    scene, capture, _ = shown(document, run(document, 0.6, then=appear))
    assert capture.names("pose") == ["crate", "door_leaf"]
    assert capture.names("joint") == [], "a body that a pose places has no track of a joint beside it"
    z = capture.tracks["pose", "crate"][:, 2]
    assert z[0] == pytest.approx(-98.0) and 1.0 < z[-1] < 2.0
    assert capture.tracks["pose", "door_leaf"][[0, -1], 2].tolist() == pytest.approx([1.0, -99.0])


def test_a_body_whose_place_in_the_model_changes_has_a_track_of_its_pose(run, write, shown, monkeypatch):
    document = {"sim": {"world": write("machine.xml", MACHINE)}}
    file = run(document, 0.4, then=[(0.2, push)])
    recording = type(open_recording(file))
    before = recording.restore

    def restore(self, engine, sample):
        before(self, engine, sample)
        engine.ctx.model.body_pos[engine.ctx.model.body("arm").id] = [0.2 + (sample.time > 0.2), 0.0, 0.0]
        mujoco.mj_kinematics(engine.ctx.model, engine.ctx.data)

    def restored(self, engine):
        for sample in self:
            restore(self, engine, sample)
            yield sample

    monkeypatch.setattr(recording, "restore", restore)
    monkeypatch.setattr(recording, "restored", restored)
    _, capture, _ = shown(document, file)
    assert capture.names("pose") == ["arm", "bob", "loose", "puppet"]
    assert "lift" not in capture.names("joint")


def test_it_says_which_world_it_is_of(run, write, tmp_path, read_capture):
    name = write("world.yaml", "sim: {timestep: 0.004}\n")
    file = run(name, 0.1, overrides={"sim": {"timestep": 0.001}}, seed=11)
    export_capture(file, tmp_path / "out")
    manifest = read_capture(tmp_path / "out").manifest
    assert manifest["world"] == "world.yaml"
    assert manifest["overrides"] == {"sim": {"timestep": 0.001}}
    assert manifest["seed"] == 11
    assert manifest["producer"] == "roqsim"
    assert manifest["complete"] is True


def test_long_runs_are_written_part_by_part(run, write, tmp_path, read_capture, monkeypatch):
    document = {"sim": {"world": write("machine.xml", MACHINE)}}
    file = run(document, 0.5, then=[(0.2, push)])
    export_capture(file, tmp_path / "whole")
    monkeypatch.setattr("roqsim.export.capture.CHUNK", 5)
    export_capture(file, tmp_path / "parts")
    for name in ("capture.json", "capture.bin"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "parts" / name).read_bytes()


def test_a_capture_that_is_there_is_kept(run, write, tmp_path):
    file = run("sim: {timestep: 0.01}\n", 0.1)
    export_capture(file, tmp_path / "out")
    before = (tmp_path / "out" / "capture.json").read_bytes()
    with pytest.raises(ConfigError, match=r"out: expected a folder without capture\.bin"):
        export_capture(file, tmp_path / "out")
    export_capture(file, tmp_path / "out", overwrite=True)
    assert json.loads(before) == json.loads((tmp_path / "out" / "capture.json").read_text())


def test_what_is_no_recording_is_refused_and_leaves_nothing(tmp_path):
    (tmp_path / "run.npz").write_bytes(b"nothing of the kind")
    with pytest.raises(RecordingError):
        export_capture(tmp_path / "run.npz", tmp_path / "new" / "out")
    assert not (tmp_path / "new").exists()
