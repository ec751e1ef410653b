"""``roqsim import urdf``: the report, and the MJCF of a robot."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import numpy as np
import pytest
from click.testing import CliRunner
from roqsim.cli import main

from .conftest import ARM, BOX, INERTIAL, joint, link, robot, stl, stl_text


def roqsim(*words):
    """Runs the command line in this process."""
    result = CliRunner().invoke(main, [str(word) for word in words])
    return result.exit_code, result.stdout, result.stderr


def test_the_report_says_what_is_there_and_what_is_not(put):
    put("arm.urdf", ARM.replace("</robot>", "<transmission/></robot>"))
    code, out, err = roqsim("import", "urdf", "arm.urdf", "--actuators", "position")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0].endswith("arm.urdf: robot 'arm', base link 'base'")
    assert lines[1] == "  3 bodies, 1 joint, 1 actuator, 4 geoms, 4 kg"
    lines_of_file = Path("arm.urdf").read_text().splitlines()
    number = next(i for i, line in enumerate(lines_of_file, 1) if "<transmission/>" in line)
    assert f"  <transmission> of the robot (line {number})" in lines
    titles = [line.partition(" (")[0] for line in lines if line.endswith(":")]
    assert titles == ["dropped", "assumed", "made"]


def test_the_reply_is_one_line_of_json(put):
    put("arm.urdf", ARM)
    code, out, _ = roqsim("import", "urdf", "arm.urdf", "--json")
    reply = json.loads(out)
    assert code == 0 and out.count("\n") == 1
    assert (reply["bodies"], reply["joints"], reply["actuators"]) == (["base", "tool", "cam"], ["turn"], [])
    assert reply["mass"] == pytest.approx(4.0) and reply["written"] == []
    assert {note["kind"] for note in reply["notes"]} == {"dropped", "made"}


def test_the_mjcf_is_the_same_robot(put):
    from roqsim.urdf.reader import read_urdf

    put("meshes/a.stl", stl())
    put("meshes/b.stl", stl_text(2.0))
    shapes = "".join(f'<collision><geometry><mesh filename="meshes/{n}.stl"/></geometry></collision>' for n in "ab")
    path = put("arm.urdf", ARM.replace("</robot>", link("c", INERTIAL + shapes) + joint("k", "cam", "c") + "</robot>"))
    code, out, _ = roqsim("import", "urdf", "arm.urdf", "--out", "arm")
    assert code == 0 and out.splitlines()[-1] == "written: arm/arm.xml and 3 more files"
    assert sorted(str(each) for each in Path("arm").rglob("*") if each.is_file()) == [
        "arm/arm.manifest.yaml",
        "arm/arm.xml",
        "arm/assets/a.stl",
        "arm/assets/b.obj",
    ]
    expected = read_urdf(path)[0].compile()
    path.unlink()
    found = mujoco.MjModel.from_xml_path("arm/arm.xml")
    for field in ("body_mass", "body_inertia", "body_ipos", "body_pos", "jnt_axis", "jnt_range", "geom_size"):
        np.testing.assert_allclose(getattr(found, field), getattr(expected, field), rtol=2e-6, atol=1e-6, err_msg=field)
    for field in ("geom_type", "geom_contype", "geom_group", "body_parentid", "exclude_signature"):
        np.testing.assert_array_equal(getattr(found, field), getattr(expected, field), err_msg=field)


def test_the_folder_is_a_model_that_a_world_can_spawn(put):
    put("arm.urdf", ARM)
    assert roqsim("import", "urdf", "arm.urdf", "--out", "arm")[0] == 0
    code, out, err = roqsim("catalog", "model", "arm/arm.xml", "--json")
    assert code == 0, err
    assert json.loads(out)["joints"][0]["name"] == "turn"
    put("world.yaml", "components: [spawn_model: {model: arm/arm.xml, motion: static}]")
    assert roqsim("check", "world.yaml")[0] == 0


def test_an_mjcf_that_is_there_is_kept_unless_asked_for(put):
    put("arm.urdf", ARM)
    put("arm/arm.xml", "mine")
    put("arm/arm.manifest.yaml", "description: mine\n")
    code, out, err = roqsim("import", "urdf", "arm.urdf", "--out", "arm")
    assert (code, out) == (2, "") and "arm/arm.xml: expected a file that is not there yet" in err.splitlines()[-1]
    assert Path("arm/arm.xml").read_text() == "mine"
    assert roqsim("import", "urdf", "arm.urdf", "--out", "arm", "--force")[0] == 0
    assert "<mujoco" in Path("arm/arm.xml").read_text()
    assert Path("arm/arm.manifest.yaml").read_text() == "description: mine\n"


@pytest.mark.parametrize(
    "words, text",
    [
        (["amr.urdf"], "there is no file 'amr.urdf'; did you mean 'arm.urdf'?"),
        (["turtlebot4"], "there is no file 'turtlebot4'; there is 'arm.urdf', 'flat.urdf', 'wrong.urdf'"),
        (["folder"], "expected the file of a URDF, got the folder 'folder'; name a file in it"),
        (["toy.xml"], "expected a URDF, got 'toy.xml', whose root is no <robot>"),
        (["arm.urdf.xacro"], "expand it first: xacro FILE > robot.urdf"),
        (["wrong.urdf"], "link 'b': expected a mass above 0 to move by joint 'j', got none at "),
        (["arm.urdf", "--density", "0"], "0.0 is not in the range x>0.0"),
        (["arm.urdf", "--actuators", "positon"], "'positon' is not one of"),
        (["arm.urdf", "--package-path", "nowhere"], "package_path: expected a folder, got "),
        (["flat.urdf"], "expected a model that compiles, got \"mesh 'flat' has coplanar vertices"),
    ],
)
def test_a_mistake_is_told_in_the_last_line(put, words, text):
    put("arm.urdf", ARM)
    put("arm.urdf.xacro", ARM)
    Path("folder").mkdir()
    put("toy.xml", "<mujoco><worldbody/></mujoco>")
    put("wrong.urdf", robot(link("a") + link("b", "") + joint("j", "a", "b", "continuous")))
    put("flat.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n")
    put(
        "flat.urdf",
        robot(link("a", INERTIAL + '<collision><geometry><mesh filename="flat.obj"/></geometry></collision>')),
    )
    code, out, err = roqsim("import", "urdf", *words, "--out", "made")
    assert (code, out) == (2, "")
    assert text in err.splitlines()[-1]
    assert not Path("made").exists()


def test_a_compile_error_names_the_line(put):
    put("flat.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n")
    shape = '<collision><geometry><mesh filename="flat.obj"/></geometry></collision>'
    path = put("flat.urdf", robot(link("a", INERTIAL + shape)))
    assert f"from MuJoCo at {path}:8; correct the file" in roqsim("import", "urdf", "flat.urdf")[2]


def test_options_reach_the_import(put):
    put("robot.urdf", robot(link("a", f"<collision>{BOX}</collision><visual>{BOX}</visual>")))
    words = ["import", "urdf", "robot.urdf", "--json", "--density", "10", "--no-visual"]
    reply = json.loads(roqsim(*words)[1])
    assert reply["mass"] == pytest.approx(10 * 0.2 * 0.4 * 0.6) and reply["geoms"] == 1


def test_a_misspelt_format_is_offered_the_nearest(put):
    assert "did you mean 'urdf'?" in roqsim("import", "urfd")[2]
    assert "did you mean 'urdf'?" in roqsim("export", "urf")[2]
