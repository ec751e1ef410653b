"""What of a model URDF has a word for, what it says otherwise, and what it can not say."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import mujoco
import numpy as np
import pytest
from roqsim.errors import ConfigError, NotFoundError
from roqsim.urdf.reader import read_urdf

from .conftest import assert_same_kinematics, read_by_mujoco

GEOM = '<geom type="box" size=".1 .1 .1"/>'


def model(inner, after="", **compiler):
    settings = " ".join(f'{key}="{value}"' for key, value in {"angle": "radian", **compiler}.items())
    return f'<mujoco model="toy"><compiler {settings}/><worldbody>{inner}</worldbody>{after}</mujoco>'


def arm(joint, inner="", after=""):
    """A base and a link on a joint."""
    return model(f'<body name="base">{GEOM}<body name="tip">{joint}{GEOM}{inner}</body></body>', after)


def tree(exported):
    return ElementTree.parse(exported.path).getroot()


def joint_of(exported, name="j"):
    return tree(exported).find(f"joint[@name='{name}']")


def losses(exported):
    return "\n".join(exported.robot.losses)


def test_an_anchor_off_the_origin_gets_a_link_of_its_own(export_mjcf):
    exported = export_mjcf(arm('<joint name="j" axis="0 0 1" pos=".3 0 0"/>'))
    assert [link.name for link in exported.robot.links] == ["base", "tip_j", "tip"]
    assert joint_of(exported).find("origin").get("xyz") == "0.3 0 0"
    assert joint_of(exported, "tip_fixed").find("origin").get("xyz") == "-0.3 0 0"
    assert_same_kinematics(exported, read_by_mujoco(exported.path))


def test_several_joints_of_one_body_are_a_chain(export_mjcf):
    joints = '<joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/><joint name="j"/>'
    exported = export_mjcf(arm(joints))
    assert [link.name for link in exported.robot.links] == ["base", "tip_x", "tip_y", "tip"]
    between = tree(exported).find("link[@name='tip_x']/inertial/mass").get("value")
    assert 0.0 < float(between) <= 1e-9
    found = read_by_mujoco(exported.path)
    assert_same_kinematics(exported, found)
    assert found.body_mass.sum() == pytest.approx(exported.part.model.body_mass.sum(), abs=1e-8)


def test_a_position_is_the_one_that_joint_states_reports(export_mjcf):
    """A reference position of the model shifts the origin, so that the same number means the same pose."""
    exported = export_mjcf(arm('<joint name="j" axis="0 0 1" ref="0.5" range="-1 1"/>'))
    limit = joint_of(exported).find("limit")
    assert (limit.get("lower"), limit.get("upper")) == ("-1", "1")
    assert joint_of(exported).find("origin").get("rpy") == "0 0 -0.5"
    assert_same_kinematics(exported, read_by_mujoco(exported.path))


@pytest.mark.parametrize(
    "joint, kind",
    [
        ('<joint name="j" range="-1 1"/>', "revolute"),
        ('<joint name="j"/>', "continuous"),
        ('<joint name="j" type="slide" range="-1 1"/>', "prismatic"),
        ('<joint name="j" type="slide"/>', "prismatic"),
    ],
)
def test_joints_have_their_type(export_mjcf, joint, kind):
    exported = export_mjcf(arm(joint))
    assert joint_of(exported).get("type") == kind
    if "slide" in joint and "range" not in joint:
        assert "no range of 'j' in the model; 1e+06 m stands for none" in losses(exported)
        spec, _ = read_urdf(exported.path)
        assert not spec.compile().jnt_limited[0]


@pytest.mark.parametrize(
    "actuator, effort, velocity",
    [
        ('<motor joint="j" ctrlrange="-2 3" gear="10"/>', 30.0, None),
        ('<position joint="j" kp="100" forcerange="-5 4"/>', 5.0, None),
        ('<position joint="j" kp="100" forcerange="-5 5" gear="2"/>', 10.0, None),
        ('<velocity joint="j" kv="10" forcerange="-5 5" ctrlrange="-3 3"/>', 5.0, 3.0),
        ('<velocity joint="j" kv="10" forcerange="-5 5" ctrlrange="-3 3" gear="2"/>', 10.0, 1.5),
        ('<motor joint="j" ctrlrange="-1 1"/><motor joint="j" ctrlrange="-2 2"/>', 3.0, None),
        ('<motor joint="j"/>', None, None),
        ("", None, None),
    ],
)
def test_efforts_and_speeds_come_from_the_actuators(export_mjcf, actuator, effort, velocity):
    exported = export_mjcf(arm('<joint name="j"/>', after=f"<actuator>{actuator}</actuator>"))
    limit = joint_of(exported).find("limit")
    if effort is None:
        assert limit is None
    else:
        assert float(limit.get("effort")) == pytest.approx(effort)
        assert float(limit.get("velocity")) == pytest.approx(1e6 if velocity is None else velocity)
    for what, value in (("effort", effort), ("velocity", velocity)):
        assert (f"no {what} limit of 'j'" in losses(exported)) is (value is None)


def test_the_joints_own_limit_of_effort_counts_too(export_mjcf):
    motor = '<actuator><motor joint="j" ctrlrange="-9 9"/></actuator>'
    exported = export_mjcf(arm('<joint name="j" actuatorfrcrange="-4 2"/>', after=motor))
    assert float(joint_of(exported).find("limit").get("effort")) == 4.0


@pytest.mark.parametrize("ref", [0.0, 0.3])
def test_a_linear_coupling_is_a_mimic(export_mjcf, ref):
    two = f'<joint name="lead" ref="{ref}"/>{GEOM}<body name="b2"><joint name="follow" ref="{-ref}"/>{GEOM}</body>'
    after = '<equality><joint joint1="follow" joint2="lead" polycoef="0.1 -2 0 0 0"/></equality>'
    exported = export_mjcf(model(f'<body name="base">{GEOM}<body name="b1">{two}</body></body>', after))
    mimic = joint_of(exported, "follow").find("mimic")
    assert (mimic.get("joint"), float(mimic.get("multiplier"))) == ("lead", -2.0)
    # MuJoCo: q1 - q1_0 = 0.1 - 2 (q2 - q2_0).
    assert float(mimic.get("offset")) == pytest.approx(-ref + 0.1 + 2.0 * ref)
    spec, _ = read_urdf(exported.path)
    again = spec.compile()
    np.testing.assert_allclose(again.eq_data[0, :2], [float(mimic.get("offset")), -2.0])


@pytest.mark.parametrize(
    "equality, reason",
    [
        ('<joint joint1="a" joint2="b" polycoef="0 1 0.5 0 0"/>', "URDF has linear couplings only"),
        ('<joint joint1="a" polycoef="0.2 0 0 0 0"/>', "URDF couples two joints of one robot"),
        ('<joint joint1="a" joint2="b" active="false"/>', "it is switched off"),
        ('<joint joint1="a" joint2="b"/><joint joint1="a" joint2="c"/>', "'a' follows 'b' already"),
        ('<joint joint1="a" joint2="b"/><joint joint1="b" joint2="a"/>', "'a' follows 'b' already"),
        ('<joint joint1="a" joint2="b"/><joint joint1="b" joint2="c"/><joint joint1="c" joint2="a"/>', "'a' follows"),
        ('<connect body1="la" body2="lb" anchor="0 0 0"/>', "(connect): URDF closes no loops"),
        ('<weld body1="la" body2="lb"/>', "(weld): URDF closes no loops"),
    ],
)
def test_couplings_that_are_no_mimic_are_listed(export_mjcf, equality, reason):
    links = "".join(f'<body name="l{n}"><joint name="{n}"/>{GEOM}</body>' for n in "abc")
    exported = export_mjcf(model(f'<body name="base">{GEOM}{links}</body>', f"<equality>{equality}</equality>"))
    assert reason in losses(exported)
    read_by_mujoco(exported.path)


def test_a_ball_joint_is_refused_and_can_be_welded(export_mjcf):
    mjcf = arm(
        '<joint name="ball" type="ball" pos="0 0 .2"/>', '<body name="end"><joint name="j"/><geom size=".1"/></body>'
    )
    with pytest.raises(
        ConfigError, match="expected hinges and slides, got the ball joints 'ball'; fix them with --weld ball"
    ):
        export_mjcf(mjcf)
    exported = export_mjcf(mjcf, weld=["ball"])
    assert "joint 'ball' is fixed where it stands" in losses(exported)
    assert [joint.name for joint in exported.robot.joints if joint.type != "fixed"] == ["j"]
    assert_same_kinematics(exported, read_by_mujoco(exported.path))


@pytest.mark.parametrize("kind", ["hinge", "slide"])
def test_a_joint_is_welded_where_it_stands(export_mjcf, kind):
    joints = f'<joint name="j" type="{kind}" axis="0 0 1" pos=".1 .2 0" ref=".4"/>'
    exported = export_mjcf(arm(joints), weld=["j"], qpos=[1.1])
    assert [joint.type for joint in exported.robot.joints] == ["fixed"]
    assert_same_kinematics(exported, read_by_mujoco(exported.path))
    at_zero = export_mjcf(arm(joints), weld=["j"])
    assert at_zero.robot.joints[0].X_PJ == ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    assert exported.robot.joints[0].X_PJ != at_zero.robot.joints[0].X_PJ


def test_a_joint_to_be_welded_that_is_none_is_refused(export_mjcf):
    with pytest.raises(NotFoundError, match="--weld: expected a joint of the robot, got 'jj'; there is 'jay'"):
        export_mjcf(arm('<joint name="jay"/>'), weld=["jj"])


@pytest.mark.parametrize(
    "geom, tags",
    [
        ('type="sphere" size=".1"', ["sphere"]),
        ('type="ellipsoid" size=".1 .1 .1"', ["sphere"]),
        ('type="capsule" size=".1 .2"', ["cylinder", "sphere", "sphere"]),
        ('type="cylinder" size=".1 .2"', ["cylinder"]),
        ('type="box" size=".1 .2 .3"', ["box"]),
        ('type="ellipsoid" size=".1 .2 .3"', ["mesh"]),
    ],
)
def test_primitives_stay_primitives(export_mjcf, geom, tags):
    exported = export_mjcf(model(f'<body name="base"><geom {geom}/></body>'))
    for kind in ("visual", "collision"):
        found = [each[0].tag for each in tree(exported).findall(f"link/{kind}/geometry")]
        assert found == tags
    assert ("ellipsoids of link 'base' are meshes" in losses(exported)) is (tags == ["mesh"])


def test_a_geom_is_drawn_or_touches_as_in_the_model(export_mjcf):
    geoms = (
        '<geom name="both" size=".1"/><geom name="drawn" size=".1" contype="0" conaffinity="0"/>'
        '<geom name="touches" size=".1" group="3"/><geom name="clear" size=".1" rgba="1 0 0 0"/>'
        '<geom name="neither" size=".1" group="4" contype="0" conaffinity="0"/>'
    )
    exported = export_mjcf(model(f'<body name="base">{geoms}</body>'))
    link = tree(exported).find("link")
    assert [each.get("name") for each in link.findall("visual")] == ["both_visual", "drawn"]
    assert [each.get("name") for each in link.findall("collision")] == ["both", "touches", "clear"]
    assert "geoms of link 'base' that neither touch nor are drawn are left out" in losses(exported)


def test_planes_and_height_fields_are_listed(export_mjcf):
    geoms = f'{GEOM}<geom type="plane" size="1 1 1"/><geom type="hfield" hfield="h"/>'
    asset = '<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>'
    exported = export_mjcf(model(f'<body name="base">{geoms}</body>', asset))
    assert "a plane of link 'base' is left out" in losses(exported)
    assert "a height field of link 'base' is left out" in losses(exported)
    assert len(tree(exported).findall("link/collision")) == 1


def test_what_has_no_word_is_listed_once_for_each_kind(export_mjcf):
    joint = '<joint name="j" armature="0.1" stiffness="2"/>'
    after = (
        '<tendon><fixed name="cable"><joint joint="j" coef="1"/></fixed></tendon>'
        '<actuator><motor name="winch" tendon="cable"/><motor name="thrust" site="s" gear="0 0 1 0 0 0"/></actuator>'
    )
    exported = export_mjcf(arm(joint, '<site name="s"/>', after))
    for text in (
        "armature of 'j'",
        "spring of 'j'",
        "tendon 'cable'",
        "actuator 'winch', 'thrust', which drives no joint",
    ):
        assert text in losses(exported)


def test_what_is_no_part_of_the_robot_is_not_its_loss(export_mjcf):
    moving = f'<body name="{{}}">{GEOM}<body><joint/>{GEOM}</body></body><geom type="plane" size="1 1 1"/>'
    assert "plane" not in losses(export_mjcf(model(moving.format("base"))))
    with pytest.raises(ConfigError, match="--robot: expected one of the bodies 'base', 'other', got none; name one"):
        export_mjcf(model(moving.format("base") + moving.format("other")))


def test_unnamed_bodies_and_joints_get_names(export_mjcf):
    exported = export_mjcf(model(f"<body>{GEOM}<body><joint/>{GEOM}</body><body><joint/>{GEOM}</body></body>"))
    links = [link.name for link in exported.robot.links]
    joints = [joint.name for joint in exported.robot.joints]
    assert len(set(links)) == 3 and all(links) and len(set(joints)) == 2 and all(joints)
    assert_same_kinematics(exported, read_by_mujoco(exported.path))


def test_a_site_of_a_bodys_name_is_no_second_link(export_mjcf):
    exported = export_mjcf(model(f'<body name="base">{GEOM}<site name="base"/><site name="tcp" pos="0 0 1"/></body>'))
    assert [link.name for link in exported.robot.links] == ["base", "tcp"]


def test_a_frame_keeps_its_name_where_a_link_between_joints_would_take_it(export_mjcf):
    exported = export_mjcf(arm('<joint name="j" pos="0 0 .1"/>', '<site name="tip_j"/><camera name="eye"/>'))
    names = [link.name for link in exported.robot.links]
    assert names == ["base", "tip_j_1", "tip", "tip_j", "eye_optical_frame"]
    read_by_mujoco(exported.path)


def test_a_mesh_of_the_spheres_name_stays_itself(export_mjcf):
    asset = '<asset><mesh name="unit_sphere" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
    geoms = '<geom type="mesh" mesh="unit_sphere"/><geom type="ellipsoid" size=".1 .2 .3"/>'
    exported = export_mjcf(model(f'<body name="base">{geoms}</body>', asset))
    assert sorted(exported.robot.meshes) == ["unit_sphere.stl", "unit_sphere_1.stl"]
    assert len(exported.robot.meshes["unit_sphere_1.stl"]) == 84 + 4 * 50


def test_gravity_compensation_is_listed(export_mjcf):
    text = arm('<joint name="j"/>').replace('name="tip"', 'name="tip" gravcomp="1"')
    assert "gravity compensation of 'tip'" in losses(export_mjcf(text))


def test_a_camera_is_an_optical_frame(export_mjcf):
    """MuJoCo's camera looks along -z with y up, an optical frame along z with y down (REP-103)."""
    camera = '<camera name="eye" pos="1 2 3" xyaxes="0 -1 0 0 0 1"/>'
    exported = export_mjcf(model(f'<body name="base">{GEOM}{camera}</body>'))
    found = read_by_mujoco(exported.path)
    data = mujoco.MjData(found)
    mujoco.mj_kinematics(found, data)
    frame = data.body("eye_optical_frame")
    np.testing.assert_allclose(frame.xpos, [1, 2, 3])
    # It looks along x: z is x, x is -y, y is -z.
    np.testing.assert_allclose(frame.xmat.reshape(3, 3), [[0, 0, 1], [-1, 0, 0], [0, -1, 0]], atol=1e-9)


def test_colours_win_over_materials_as_mujoco_draws_them(export_mjcf):
    asset = '<asset><material name="steel" rgba=".1 .2 .3 1"/></asset>'
    geoms = '<geom size=".1" material="steel"/><geom size=".1" material="steel" rgba="1 0 0 .5"/><geom size=".1"/>'
    exported = export_mjcf(model(f'<body name="base">{geoms}</body>', asset))
    root = tree(exported)
    used = [each.get("name") for each in root.findall("link/visual/material")]
    colours = {each.get("name"): each.find("color").get("rgba") for each in root.findall("material")}
    assert [colours[name] for name in used] == ["0.1 0.2 0.3 1", "1 0 0 0.5", "0.5 0.5 0.5 1"]
    assert used[0] == "steel" and len(set(used)) == 3


def test_a_texture_is_told(export_mjcf):
    texture = '<texture name="t" type="2d" builtin="checker" width="8" height="8"/>'
    asset = f'<asset>{texture}<material name="m" texture="t"/></asset>'
    exported = export_mjcf(model('<body name="base"><geom size=".1" material="m"/></body>', asset))
    assert "the texture of material 'm'" in losses(exported)
