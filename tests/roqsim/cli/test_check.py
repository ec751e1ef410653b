"""``roqsim check``: which stage a mistake belongs to, and all of them at once."""

from __future__ import annotations

import json

import pytest

STAGES = ["resolve", "inputs", "config", "build", "configure", "reset"]

PLUGINS = """
from pathlib import Path
from roqsim import Plugin
from roqsim.errors import RoqsimError

class FailsToBuild(Plugin):
    def build(self, spec, ctx):
        raise ValueError("no such thing")

class Uncompilable(Plugin):
    def build(self, spec, ctx):
        spec.worldbody.add_body(name="massless").add_freejoint()

class FailsToConfigure(Plugin):
    def configure(self, ctx):
        ctx.model.body("nobody")

class FailsToReset(Plugin):
    def on_reset(self, ctx):
        raise RoqsimError(f"{self.address}: expected a robot, got none")

class Bridge(Plugin):
    transport_only = True
    def configure(self, ctx):
        raise RuntimeError("a check must not open a transport")

class Clumsy(Plugin):
    def __init__(self, config, *, name):
        raise KeyError("left hand")

class FailsToClose(Plugin):
    def shutdown(self, ctx):
        raise OSError("the disk is full")

class Closing(Plugin):
    def configure(self, ctx):
        Path(self.config["file"]).write_text("open")
    def shutdown(self, ctx):
        Path(self.config["file"]).write_text("closed")
"""


@pytest.fixture
def world(tmp_path):
    """Writes a world of components beside a file of plugins."""
    (tmp_path / "parts.py").write_text(PLUGINS)

    def write(*components: str, sim: str = "{}") -> str:
        path = tmp_path / "world.yaml"
        path.write_text(f"sim: {sim}\ncomponents:\n" + "".join(f"  - {each}\n" for each in components or ["dummy"]))
        return str(path)

    return write


def stages(result) -> dict[str, str]:
    """Status by stage, of a JSON reply."""
    return {stage["name"]: stage["status"] for stage in json.loads(result.stdout)["stages"]}


def test_a_good_world_passes_every_stage(cli, world):
    result = cli("check", world())
    assert result.exit_code == 0
    assert result.stdout.split() == [word for name in STAGES for word in (name, "ok")]
    assert result.stderr == ""


def test_the_reply_to_a_program_is_one_line(cli, world):
    result = cli("check", world(), "--json")
    assert len(result.stdout.splitlines()) == 1
    assert json.loads(result.stdout)["ok"] is True
    assert list(stages(result)) == STAGES


MISTAKES = [
    ("no_such_plugin_xyz", "config", 2, "no_such_plugin_xyz"),
    ("boxes: {sise: 1}", "config", 2, "components.boxes.sise: expected a known key, got 'sise'"),
    ("spawn_model: {model: crate.xml}", "config", 2, "crate.xml"),
    ("'parts.py:FailsToBuild'", "build", 1, "build failed: ValueError: no such thing"),
    ("'parts.py:Uncompilable'", "build", 2, "mass and inertia of moving bodies must be larger"),
    ("'parts.py:FailsToConfigure'", "configure", 1, "nobody"),
    ("'parts.py:FailsToReset'", "reset", 2, "FailsToReset: expected a robot, got none"),
    ("'parts.py:FailsToClose'", "reset", 1, "shutdown failed: OSError: the disk is full"),
    ("'parts.py:Clumsy'", "config", 1, "could not be made: KeyError: 'left hand'"),
]
"""A component, the stage that it fails, the status (2 where it refuses the world, 1 where its own code breaks), why."""


@pytest.mark.parametrize(("component", "failed", "status", "reason"), MISTAKES)
def test_a_mistake_fails_its_stage_and_skips_the_later_ones(cli, world, component, failed, status, reason):
    result = cli("check", world(component), "--json")
    assert result.exit_code == status
    found = stages(result)
    assert found[failed] == "failed"
    assert set(list(found.values())[STAGES.index(failed) + 1 :]) <= {"skipped"}
    assert reason in result.stderr
    assert reason in json.dumps(json.loads(result.stdout)["stages"], ensure_ascii=False)


@pytest.mark.parametrize(("component", "failed", "status", "reason"), MISTAKES)
def test_a_run_ends_with_the_status_that_the_check_foretells(cli, world, component, failed, status, reason):
    result = cli("sim", world(component), "--headless", "--pacing", "asap", "--steps", "1")
    assert result.exit_code == status
    assert reason in result.stderr.splitlines()[-1]


def test_the_reason_is_the_last_line_of_standard_error(cli, world):
    result = cli("check", world("boxes: {sise: 1}"))
    assert "Traceback" not in result.stderr
    assert result.stderr.splitlines()[-1].startswith("components.boxes")


def test_a_missing_mesh_fails_the_inputs(cli, world, tmp_path):
    (tmp_path / "crate.xml").write_text(
        '<mujoco><asset><mesh name="m" file="nowhere.obj"/></asset>'
        '<worldbody><body><geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    result = cli("check", world("spawn_model: {model: crate.xml}"), "--json")
    assert result.exit_code == 2
    assert stages(result) == dict(zip(STAGES, ["ok", "failed", "ok", *["skipped"] * 3], strict=True))
    assert "nowhere.obj" in result.stderr


@pytest.mark.parametrize("text", ["", "<mujoco><worldbody>", "<mujoco><worldbody typ='box'/></mujoco>"])
def test_a_model_that_mujoco_cannot_read_is_told_once_with_the_line_that_names_it(cli, world, tmp_path, text):
    (tmp_path / "crate.xml").write_text(text)
    path = world("dummy", "spawn_model: {model: crate.xml}")
    result = cli("check", path)
    (told,) = result.stderr.splitlines()
    assert told.startswith(f"spawn_model: expected a model that MuJoCo reads, got '{tmp_path / 'crate.xml'}': ")
    assert told.endswith(f" at {path}:4")


@pytest.mark.parametrize(
    "text",
    ["components: [", "extends: nowhere.yaml\n", "sim: {}\nsim: {}\n", "plugins: []\n", "", "- a\n"],
    ids=["syntax", "parent", "duplicate key", "unknown key", "empty", "a list"],
)
def test_a_broken_document_fails_to_resolve(cli, tmp_path, text):
    (tmp_path / "world.yaml").write_text(text)
    result = cli("check", tmp_path / "world.yaml", "--json")
    assert result.exit_code == 2
    assert stages(result)["resolve"] == "failed"
    assert set(list(stages(result).values())[1:]) == {"skipped"}


def test_a_plugin_that_cannot_be_made_or_closed_is_told_once(cli, world):
    for component in ("'parts.py:Clumsy'", "'parts.py:FailsToClose'"):
        assert len(cli("check", world(component)).stderr.splitlines()) == 1


def test_a_mistake_is_told_once(cli, tmp_path):
    (tmp_path / "world.yaml").write_text("plugins: []\nsim: {timestep: -1}\n")
    result = cli("check", tmp_path / "world.yaml")
    lines = result.stderr.splitlines()
    assert len(lines) == len(set(lines)) == 2
    assert "plugins" in lines[0]
    assert "sim.timestep" in lines[1]


@pytest.mark.parametrize("target", ["nowhere.yaml", "roqsim_mobile:nowhere", "nobody:nothing", "."])
def test_a_target_that_is_not_there_fails_to_resolve(cli, target):
    result = cli("check", target, "--json")
    assert result.exit_code == 2
    assert stages(result)["resolve"] == "failed"


def test_overrides_are_checked_with_the_world(cli, world, tmp_path):
    path = world("boxes: {instances: [{size: [1, 1, 1]}]}")
    assert cli("check", path, "--set", "components.boxes.mass=2").exit_code == 0
    wrong = cli("check", path, "--set", "components.boxes.mass=heavy")
    assert wrong.exit_code == 2
    assert "--set components.boxes.mass=heavy" in wrong.stderr
    (tmp_path / "o.yaml").write_text("components: {boxs: {mass: 1}}")
    misspelt = cli("check", path, "--override", tmp_path / "o.yaml")
    assert misspelt.exit_code == 2
    assert "did you mean 'boxes'?" in misspelt.stderr


def test_a_bare_mjcf_file_is_a_world(cli, tmp_path):
    (tmp_path / "scene.xml").write_text("<mujoco><worldbody><geom type='plane' size='1 1 1'/></worldbody></mujoco>")
    assert cli("check", tmp_path / "scene.xml").exit_code == 0
    (tmp_path / "bad.xml").write_text("<mujoco><worldbody><geom type='plain'/></worldbody></mujoco>")
    bad = cli("check", tmp_path / "bad.xml", "--json")
    assert bad.exit_code == 2
    assert "plain" in bad.stderr


def test_a_check_opens_no_transport(cli, world):
    assert cli("check", world("'parts.py:Bridge'")).exit_code == 0


def test_a_missing_transport_fails_unless_it_is_left_out(cli, world):
    path = world("ros2_bridge: {}")
    assert cli("check", path).exit_code == 2
    assert cli("check", path, "--no-communication").exit_code == 0


def test_what_a_check_opens_it_closes(cli, world, tmp_path):
    state = tmp_path / "state"
    assert cli("check", world(f"'parts.py:Closing': {{file: {state}}}")).exit_code == 0
    assert state.read_text() == "closed"
