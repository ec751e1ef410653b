"""``roqsim export urdf``: which robot, where to, and under which names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import mujoco
import pytest
from click.testing import CliRunner
from roqsim.cli import main

TOY = """
<mujoco model="toy"><worldbody><body name="base"><geom size=".1"/>
  <body name="tip" pos="0 0 .3"><joint name="j" range="-10 10"/><geom type="mesh" mesh="cube"/></body>
</body></worldbody>
<asset><mesh name="cube" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset></mujoco>
"""

WORLD = """
components:
  - spawn_model: {model: toy.xml}
    name: left
  - spawn_model: {model: toy.xml, pose: {position: {x: 3}}}
    name: right
  - spawn_model: {model: toy.xml, pose: {position: {x: 6}}}
    name: spare
    present: false
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with a model and a world of two of it."""
    monkeypatch.chdir(tmp_path)
    Path("toy.xml").write_text(TOY)
    Path("world.yaml").write_text(WORLD)
    return tmp_path


def roqsim(*words):
    """Runs the command line in this process."""
    result = CliRunner().invoke(main, [str(word) for word in words])
    return result.exit_code, result.stdout, result.stderr


def test_a_robot_of_a_world_is_exported_under_its_own_names(folder):
    code, out, err = roqsim("export", "urdf", "world.yaml", "--robot", "right", "--out", "out/right.urdf")
    assert code == 0 and json.loads(out)["out"] == "out/right.urdf"
    assert "not in the URDF: no effort limit of 'j' in the model" in err
    model = mujoco.MjModel.from_xml_path("out/right.urdf")
    assert [model.body(i).name for i in range(model.nbody)] == ["world", "base", "tip"]
    assert Path("out/meshes/right/cube.stl").is_file()
    assert '<robot name="right">' in Path("out/right.urdf").read_text()


def test_the_reply_is_one_line_of_json(folder):
    code, out, err = roqsim("export", "urdf", "toy.xml", "--out", "a.urdf", "--name", "rob")
    assert code == 0 and out.count("\n") == 1
    reply = json.loads(out)
    assert reply["robot"] == "rob" and reply["links"] == ["base", "tip"] and reply["joints"] == ["j"]
    assert reply["out"] == "a.urdf" and reply["meshes"] == ["meshes/a/cube.stl"]
    assert err.splitlines() == [f"not in the URDF: {text}" for text in reply["lost"]] != []


@pytest.mark.parametrize(
    "words, text",
    [
        (["world.yaml", "--out", "a.urdf"], "--robot: expected one of 'left', 'right', 'spare', got none; name one"),
        (["world.yaml", "--robot", "rigth", "--out", "a.urdf"], "got 'rigth'; did you mean 'right'?"),
        (["world.yaml", "--robot", "spare", "--out", "a.urdf"], "expected an entity that is there, got 'spare'"),
        (["toy.xml", "--out", "a.xml"], "--out: expected a file that ends in .urdf, got 'a.xml'"),
        (["toy.xml", "--out", "taken.urdf"], "taken.urdf: expected a file that is not there yet, got one"),
        (["tyo.xml", "--out", "a.urdf"], "did you mean 'toy.xml'?"),
        (["toy.xml", "--weld", "k", "--out", "a.urdf"], "--weld: expected a joint of the robot, got 'k'; there is 'j'"),
        (["empty.xml", "--out", "a.urdf"], "--robot: expected a world with a robot, got one without bodies"),
        (
            ["toy.xml", "--out", "a.urdf", "--absolute", "--package-name", "p"],
            "expected to stand without --package-name",
        ),
    ],
)
def test_a_mistake_is_one_line_and_writes_nothing(folder, words, text):
    Path("taken.urdf").write_text("mine")
    Path("empty.xml").write_text("<mujoco/>")
    code, out, err = roqsim("export", "urdf", *words)
    assert (code, out) == (2, "")
    assert text in err.splitlines()[-1]
    assert not Path("a.urdf").exists() and Path("taken.urdf").read_text() == "mine"
    assert not list(folder.glob(".*"))


def test_a_file_that_is_there_is_replaced_where_that_is_asked_for(folder):
    Path("a.urdf").write_text("mine")
    assert roqsim("export", "urdf", "toy.xml", "--out", "a.urdf", "--force")[0] == 0
    assert "<robot" in Path("a.urdf").read_text()


def mesh_of(path):
    text = Path(path).read_text()
    return text.partition('filename="')[2].partition('"')[0]


def test_meshes_are_named_by_package_from_the_packages_root(folder):
    Path("toy_description/urdf").mkdir(parents=True)
    out = "toy_description/urdf/toy.urdf"
    assert roqsim("export", "urdf", "toy.xml", "--out", out, "--package-name", "toy_description")[0] == 0
    assert mesh_of(out) == "package://toy_description/urdf/meshes/toy/cube.stl"
    # MuJoCo knows no packages; the file tells it where the meshes are.
    assert mujoco.MjModel.from_xml_path(out).nmesh == 1


def test_a_package_is_known_by_its_manifest_too(folder):
    Path("checkout/urdf").mkdir(parents=True)
    Path("checkout/package.xml").write_text("<package><name>toy_description</name></package>")
    out = "checkout/urdf/toy.urdf"
    assert roqsim("export", "urdf", "toy.xml", "--out", out, "--package-name", "toy_description")[0] == 0
    assert mesh_of(out) == "package://toy_description/urdf/meshes/toy/cube.stl"


def test_what_is_exported_with_packages_is_imported_again(folder):
    out = "toy_description/toy.urdf"
    assert roqsim("export", "urdf", "toy.xml", "--out", out, "--package-name", "toy_description")[0] == 0
    code, text, _ = roqsim("import", "urdf", out, "--json")
    assert code == 0 and json.loads(text)["bodies"] == ["base", "tip"]
    Path("elsewhere").mkdir()
    Path(out).rename("elsewhere/toy.urdf")
    block = Path("elsewhere/toy.urdf").read_text().replace('strippath="true" ', "").replace('strippath="true"', "")
    Path("elsewhere/toy.urdf").write_text(block)
    assert roqsim("import", "urdf", "elsewhere/toy.urdf")[0] == 2
    assert roqsim("import", "urdf", "elsewhere/toy.urdf", "--package-path", ".")[0] == 0


def test_meshes_can_have_absolute_names_and_be_obj(folder):
    words = ["export", "urdf", "toy.xml", "--out", "a.urdf", "--absolute", "--mesh-format", "obj"]
    assert roqsim(*words)[0] == 0
    assert mesh_of("a.urdf") == f"file://{folder}/meshes/a/cube.obj"
    assert mujoco.MjModel.from_xml_path("a.urdf").nmesh == 1
    assert roqsim("import", "urdf", "a.urdf")[0] == 0


def test_two_robots_in_one_folder_keep_their_own_meshes(folder):
    assert roqsim("export", "urdf", "toy.xml", "--out", "a.urdf")[0] == 0
    before = Path("meshes/a/cube.stl").read_bytes()
    Path("toy.xml").write_text(TOY.replace("0 0 0 1 0 0", "0 0 0 2 0 0"))
    assert roqsim("export", "urdf", "toy.xml", "--out", "b.urdf")[0] == 0
    assert Path("meshes/a/cube.stl").read_bytes() == before != Path("meshes/b/cube.stl").read_bytes()


def test_changes_to_the_world_reach_the_robot(folder):
    words = ["export", "urdf", "world.yaml", "--robot", "left", "--out", "a.urdf"]
    assert roqsim(*words, "--set", "components.left.mass=7")[0] == 0
    assert mujoco.MjModel.from_xml_path("a.urdf").body_mass.sum() == pytest.approx(7.0)


def test_an_entity_is_exported_that_another_one_carries(folder):
    tool = "{name: tool, spawn_model: {model: toy.xml, motion: static, parent: tip}}"
    Path("w.yaml").write_text(f"components: [{{name: arm, spawn_model: {{model: toy.xml}}, components: [{tool}]}}]")
    assert roqsim("export", "urdf", "w.yaml", "--out", "all.urdf")[0] == 0
    assert roqsim("export", "urdf", "w.yaml", "--robot", "arm.tool", "--out", "tool.urdf")[0] == 0
    bodies = {}
    for name in ("all", "tool"):
        model = mujoco.MjModel.from_xml_path(f"{name}.urdf")
        bodies[name] = {model.body(i).name for i in range(1, model.nbody)}
    assert bodies == {"all": {"base", "tip", "tool_base", "tool_tip"}, "tool": {"base", "tip"}}


@pytest.mark.slow
@pytest.mark.parametrize("end", ["urdf", "srdf"])
def test_the_scripts_do_the_same_and_show_mistakes_alike(folder, end):
    program = Path(sys.executable).with_name(f"roqsim-export-{end}")
    run = subprocess.run([program, "toy.xml", "--out", f"a.{end}"], capture_output=True, text=True)
    assert run.returncode == 0 and Path(f"a.{end}").is_file(), run.stderr
    wrong = subprocess.run([program, "toy.xml", "--out", f"a.{end}"], capture_output=True, text=True)
    assert wrong.returncode == 2 and wrong.stdout == ""
    assert wrong.stderr.splitlines()[-1].startswith(f"a.{end}: expected a file that is not there yet")


@pytest.mark.needs("roqsim_mobile")
def test_frames_that_components_publish_are_links_of_their_names(folder):
    code, out, err = roqsim("export", "urdf", "turtlebot4", "--out", "tb.urdf")
    assert code == 0, err
    links = set(json.loads(out)["links"])
    assert {"rplidar_link", "oakd_link", "oakd_rgb_camera_optical_frame", "imu_link", "base_footprint"} <= links
    assert not any("." in link for link in links)
    model = mujoco.MjModel.from_xml_path("tb.urdf")
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    # The laser's frame is where its housing is, and the tower's frame carries it.
    assert data.body("rplidar_link").xpos == pytest.approx(data.body("rplidar_rplidar_a1").xpos, abs=1e-9)
    assert model.body(model.body_parentid[model.body("rplidar_link").id]).name == "shell_link"
