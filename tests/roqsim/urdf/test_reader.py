"""What a URDF becomes: every link a body, with its own mass, shapes, joint and limits."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from .conftest import ARM, BOX, INERTIAL, joint, link, robot


def rotation(roll, pitch, yaw):
    """URDF's rotation: about the fixed axes x, y and z, one after the other."""
    c, s = np.cos([roll, pitch, yaw]), np.sin([roll, pitch, yaw])
    Rx = np.array([[1, 0, 0], [0, c[0], -s[0]], [0, s[0], c[0]]])
    Ry = np.array([[c[1], 0, s[1]], [0, 1, 0], [-s[1], 0, c[1]]])
    Rz = np.array([[c[2], -s[2], 0], [s[2], c[2], 0], [0, 0, 1]])
    return Rz @ Ry @ Rx


def texts(report, kind):
    return " | ".join(note.text for note in report.of_kind(kind))


def test_base_tool_and_camera_are_bodies_of_their_own(read):
    _, model, report = read(ARM)
    assert [model.body(i).name for i in range(model.nbody)] == ["world", "base", "tool", "cam"]
    assert (report.robot, report.base) == ("arm", "base")
    assert not report.of_kind("fused")
    np.testing.assert_allclose(model.body("cam").pos, [0, 0, 0.5])


def test_the_base_keeps_its_mass_and_inertia(read):
    _, model, _ = read(ARM)
    for name in ("base", "tool"):
        body = model.body(name)
        assert body.mass[0] == pytest.approx(2.0)
        np.testing.assert_allclose(body.ipos, [0.1, 0.2, 0.3])
        R = np.empty(9)
        mujoco.mju_quat2Mat(R, body.iquat)
        found = R.reshape(3, 3) @ np.diag(body.inertia) @ R.reshape(3, 3).T
        given = np.array([[0.02, 0.001, 0.002], [0.001, 0.03, 0.003], [0.002, 0.003, 0.04]])
        turn = rotation(0.4, 0.5, 0.6)
        np.testing.assert_allclose(found, turn @ given @ turn.T, atol=1e-12)


def test_the_joint_is_where_and_what_the_file_says(read):
    _, model, _ = read(ARM)
    turn = model.joint("turn")
    np.testing.assert_allclose(model.body("tool").pos, [1, 2, 3])
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, model.body("tool").quat)
    np.testing.assert_allclose(R.reshape(3, 3), rotation(0.1, 0.2, 0.3), atol=1e-12)
    np.testing.assert_allclose(turn.axis, [0, 1, 0])
    np.testing.assert_allclose(turn.range, [-1, 2])
    assert (turn.damping[0], turn.frictionloss[0]) == (0.5, 0.25)
    np.testing.assert_allclose(model.jnt_actfrcrange[turn.id], [-10, 10])


def test_visuals_are_drawn_and_collisions_touch(read):
    _, model, _ = read(ARM)
    for name, touches, group in (("base_visual", 0, 2), ("base_collision", 1, 3)):
        geom = model.geom(name)
        assert (geom.contype[0], geom.conaffinity[0], geom.group[0]) == (touches, touches, group)
        np.testing.assert_allclose(geom.size, [0.1, 0.2, 0.3])
    visual = model.geom("base_visual").id
    assert model.mat(model.geom_matid[visual]).name == "red"
    np.testing.assert_allclose(model.mat("red").rgba, [1, 0, 0, 1])


@pytest.mark.parametrize("kept, left", [("visual", "collision"), ("collision", "visual")])
def test_visuals_or_collisions_can_be_left_out(read, kept, left):
    _, model, report = read(ARM, **{left: False})
    names = [model.geom(i).name for i in range(model.ngeom)]
    assert names == [f"base_{kept}", f"tool_{kept}"]
    assert f"2 {left} shapes" in texts(report, "dropped")
    # What is left without a visual is drawn by what touches.
    assert {int(model.geom_group[i]) for i in range(model.ngeom)} == ({2} if kept == "visual" else {0})


def test_colours_are_those_of_each_shape_and_of_no_other(read):
    visual = "<visual>" + BOX + "{}</visual>"
    blue = '<material name="blue"><color rgba="0 0 1 1"/></material>'
    unnamed = '<material name=""><color rgba="0 1 0 0.5"/></material>'
    text = robot(link("a", visual.format(blue) + visual.format("") + visual.format(unnamed)))
    _, model, _ = read(text)
    names = ["a_visual", "a_visual_1", "a_visual_2"]
    assert [model.geom(i).name for i in range(3)] == names
    assert model.mat(model.geom_matid[0]).name == "blue"
    np.testing.assert_allclose(model.geom_rgba[1], [0.5, 0.5, 0.5, 1])
    np.testing.assert_allclose(model.geom_rgba[2], [0, 1, 0, 0.5])


def test_a_material_without_a_colour_is_told(read):
    _, _, report = read(robot(link("a", f'<visual>{BOX}<material name="chrome"/></visual>')))
    assert "material 'chrome'" in texts(report, "assumed")


@pytest.mark.parametrize(
    "limit, expected, remark",
    [
        ('<limit lower="-1" upper="2"/>', (-1, 2), ""),
        ('<limit upper="2"/>', (0, 2), ""),
        ('<limit lower="-2"/>', (-2, 0), ""),
        ('<limit lower="0" upper="0"/>', None, "no room"),
        ('<limit effort="3" velocity="1"/>', None, "no room"),
        ("", None, "without <limit>"),
        ('<limit lower="-1000000" upper="1000000"/>', None, ""),
    ],
)
def test_limits_that_are_half_written_mean_what_urdf_says(read, limit, expected, remark):
    text = robot(link("a") + link("b") + joint("j", "a", "b", "revolute", limit))
    _, model, report = read(text)
    assert bool(model.jnt_limited[0]) is (expected is not None)
    if expected is not None:
        np.testing.assert_allclose(model.jnt_range[0], expected)
    assert remark in texts(report, "assumed")


def test_a_continuous_joint_turns_for_ever(read):
    text = robot(link("a") + link("b") + joint("j", "a", "b", "continuous", '<limit lower="-1" upper="1" effort="2"/>'))
    _, model, report = read(text)
    assert not model.jnt_limited[0]
    assert "which is continuous" in texts(report, "dropped")


def test_a_joint_that_mimics_another_follows_it(read):
    limit = '<limit lower="-2" upper="2" effort="1" velocity="1"/>'
    text = robot(
        link("a")
        + link("b")
        + link("c")
        + joint("lead", "a", "b", "revolute", limit)
        + joint("follow", "a", "c", "revolute", limit + '<mimic joint="lead" multiplier="-0.5" offset="0.25"/>')
    )
    _, model, report = read(text)
    data = mujoco.MjData(model)
    model.opt.gravity[:] = 0.0
    data.qpos[:] = [1.0, 0.0]
    data.qvel[0] = 0.3
    mujoco.mj_step(model, data, 2000)
    lead, follow = data.joint("lead").qpos[0], data.joint("follow").qpos[0]
    assert follow == pytest.approx(-0.5 * lead + 0.25, abs=5e-3)
    assert "'follow' follows 'lead'" in texts(report, "made")


def test_a_root_link_called_world_stands_for_the_world(read):
    text = robot(link("world", "") + link("a") + link("b") + joint("stand", "world", "a") + joint("k", "a", "b"))
    _, model, report = read(text)
    assert [model.body(i).name for i in range(model.nbody)] == ["world", "a", "b"]
    assert texts(report, "fused") == "link 'world' with the world"
    assert report.base_has_mass


def test_what_floats_below_a_bare_root_is_free(read):
    text = robot(link("odom", "") + link("a") + joint("float", "odom", "a", "floating"))
    _, model, report = read(text)
    assert [model.body(i).name for i in range(model.nbody)] == ["world", "a"]
    assert int(model.jnt_type[0]) == int(mujoco.mjtJoint.mjJNT_FREE)
    assert texts(report, "fused") == "link 'odom' with the world"


def test_a_planar_joint_is_two_slides_and_a_hinge(read):
    _, model, _ = read(robot(link("a") + link("b") + joint("j", "a", "b", "planar", '<axis xyz="0 0 1"/>')))
    assert [model.joint(i).name for i in range(model.njnt)] == ["j_TX", "j_TY", "j_RZ"]


def test_neighbours_at_the_base_do_not_touch_even_where_it_is_bolted_down(read):
    _, model, report = read(ARM)
    data = mujoco.MjData(model)
    data.qpos[0] = 0.0
    model.body_pos[model.body("tool").id] = 0.0
    mujoco.mj_forward(model, data)
    assert data.ncon == 0
    assert "1 pair of neighbours" in texts(report, "made")


def test_what_mujoco_can_not_use_is_reported_once_for_each_kind(read):
    extras = '<transmission/><transmission/><gazebo reference="a"/><ros2_control/>'
    text = ARM.replace("</robot>", extras + "</robot>").replace(
        '<axis xyz="0 2 0"/>', '<axis xyz="0 2 0"/><safety_controller/>'
    )
    _, _, report = read(text)
    dropped = texts(report, "dropped")
    assert "2 <transmission>" in dropped and "<gazebo>" in dropped and "<ros2_control>" in dropped
    assert "<safety_controller> of a joint" in dropped
    assert "the velocity limits of 1 joint:" in dropped
    assert "velocity limits" not in texts(read(text, actuators="velocity")[2], "dropped")
    lines = {note.line for note in report.of_kind("dropped")}
    assert text.lstrip("\n").splitlines()[max(lines) - 1].strip().startswith("<transmission/>")


def test_the_mujoco_block_of_a_file_neither_fuses_nor_discards(read):
    block = '<mujoco><compiler fusestatic="true" discardvisual="true" boundmass="1"/></mujoco>'
    _, model, report = read(ARM.replace('<link name="base">', block + '<link name="base">', 1))
    assert model.nbody == 4 and model.ngeom == 4
    dropped = texts(report, "dropped")
    assert 'fusestatic="true"' in dropped and 'discardvisual="true"' in dropped and 'boundmass="1"' in dropped
    assert model.body("cam").mass[0] == 0.0


def test_an_mjcf_name_does_not_hide_a_urdf(put):
    from roqsim.urdf.source import is_urdf

    assert is_urdf(put("a.xml", ARM))
    assert is_urdf(put("long.xml", f"<!-- {'x' * 9000} -->" + ARM.split("?>")[1]))
    assert not is_urdf(put("b.xml", "<mujoco><worldbody/></mujoco>"))
    assert not is_urdf(put("c.xml", "no xml at all"))
    assert is_urdf(put("d.urdf", "no xml at all"))


def test_every_shape_has_a_name_even_where_two_have_the_same(read, capfd):
    shape = f'<collision name="shape">{BOX}</collision>'
    _, model, _ = read(robot(link("a", INERTIAL + shape + shape) + link("b", shape) + joint("j", "a", "b")))
    assert [model.geom(i).name for i in range(3)] == ["shape", "shape_1", "shape_2"]
    assert capfd.readouterr().err == ""
