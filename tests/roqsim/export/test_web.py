"""A world's geometry for a browser: what is drawn is told, where it is, and how it looks."""

from __future__ import annotations

import os
import subprocess
import sys

import mujoco
import numpy as np
import pytest
from PIL import Image
from roqsim.config.sim import View
from roqsim.errors import ConfigError, NotFoundError, RoqsimError
from roqsim.export.web import export_web
from roqsim.mj.poses import compose
from roqsim.presence import set_present
from roqsim.rendering.bounds import drawn_geoms

ZOO = """
<mujoco>
  <asset>
    <texture name="grid" type="2d" builtin="checker" rgb1="1 1 1" rgb2="0 0 0" width="64" height="32"/>
    <texture name="cube" type="cube" builtin="gradient" rgb1="1 0 0" rgb2="0 1 0" width="16" height="96"/>
    <material name="plain" texture="grid" texrepeat="2 3" texuniform="true"/>
    <material name="tinted" texture="grid" rgba="1 0.5 0 0.4"/>
    <material name="sides" texture="cube"/>
    <material name="coat" rgba="0.1 0.2 0.3 1"/>
    <hfield name="hill" nrow="4" ncol="5" size="2 1 0.5 0.1" elevation="0 0 0 0 0 0 1 2 1 0 0 1 2 1 0 0 0 0 0 0"/>
    <mesh name="wedge" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
  </asset>
  <worldbody>
    <geom name="ground" type="plane" size="0 0 1" material="plain"/>
    <geom name="wall" type="plane" size="2 1 1" pos="0 5 1" euler="90 0 0"/>
    <geom name="hill" type="hfield" hfield="hill" pos="0 0 -1"/>
    <body name="slab" pos="1 0 0" euler="0 0 30">
      <joint name="turn" ref="28.64788975654116" axis="0 0 2"/>
      <joint name="push" type="slide" axis="1 0 0" ref="0.1"/>
      <geom name="slab" type="box" size="0.1 0.2 0.3" material="tinted" pos="0.1 0 0"/>
      <geom name="collision" type="sphere" size="0.5" group="3"/>
      <body pos="0 0 1">
        <joint axis="1 0 0" pos="0 0 0.2"/>
        <geom name="wedge" type="mesh" mesh="wedge" rgba="0 1 1 1"/>
        <geom name="glass" size="0.1" rgba="1 1 1 0"/>
      </body>
    </body>
    <body name="ball" pos="0 2 0"><joint type="ball"/><joint type="slide" axis="1 0 0"/>
      <geom name="pill" type="capsule" size="0.1 0.2" material="sides"/></body>
    <body name="free" pos="0 3 1"><freejoint/><geom name="egg" type="ellipsoid" size="0.1 0.2 0.3" material="coat"/>
      <geom name="can" type="cylinder" size="0.1 0.2" material="coat" rgba="1 0 0 1"/></body>
    <body name="puppet" mocap="true" pos="0 4 1"><geom size="0.1"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def zoo(world, write):
    return world({"sim": {"world": write("zoo.xml", ZOO)}})


def pixels(path):
    with Image.open(path) as picture:
        return np.asarray(picture)


def test_bodies_stand_where_they_stand_in_the_simulation(zoo, tmp_path, read_scene, same_pose):
    export_web(zoo.ctx, tmp_path / "out")
    scene, model, data = read_scene(tmp_path / "out"), zoo.ctx.model, zoo.ctx.data
    for body in range(model.nbody):
        same_pose(scene.pose(scene.names[body]), data.xpos[body], data.xquat[body])


def test_a_joint_moves_its_body_as_it_does_in_the_simulation(zoo, tmp_path, read_scene, same_pose):
    export_web(zoo.ctx, tmp_path / "out")
    scene, model, data = read_scene(tmp_path / "out"), zoo.ctx.model, zoo.ctx.data
    rng = np.random.default_rng(1)
    joints = [joint["name"] for joint in scene.document["joints"]]
    assert joints == ["turn", "push", "joint_2"]
    for joint, name in enumerate(joints):
        scene.values[name] = float(rng.uniform(-1.0, 1.0))
        data.qpos[model.jnt_qposadr[joint]] = scene.values[name] + model.qpos0[model.jnt_qposadr[joint]]
    mujoco.mj_kinematics(model, data)
    for body in (1, 2):
        same_pose(scene.pose(scene.names[body]), data.xpos[body], data.xquat[body])


def test_the_initial_values_are_the_joints_way_from_their_references(world, write, tmp_path, read_scene):
    home = '<keyframe><key name="home" qpos="0.9 0.3 0 1 0 0 0 0 0 3 1 1 0 0 0"/></keyframe>'
    engine = world({"sim": {"world": write("zoo.xml", ZOO.replace("</worldbody>", "</worldbody>" + home))}})
    export_web(engine.ctx, tmp_path / "out")
    initial = read_scene(tmp_path / "out").document["initialJoints"]
    assert initial["turn"] == pytest.approx(0.4)
    assert initial["push"] == pytest.approx(0.2)


def test_what_a_picture_shows_is_told_and_nothing_else(zoo, tmp_path, read_scene):
    export_web(zoo.ctx, tmp_path / "out")
    scene, model = read_scene(tmp_path / "out"), zoo.ctx.model
    shown = drawn_geoms(model)
    geoms = scene.document["geoms"]
    assert [geom["body"] for geom in geoms] == model.geom_bodyid[shown].tolist()
    names = [model.geom(int(geom)).name for geom in shown]
    assert "collision" not in names and "glass" not in names
    kinds = dict(zip(names, (geom["type"] for geom in geoms), strict=True))
    assert kinds == {
        "ground": "plane", "wall": "mesh", "hill": "mesh", "slab": "box", "wedge": "mesh", "pill": "capsule",
        "egg": "ellipsoid", "can": "cylinder", "": "sphere",
    }  # fmt: skip


def test_geoms_stand_where_they_stand_in_the_simulation(zoo, tmp_path, read_scene, same_pose):
    export_web(zoo.ctx, tmp_path / "out")
    scene, model, data = read_scene(tmp_path / "out"), zoo.ctx.model, zoo.ctx.data
    for geom, told in zip(drawn_geoms(model).tolist(), scene.document["geoms"], strict=True):
        pose = compose(scene.pose(scene.names[told["body"]]), (tuple(told["pos"]), tuple(told["quat"])))
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, data.geom_xmat[geom])
        same_pose(pose, data.geom_xpos[geom], quaternion)


def test_a_mesh_is_where_its_vertices_are(zoo, tmp_path, read_scene):
    export_web(zoo.ctx, tmp_path / "out")
    scene, model, data = read_scene(tmp_path / "out"), zoo.ctx.model, zoo.ctx.data
    geom = model.geom("wedge").id
    told = next(each for each in scene.document["geoms"] if each["rgba"] == [0, 1, 1, 1])
    found = scene.vertices(told)
    corners = model.mesh_vert[:4] @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom]
    apart = np.linalg.norm(found[:, None] - corners, axis=2)
    assert apart.min(axis=1).max() < 1e-6
    assert apart.min(axis=0).max() < 1e-6


TENT = """
v 0 0 0
v 1 0 1
v 0 1 0
v 1 1 1
v 2 0 0
v 2 1 0
vn -0.70710678 0 0.70710678
vn 0.70710678 0 0.70710678
f 1//1 2//1 4//1
f 1//1 4//1 3//1
f 2//2 5//2 6//2
f 2//2 6//2 4//2
"""


def test_a_mesh_keeps_the_edges_that_its_file_says_are_sharp(world, write, tmp_path, read_scene):
    write("tent.obj", TENT)
    mesh = '<asset><mesh name="tent" file="tent.obj" inertia="shell"/></asset>'
    body = '<worldbody><geom type="mesh" mesh="tent"/></worldbody>'
    export_web(world({"sim": {"world": write("tent.xml", f"<mujoco>{mesh}{body}</mujoco>")}}).ctx, tmp_path / "out")
    scene = read_scene(tmp_path / "out")
    (mesh,) = scene.document["meshes"]
    assert mesh["vert"]["count"] == 3 * 8, "the two vertices of the ridge are told once for each side"
    assert mesh["index"]["count"] == 3 * 4


def test_triangles_face_outwards(zoo, tmp_path, read_scene):
    export_web(zoo.ctx, tmp_path / "out")
    scene = read_scene(tmp_path / "out")
    for told in scene.document["geoms"]:
        if told["type"] != "mesh" or told["body"] == 0 and told["pos"][1] == 5:
            continue
        mesh = scene.document["meshes"][told["mesh"]]
        triangles = scene.array(mesh["index"], "<u4").reshape(-1, 3)
        a, b, c = np.moveaxis(scene.vertices(told)[triangles], 1, 0)
        # Of a closed surface the signed volume is positive; a height field has no bottom, so its base is at zero.
        base = [0.0, 0.0, -1.1] if told["body"] == 0 else a.mean(axis=0)
        assert np.einsum("ni,ni->", np.cross(a - base, b - base), c - base) > 0.0


def test_a_height_field_has_its_heights(zoo, tmp_path, read_scene):
    export_web(zoo.ctx, tmp_path / "out")
    scene = read_scene(tmp_path / "out")
    told = next(each for each in scene.document["geoms"] if each["type"] == "mesh" and each["pos"] == [0, 0, -1])
    top = scene.vertices(told)[:20]
    assert top[:, 2].max() == pytest.approx(-0.5)
    np.testing.assert_allclose(top[7], [0.0, -1.0 / 3.0, -0.5], atol=1e-6)
    assert scene.vertices(told)[:, 2].min() == pytest.approx(-1.1)


def test_an_upright_plane_is_seen_from_its_front_alone(zoo, tmp_path, read_scene):
    export_web(zoo.ctx, tmp_path / "out")
    scene = read_scene(tmp_path / "out")
    wall = next(each for each in scene.document["geoms"] if each["pos"] == [0, 5, 1])
    a, b, c = scene.vertices(wall)[scene.array(scene.document["meshes"][wall["mesh"]]["index"], "<u4")[:3]]
    np.testing.assert_allclose(np.cross(b - a, c - a) / 8.0, [0.0, -1.0, 0.0], atol=1e-6)


def test_a_geoms_own_colour_wins_over_its_materials(zoo, tmp_path, read_scene):
    export_web(zoo.ctx, tmp_path / "out")
    scene = read_scene(tmp_path / "out")
    egg, can = (next(g for g in scene.document["geoms"] if g["type"] == kind) for kind in ("ellipsoid", "cylinder"))
    assert egg["rgba"] == pytest.approx([0.1, 0.2, 0.3, 1.0])
    assert can["rgba"] == [1.0, 0.0, 0.0, 1.0]
    assert egg["matid"] == can["matid"] == -1


def test_a_texture_is_tinted_by_its_materials_colour(zoo, tmp_path, read_scene):
    export_web(zoo.ctx, tmp_path / "out")
    scene = read_scene(tmp_path / "out")
    document = scene.document
    slab = next(geom for geom in document["geoms"] if geom["type"] == "box")
    material = document["materials"][slab["matid"]]
    assert material["rgba"] == pytest.approx([1.0, 0.5, 0.0, 0.4])
    picture = pixels(tmp_path / "out" / document["textures"][material["texture"]]["file"])
    assert picture.shape == (32, 64, 3)
    assert {tuple(row) for row in picture.reshape(-1, 3).tolist()} == {(255, 128, 0), (0, 0, 0)}
    ground = document["materials"][next(g for g in document["geoms"] if g["type"] == "plane")["matid"]]
    assert ground["texrepeat"] == [2.0, 3.0] and ground["texuniform"] is True


def test_of_a_cube_texture_one_side_is_told(zoo, tmp_path, read_scene):
    export_web(zoo.ctx, tmp_path / "out")
    document = read_scene(tmp_path / "out").document
    pill = next(geom for geom in document["geoms"] if geom["type"] == "capsule")
    texture = document["textures"][document["materials"][pill["matid"]]["texture"]]
    assert pixels(tmp_path / "out" / texture["file"]).shape == (16, 16, 3)


def test_large_textures_are_made_smaller(zoo, tmp_path, read_scene):
    export_web(zoo.ctx, tmp_path / "out", max_tex_dim=16)
    for texture in read_scene(tmp_path / "out").document["textures"]:
        assert max(pixels(tmp_path / "out" / texture["file"]).shape) == 16


def test_the_same_world_gives_the_same_bytes(zoo, tmp_path):
    for name in ("a", "b"):
        export_web(zoo.ctx, tmp_path / name)
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "b").iterdir())
    assert all((tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes() for name in files)


def test_the_camera_begins_where_the_world_says(zoo, tmp_path, read_scene):
    view = View(lookat=(1.0, 2.0, 0.5), azimuth=30.0, elevation=-10.0, distance=4.0)
    export_web(zoo.ctx, tmp_path / "out", view=view)
    told = {"lookat": [1.0, 2.0, 0.5], "distance": 4.0, "azimuth": 30.0, "elevation": -10.0}
    assert read_scene(tmp_path / "out").document["view"] == told


def test_a_view_that_tracks_something_absent_is_one_of_the_scene(world, tmp_path, read_scene):
    boxes = "[{name: crate, size: [1, 1, 1], pose: {position: {x: 200}}}]"
    engine = world(f"components:\n  - boxes: {{instances: {boxes}, motion: static}}\n    present: false\n")
    export_web(engine.ctx, tmp_path / "gone", view=View(track="crate"))
    engine.ctx.call(lambda ctx: set_present(ctx, "crate", True))
    export_web(engine.ctx, tmp_path / "there", view=View(track="crate"))
    gone, there = (read_scene(tmp_path / name).document["view"]["lookat"] for name in ("gone", "there"))
    assert abs(gone[0]) < 5.0 and there[0] == pytest.approx(200.0, abs=1.0)
    with pytest.raises(NotFoundError, match=r"sim\.view\.track: expected .*, got 'crane'; did you mean 'crate'"):
        export_web(engine.ctx, tmp_path / "none", view=View(track="crane"))
    assert not (tmp_path / "none").exists()


def test_an_absent_entity_is_parked_below_the_ground(world, tmp_path, read_scene, same_pose):
    boxes = "[{name: crate, size: [1, 1, 1], pose: {position: {x: 2, z: 0.5}}}]"
    engine = world(f"components:\n  - boxes: {{instances: {boxes}}}\n    present: false\n")
    export_web(engine.ctx, tmp_path / "gone")
    scene = read_scene(tmp_path / "gone")
    same_pose(scene.pose("crate"), [2.0, 0.0, 0.5 - 100.0], [1.0, 0.0, 0.0, 0.0])
    assert any(geom["body"] == scene.names.index("crate") for geom in scene.document["geoms"])
    engine.ctx.call(lambda ctx: set_present(ctx, "crate", True))
    export_web(engine.ctx, tmp_path / "there")
    same_pose(read_scene(tmp_path / "there").pose("crate"), [2.0, 0.0, 0.5], [1.0, 0.0, 0.0, 0.0])


def test_a_folder_with_a_scene_is_refused_and_kept(zoo, tmp_path):
    export_web(zoo.ctx, tmp_path / "out")
    before = (tmp_path / "out" / "scene.json").read_bytes()
    with pytest.raises(
        ConfigError, match=r"out: expected a folder without scene\.bin, .*; name another, or add --force"
    ):
        export_web(zoo.ctx, tmp_path / "out", max_tex_dim=8)
    assert (tmp_path / "out" / "scene.json").read_bytes() == before
    export_web(zoo.ctx, tmp_path / "out", max_tex_dim=8, overwrite=True)


def test_a_failure_leaves_nothing_behind(zoo, tmp_path, monkeypatch):
    def fail(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", fail)
    with pytest.raises(RoqsimError, match=r"out: expected a place that can be written, got 'no space left on device'"):
        export_web(zoo.ctx, tmp_path / "new" / "out")
    assert list(tmp_path.iterdir()) == [tmp_path / "here"]


@pytest.mark.slow
def test_it_needs_no_opengl(write):
    program = "from roqsim.cli import main; main()"
    command = [sys.executable, "-c", program, "export", "web", write("zoo.xml", ZOO), "--out", "out"]
    environment = {**os.environ, "MUJOCO_GL": "disable"}
    environment.pop("DISPLAY", None)
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert os.path.isfile("out/scene.json")
