"""``roqsim catalog``: what is installed, and what a model is made of."""

from __future__ import annotations

import json
import math

import pytest
from roqsim.drivers.answers.catalog import first_sentence, leading_comment
from roqsim.models import list_models
from roqsim.worlds import list_worlds

ARM = """
<mujoco>
  <!-- An arm with a gripper.  Only for looking at. -->
  <worldbody>
    <body name="base"><geom type="box" size=".1 .1 .1" mass="2"/>
      <body name="link"><joint name="j1" range="-180 180"/><geom size=".1" mass="1"/><site name="tcp"/>
        <body name="left"><joint name="l" type="slide"/><geom size=".01" mass=".1"/></body>
        <body name="right"><joint name="r" type="slide" range="0 .1"/><geom size=".01" mass=".1"/></body>
      </body>
    </body>
    <camera name="eye"/>
  </worldbody>
  <tendon><fixed name="grip"><joint joint="l" coef="1"/><joint joint="r" coef="1"/></fixed></tendon>
  <actuator>
    <position name="p" joint="j1" kp="10" kv="1" ctrlrange="-1 1" forcerange="-5 5"/>
    <velocity name="v" joint="j1" kv="3"/>
    <motor name="m" tendon="grip" ctrlrange="0 1"/>
    <general name="g" joint="j1" biastype="affine" gainprm="2" biasprm="0 -1 0"/>
    <adhesion name="a" body="left" ctrlrange="0 1"/>
  </actuator>
  <sensor>
    <jointpos name="angle" joint="j1"/><framepos name="tip" objtype="site" objname="tcp"/><clock name="t"/>
  </sensor>
</mujoco>
"""

MANIFEST = """
description: A toy arm.
license: MIT
source: made up for a test
frames: {tool: {parent: tcp}}
components:
  - dummy: {}
    name: controller
    components: [ground_truth_pose]
"""


@pytest.fixture
def arm(installed):
    """A package ``toys`` with a model ``arm``."""
    here = "from pathlib import Path\nMODELS_DIR = Path(__file__).parent / 'models_dir'\n"
    folder = installed("toys", {"roqsim.models": {"toys": "toys.models"}}, models=here) / "models_dir" / "arm"
    folder.mkdir(parents=True)
    (folder / "arm.xml").write_text(ARM)
    (folder / "arm.manifest.yaml").write_text(MANIFEST)
    return folder / "arm.xml"


def reply(result) -> dict:
    """The one line of JSON on standard output."""
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.splitlines()) == 1
    return json.loads(result.stdout)


def test_every_plugin_is_listed_with_its_package_and_keys(cli):
    items = {item["name"]: item for item in reply(cli("catalog", "plugins", "--json"))["items"]}
    boxes = items["boxes"]
    assert (boxes["ref"], boxes["provider"]) == ("boxes", "roqsim")
    assert boxes["summary"].endswith(".")
    assert "instances" in boxes["keys"]
    assert all("error" in item or item["summary"] for item in items.values())


def test_a_plugin_that_cannot_be_loaded_is_listed_as_broken(cli, installed):
    installed("wreck", {"roqsim.plugins": {"ruin": "wreck.parts:Ruin"}}, parts="1 / 0")
    items = {item["name"]: item for item in reply(cli("catalog", "plugins", "--json"))["items"]}
    assert "ZeroDivisionError" in items["ruin"]["error"]
    assert "error" not in items["boxes"]
    assert "(broken)" in cli("catalog", "plugins").stdout


def test_every_model_is_listed_with_what_it_brings(cli, arm):
    items = {item["ref"]: item for item in reply(cli("catalog", "models", "--json"))["items"]}
    assert set(items) == {asset.ref for asset in list_models()}
    toy = items["toys:arm"]
    assert (toy["name"], toy["provider"], toy["summary"], toy["license"]) == ("arm", "toys", "A toy arm.", "MIT")
    assert [part["address"] for part in toy["components"]] == ["controller", "controller.ground_truth_pose"]
    assert "controller.ground_truth_pose" in cli("catalog", "models").stdout


def test_every_world_is_listed_with_its_first_comment(cli, installed):
    here = "from pathlib import Path\nWORLDS_DIR = Path(__file__).parent\n"
    folder = installed("garage", {"roqsim.worlds": {"garage": "garage.worlds"}}, worlds=here)
    (folder / "lift.yaml").write_text("# A lift\n# for cars.\n\n# Not this.\nsim: {}\n")
    items = {item["ref"]: item for item in reply(cli("catalog", "worlds", "--json"))["items"]}
    assert set(items) == {asset.ref for asset in list_worlds()}
    assert items["garage:lift"] == {
        "name": "lift",
        "ref": "garage:lift",
        "provider": "garage",
        "kind": "world",
        "summary": "A lift for cars.",
    }


def test_a_broken_provider_is_told_and_disturbs_no_other(cli, installed, arm):
    installed("wreck", {"roqsim.models": {"wreck": "wreck.models"}}, models="import no_such_module_xyz")
    result = cli("catalog", "models", "--json")
    assert "toys:arm" in [item["ref"] for item in reply(result)["items"]]
    assert "no_such_module_xyz" in result.stderr


def test_a_model_is_described_by_the_names_a_world_uses(cli, arm):
    sheet = reply(cli("catalog", "model", "arm", "--json"))
    assert (sheet["ref"], sheet["license"], sheet["source"]) == ("toys:arm", "MIT", "made up for a test")
    assert sheet["path"] == str(arm)
    assert sheet["mass"] == pytest.approx(3.2)
    actuators = {actuator["name"]: actuator for actuator in sheet["actuators"]}
    assert {name: (a["kind"], a["joints"]) for name, a in actuators.items()} == {
        "p": ("position", ["j1"]),
        "v": ("velocity", ["j1"]),
        "m": ("effort", ["l", "r"]),
        "g": ("other", ["j1"]),
        "a": ("effort", []),
    }
    assert (actuators["p"]["control_range"], actuators["p"]["force_range"]) == ([-1, 1], [-5, 5])
    assert (actuators["v"]["control_range"], actuators["v"]["force_range"]) == (None, None)
    joints = {joint["name"]: joint for joint in sheet["joints"]}
    assert joints["j1"] == {"name": "j1", "type": "hinge", "body": "link", "range": pytest.approx([-math.pi, math.pi])}
    assert joints["l"]["range"] is None
    assert [sensor["object"] for sensor in sheet["sensors"]] == ["j1", "tcp", None]
    assert (sheet["sites"], sheet["frames"], sheet["cameras"]) == (["tcp"], ["tool"], ["eye"])


def test_a_description_for_people_names_all_of_it(cli, arm):
    text = cli("catalog", "model", "toys:arm").stdout
    for word in ("A toy arm.", "3.2 kg", "MIT", "drives l, r", "-3.14159 to 3.14159", "tcp", "tool", "controller"):
        assert word in text


def test_a_model_without_manifest_is_introduced_by_its_first_comment(cli, arm):
    (arm.parent / "arm.manifest.yaml").unlink()
    sheet = reply(cli("catalog", "model", arm, "--json"))
    assert (sheet["summary"], sheet["license"], sheet["provider"]) == ("An arm with a gripper.", None, None)
    assert "not stated" in cli("catalog", "model", arm).stdout


@pytest.mark.parametrize(
    ("name", "hint"),
    [("amr", "did you mean 'arm'?"), ("toys:rm", "'arm'"), ("nobody:arm", "nobody"), ("x/y.xml", "x/y.xml")],
)
def test_a_model_that_is_not_there_is_refused_with_the_nearest(cli, arm, name, hint):
    result = cli("catalog", "model", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert hint in result.stderr


def test_a_model_that_does_not_compile_says_why(cli, tmp_path):
    (tmp_path / "bad.xml").write_text("<mujoco><worldbody><body><freejoint/></body></worldbody></mujoco>")
    result = cli("catalog", "model", tmp_path / "bad.xml")
    assert result.exit_code == 2
    assert "mass and inertia" in result.stderr


def test_a_model_that_lacks_a_file_says_which_and_where(cli, tmp_path):
    mesh = '<asset><mesh name="m" file="no.obj"/></asset>'
    (tmp_path / "bad.xml").write_text(f"<mujoco>{mesh}</mujoco>")
    result = cli("catalog", "model", tmp_path / "bad.xml")
    assert result.exit_code == 2
    assert result.stderr == (
        f"{tmp_path / 'bad.xml'}: expected the mesh 'no.obj' of bad.xml, got no such file; looked in {tmp_path}\n"
    )


@pytest.mark.parametrize("asset", list_models(), ids=lambda asset: asset.ref)
def test_every_shipped_model_has_a_sheet(cli, asset):
    sheet = reply(cli("catalog", "model", asset.ref, "--json"))
    assert sheet["license"]
    assert sheet["source"]
    assert sheet["mass"] > 0.0


def test_a_first_sentence_ends_at_its_stop():
    assert first_sentence("Reads ``a.b`` at 1.5 Hz.  More.\n\nMore.") == "Reads a.b at 1.5 Hz."


def test_a_file_without_comment_has_no_summary(tmp_path):
    (tmp_path / "w.yaml").write_text("sim: {}\n# late\n")
    assert leading_comment(tmp_path / "w.yaml") == ""
