"""Every mistake in a URDF is one error with the file and the line, and all of them are told at once."""

from __future__ import annotations

import pytest
from roqsim.errors import ConfigError
from roqsim.urdf.reader import read_urdf

from .conftest import INERTIAL, joint, link, robot

A, B, C = link("a", ""), link("b"), link("c")
LIGHT = INERTIAL.replace('<mass value="2"/>', '<mass value="0"/>')
POINT = INERTIAL.replace("0.001", "0").replace("0.002", "0").replace("0.003", "0")
POINT = POINT.replace('"0.02"', '"0"').replace('"0.03"', '"0"').replace('"0.04"', '"0"')
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'

WRONG = {
    "no XML": ("<robot><link></robot>", "expected XML, got 'mismatched tag' at {}:1"),
    "MJCF": ("<mujoco/>", "expected <robot>, got <mujoco> at {}:1; this is MJCF"),
    "SDF": ("<sdf/>", "expected <robot>, got <sdf> at {}:1; this is SDF"),
    "nothing in it": ("<robot/>", "expected at least one <link>, got none at {}:1"),
    "a xacro element": (
        robot("<xacro:include/>"),
        "expected URDF, got xacro's <xacro:include> at {}:2; expand it first",
    ),
    "a xacro expression": (robot(link("${p}a")), "expected URDF, got xacro's expression '${{p}}a' at {}:2; expand it"),
    "a link without a name": (robot("<link/>"), "link: expected a name, got none at {}:2"),
    "a link twice": (robot(A + A), "link 'a': expected a name of its own, got one that line 2 has at {}:3"),
    "a joint twice": (
        robot(A + B + C + joint("j", "a", "b") + joint("j", "a", "c")),
        "joint 'j': expected a name of its own, got one that line",
    ),
    "two roots": (
        robot(A + A.replace('"a"', '"z"')),
        "expected one root link, got 'a' in line 2, 'z' in line 3 at {}:3",
    ),
    "a loop": (
        robot(A + joint("j", "p", "q") + joint("k", "q", "p") + "<link name='p'/><link name='q'/>"),
        "joint 'j': expected joints that form a tree, got a loop of 'p', 'q' at {}:3",
    ),
    "two parents": (
        robot(A + '<link name="b"/>\n<link name="c"/>\n' + joint("j", "a", "c") + joint("k", "b", "c")),
        "joint 'k': expected a child of its own, got 'c', which 'j' in line 5 has already at {}:6",
    ),
    "a joint to itself": (
        robot(A + joint("j", "a", "a")),
        "joint 'j': expected two links, got 'a' as parent and child at {}:3",
    ),
    "an unknown parent": (
        robot('<link name="base_link"/>\n' + joint("j", "bse_link", "base_link")),
        "joint 'j': expected a link as its parent, got <parent link='bse_link'> at {}:3; did you mean 'base_link'?",
    ),
    "no child": (
        robot(A + '<joint name="j" type="fixed"><parent link="a"/></joint>'),
        "joint 'j': expected a link as its child, got no <child> at {}:3",
    ),
    "an unknown type": (
        robot(A + B + joint("j", "a", "b", "revolut")),
        "joint 'j': expected a known type, got 'revolut' at",
    ),
    "a link that is called world": (
        robot(A + '<link name="world"/>' + joint("j", "a", "world")),
        "link 'world': expected a name that MuJoCo leaves free, got 'world' at {}:3",
    ),
    "too few numbers": (
        robot(link("a", '<visual><origin xyz="1 2"/><geometry><box size="1 1 1"/></geometry></visual>')),
        "link 'a': expected 3 numbers for xyz in <origin>, got '1 2' at {}:2",
    ),
    "no number": (
        robot(link("a", '<visual><geometry><sphere radius="big"/></geometry></visual>')),
        "link 'a': expected a number for radius in <sphere>, got 'big' at {}:2",
    ),
    "not a number": (
        robot(link("a", '<visual><geometry><sphere radius="nan"/></geometry></visual>')),
        "link 'a': expected a number for radius in <sphere>, got 'nan' at {}:2",
    ),
    "a length of zero": (
        robot(link("a", '<visual><geometry><box size="0 1 1"/></geometry></visual>')),
        "link 'a': expected 3 lengths above 0 for size in <box>, got '0 1 1' at {}:2",
    ),
    "a scale of zero": (
        robot(link("a", '<visual><geometry><mesh filename="a.stl" scale="1 0 1"/></geometry></visual>')),
        "link 'a': expected 3 numbers other than 0 for scale in <mesh>, got '1 0 1' at {}:2",
    ),
    "no geometry": (robot(link("a", "<visual/>")), "got no <geometry> at {}:2"),
    "an unknown shape": (
        robot(link("a", "<collision><geometry><cone/></geometry></collision>")),
        "link 'a': expected one of box, cylinder, sphere, capsule, mesh in the <geometry> of <collision>, got <cone>",
    ),
    "a mesh without a file": (
        robot(link("a", "<visual><geometry><mesh/></geometry></visual>")),
        "link 'a': expected filename in <mesh>, got none at {}:2",
    ),
    "an axis of zeros": (
        robot(A + B + joint("j", "a", "b", "continuous", '<axis xyz="0 0 0"/>')),
        "joint 'j': expected 3 numbers that are not all 0 for xyz in <axis>, got '0 0 0' at",
    ),
    "limits the wrong way round": (
        robot(A + B + joint("j", "a", "b", "revolute", '<limit lower="2" upper="1"/>')),
        "joint 'j': expected lower below upper in <limit>, got '2' and '1' at",
    ),
    "a negative effort": (
        robot(A + B + joint("j", "a", "b", "continuous", '<limit effort="-1"/>')),
        "joint 'j': expected 0 or more for effort in <limit>, got '-1' at",
    ),
    "a mimic of nobody": (
        robot(
            A
            + B
            + C
            + joint("lift", "a", "c", "revolute", LIMIT)
            + joint("j", "a", "b", "revolute", LIMIT + '<mimic joint="lif"/>')
        ),
        "joint 'j': expected another revolute, continuous or prismatic joint to mimic, got 'lif' at",
    ),
    "a fixed mimic": (
        robot(
            A
            + B
            + C
            + joint("lift", "a", "c", "revolute", LIMIT)
            + joint("j", "a", "b", "fixed", '<mimic joint="lift"/>')
        ),
        "joint 'j': expected a joint with one coordinate to mimic with, got 'fixed' at",
    ),
    "a mass of zero that moves": (
        robot(A + link("b", LIGHT) + joint("j", "a", "b", "continuous")),
        "link 'b': expected a mass above 0 to move by joint 'j', got '0' at {}:6",
    ),
    "no mass that moves": (
        robot(A + link("b", "") + joint("j", "a", "b", "continuous")),
        "link 'b': expected a mass above 0 to move by joint 'j', got none at {}:3",
    ),
    "a negative mass": (
        robot(link("a", INERTIAL.replace('value="2"', 'value="-2"'))),
        "link 'a': expected 0 or more for value in <mass>, got '-2' at",
    ),
    "an inertia of zero that moves": (
        robot(A + link("b", POINT) + joint("j", "a", "b", "continuous")),
        "link 'b': expected an inertia to turn with joint 'j', got <inertia> of zeros at {}:3",
    ),
    "an inertia that no body has": (
        robot(link("a", INERTIAL.replace('"0.04"', '"0.4"'))),
        "link 'a': expected an inertia whose principal moments are above 0, none larger than the other two together",
    ),
    "no inertia and no shape to take one from": (
        robot(link("a") + link("b", '<inertial><mass value="1"/></inertial>') + joint("j", "a", "b", "continuous")),
        "link 'b': expected an inertia to turn with joint 'j', got no <inertia> and no shape at {}:9; "
        "write its moments of inertia",
    ),
    "half an inertia": (
        robot(link("a", '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"/></inertial>')),
        "link 'a': expected iyz in <inertia>, got none at {}:2; add iyz=\"…\"",
    ),
    "a floating link inside": (
        robot(link("a") + B + joint("j", "a", "b", "floating")),
        "joint 'j': expected a root link without mass and shape above a floating joint, got link 'a' at",
    ),
}


@pytest.mark.parametrize("text, expected", WRONG.values(), ids=WRONG)
def test_a_mistake_is_told_with_its_file_and_line(put, text, expected):
    path = put("robot.urdf", text)
    with pytest.raises(ConfigError) as caught:
        read_urdf(path)
    assert expected.format(path) in str(caught.value)
    assert len(caught.value.problems) == 1
    assert caught.value.exit_status == 2


def test_the_line_is_that_of_the_mistake(put):
    inner = '\n<visual>\n<origin\n xyz="0 0 0"\n rpy="0 0"/>\n<geometry><box size="1 1 1"/></geometry></visual>\n'
    with pytest.raises(ConfigError, match=r"robot.urdf:4$"):
        read_urdf(put("robot.urdf", robot(link("a", inner))))


def test_all_mistakes_are_told_at_once_in_the_order_of_their_lines(put):
    text = robot(
        link("a", '<visual><geometry><sphere radius="0"/></geometry></visual>')
        + link("a")
        + link("b", INERTIAL.replace('value="2"', 'value="x"'))
        + joint("j", "a", "c")
    )
    with pytest.raises(ConfigError) as caught:
        read_urdf(put("robot.urdf", text), where="components.arm")
    lines = [problem.origin.line for problem in caught.value.problems]
    assert len(lines) == 4 and lines == sorted(lines)
    assert all(line.startswith("components.arm: ") for line in str(caught.value).splitlines())


def test_an_axis_of_zeros_in_a_fixed_joint_is_nobodys_mistake(read):
    _, model, _ = read(robot(A + B + joint("j", "a", "b", "fixed", '<axis xyz="0 0 0"/><limit lower="x"/>')))
    assert model.nbody == 3


def test_a_namespace_of_xacro_alone_is_no_xacro(read):
    text = robot(B).replace("<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"')
    _, model, _ = read(text)
    assert model.nbody == 2
