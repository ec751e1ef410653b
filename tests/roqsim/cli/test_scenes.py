"""``roqsim scenes``: what other programs read about a world."""

from __future__ import annotations

import json
import shutil
import struct
import zlib
from pathlib import Path

import pytest
from roqsim.errors import ConfigError

from roqsim import Engine, apply_overrides, load_config

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

PLUGIN = """
from dataclasses import dataclass
from pathlib import Path
from roqsim import Plugin
from roqsim.config.schema import need

@dataclass(frozen=True, kw_only=True)
class ReaderConfig:
    file: str = need()
    '''A table.'''

class Reader(Plugin):
    Config = ReaderConfig

    def sources(self):
        return [self.base_dir / self.config.file, self.base_dir / "not_there.csv"]

    def build(self, spec, ctx):
        assert (self.base_dir / self.config.file).read_text()
"""


def png(path: Path) -> None:
    """Writes a picture of one grey pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0\x80\x80\x80")) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)


@pytest.fixture
def project(tmp_path):
    """A world with parts all over a tree: a parent, an MJCF base and its include, a model, a plugin file."""
    root = tmp_path / "project"
    for folder in ("worlds", "base/parts", "models/meshes", "models/pictures", "code/data", "unrelated"):
        (root / folder).mkdir(parents=True)
    (root / "base/parent.yaml").write_text("sim: {world: room.xml, timestep: 0.004}\ncomponents: [dummy]\n")
    (root / "base/room.xml").write_text(
        '<mujoco><include file="parts/light.xml"/><worldbody><geom type="plane" size="2 2 1"/></worldbody></mujoco>'
    )
    (root / "base/parts/light.xml").write_text('<mujoco><worldbody><light pos="0 0 3"/></worldbody></mujoco>')
    (root / "models/crate.xml").write_text(
        '<mujoco><compiler meshdir="meshes" texturedir="pictures"/><asset><mesh name="m" file="m.obj"/>'
        '<texture name="t" type="2d" file="t.png"/><material name="t" texture="t"/></asset>'
        '<worldbody><body name="crate"><geom type="mesh" mesh="m" material="t"/></body></worldbody></mujoco>'
    )
    (root / "models/crate.manifest.yaml").write_text(
        "license: MIT\ncomponents:\n  - ground_truth_pose: {rate_hz: 5.0}\n"
    )
    (root / "models/meshes/m.obj").write_text(OBJ)
    png(root / "models/pictures/t.png")
    (root / "code/reader.py").write_text(PLUGIN)
    (root / "code/data/table.csv").write_text("1,2\n")
    (root / "unrelated/notes.txt").write_text("nobody names this")
    (root / "worlds/child.yaml").write_text(
        "extends: ../base/parent.yaml\ncomponents:\n"
        "  - spawn_model: {model: ../models/crate.xml, pose: {position: {z: 1.0}}}\n    name: crate\n"
        "  - '../code/reader.py:Reader': {file: ../code/data/table.csv}\n    name: reader\n"
        "  - boxes: {instances: [{size: [1, 1, 1]}]}\n    enabled: false\n"
    )
    return root


def reply(result) -> dict:
    """The one line of JSON on standard output."""
    assert len(result.stdout.splitlines()) == 1, result.stdout
    return json.loads(result.stdout)


def test_the_inputs_are_exactly_the_files_of_the_world(cli, project):
    result = cli("scenes", "inputs", project / "worlds/child.yaml", "--require-complete")
    assert result.exit_code == 0
    found = reply(result)
    assert found["world"] == str(project / "worlds/child.yaml")
    assert found["packaged"] is False
    assert all(Path(path).is_absolute() for path in found["inputs"])
    named = {str(Path(path).resolve().relative_to(project.resolve())) for path in found["inputs"]}
    everything = {str(path.relative_to(project)) for path in project.rglob("*") if path.is_file()}
    assert named == everything - {"unrelated/notes.txt"}


def test_the_inputs_alone_load_and_compile_somewhere_else(cli, project, tmp_path):
    found = reply(cli("scenes", "inputs", project / "worlds/child.yaml"))["inputs"]
    elsewhere = tmp_path / "elsewhere"
    for path in map(Path, found):
        copy = elsewhere / path.resolve().relative_to(project.resolve())
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    shutil.rmtree(project)
    with Engine(load_config(elsewhere / "worlds/child.yaml"), preview=True) as engine:
        engine.step()
        assert engine.ctx.entities.names() == ["crate"]


def test_a_gap_is_told_once_and_what_names_it_travels(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "w.yaml").write_text("extends: nowhere.yaml\n")
    assert len(cli("scenes", "inputs", "w.yaml").stderr.splitlines()) == 1
    (tmp_path / "m.xml").write_text('<mujoco><asset><mesh name="m" file="no.obj"/></asset></mujoco>')
    (tmp_path / "w.yaml").write_text("components:\n- spawn_model: {model: m.xml}\n")
    result = cli("scenes", "inputs", "w.yaml")
    assert [Path(path).name for path in reply(result)["inputs"]] == ["w.yaml", "m.xml"]
    assert "no.obj" in result.stderr


def test_a_broken_world_names_what_was_found_until_then(cli, project):
    world = project / "worlds/child.yaml"
    world.write_text(world.read_text() + "  - no_such_plugin_xyz\n  - boxes: {sise: 1}\n    name: others\n")
    lenient = cli("scenes", "inputs", world)
    assert lenient.exit_code == 0
    named = {Path(path).name for path in reply(lenient)["inputs"]}
    assert {
        "child.yaml",
        "parent.yaml",
        "room.xml",
        "light.xml",
        "reader.py",
        "crate.xml",
        "m.obj",
        "table.csv",
    } <= named


@pytest.mark.parametrize("gap", ["extends", "plugin", "mesh", "syntax"])
def test_completeness_can_be_required(cli, project, gap):
    world = project / "worlds/child.yaml"
    if gap == "extends":
        (project / "base/parent.yaml").unlink()
    elif gap == "plugin":
        world.write_text(world.read_text() + "  - no_such_plugin_xyz\n")
    elif gap == "mesh":
        (project / "models/meshes/m.obj").unlink()
    else:
        (project / "base/parent.yaml").write_text("sim: [")
    assert cli("scenes", "inputs", world).exit_code == 0
    strict = cli("scenes", "inputs", world, "--require-complete")
    assert strict.exit_code == 2
    assert strict.stdout == ""
    word = {"extends": "parent.yaml", "plugin": "no_such_plugin_xyz", "mesh": "m.obj", "syntax": "parent.yaml"}[gap]
    assert word in strict.stderr


@pytest.mark.parametrize("words", [("inputs",), ("describe",), ("describe", "--entities")])
def test_a_world_that_is_not_there_prints_nothing_but_the_reason(cli, words):
    result = cli("scenes", *words, "no_such_world.yaml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no_such_world.yaml" in result.stderr.splitlines()[-1]
    assert len(result.stderr.splitlines()[-1]) <= 400


def test_the_inputs_of_a_bare_mjcf_file_are_its_own(cli, project):
    found = reply(cli("scenes", "inputs", project / "base/room.xml"))["inputs"]
    assert {Path(path).name for path in found} == {"room.xml", "light.xml"}


def test_nothing_of_an_installed_package_travels(cli, installed, tmp_path):
    here = "from pathlib import Path\nWORLDS_DIR = Path(__file__).parent\n"
    folder = installed("garage", {"roqsim.worlds": {"garage": "garage.worlds"}}, worlds=here)
    (folder / "lift.yaml").write_text("sim: {world: lift.xml}\n")
    (folder / "lift.xml").write_text("<mujoco/>")
    packaged = reply(cli("scenes", "inputs", "garage:lift", "--require-complete"))
    assert packaged == {"world": str(folder / "lift.yaml"), "packaged": True, "inputs": []}
    own = tmp_path / "own.yaml"
    own.write_text("extends: garage:lift\n")
    assert reply(cli("scenes", "inputs", own, "--require-complete"))["inputs"] == [str(own)]
    by_path = reply(cli("scenes", "inputs", folder / "lift.yaml"))
    assert [Path(path).name for path in by_path["inputs"]] == ["lift.yaml", "lift.xml"]
    assert by_path["packaged"] is False


def test_a_description_names_what_runs_and_where_it_came_from(cli, project):
    result = cli("scenes", "describe", project / "worlds/child.yaml")
    assert result.exit_code == 0
    found = reply(result)
    assert found["plugins"] == found["components"]
    rows = {row["address"]: row for row in found["components"]}
    assert list(rows) == ["dummy", "crate", "crate.ground_truth_pose", "reader"]
    assert rows["crate"] == {
        "address": "crate",
        "ref": "spawn_model",
        "name": "crate",
        "entity": None,
        "enabled": True,
        "origin": "document",
        "paths": ["components.crate.model", "components.crate.pose.position.z"],
    }
    brought = rows["crate.ground_truth_pose"]
    assert (brought["origin"], brought["entity"]) == ("manifest", "crate")
    assert brought["paths"] == ["components.crate.ground_truth_pose.rate_hz"]
    assert found["entities"] is None
    assert found["errors"] is None
    assert found["dropped_transport"] == found["warnings"] == []
    assert {"world", "packaged", "inputs", "overridable"} <= set(found)


def test_the_addresses_are_exactly_those_that_overrides_accept(cli, project):
    world = project / "worlds/child.yaml"
    addresses = reply(cli("scenes", "describe", world))["addresses"]
    assert addresses == ["dummy", "crate", "crate.ground_truth_pose", "reader", "boxes"]
    loaded = load_config(world)
    for address in addresses:
        apply_overrides(loaded, [f"components.{address}.enabled={'true' if address == 'boxes' else 'false'}"])
    with pytest.raises(ConfigError):
        apply_overrides(loaded, ["components.box.enabled=false"])


def test_every_path_of_a_description_can_be_overridden(cli, project):
    world = project / "worlds/child.yaml"
    found = reply(cli("scenes", "describe", world))
    paths = [path for row in found["components"] for path in row["paths"]]
    assert paths
    for path in set(paths) - {"components.crate.model", "components.reader.file"}:
        apply_overrides(load_config(world), [f"{path}=2.0"])


def test_entities_are_listed_on_demand_as_the_overrides_leave_them(cli, project, tmp_path):
    world = project / "worlds/child.yaml"
    assert reply(cli("scenes", "describe", world, "--entities"))["entities"] == ["crate"]
    changes = tmp_path / "changes.yaml"
    changes.write_text("components: {boxes: {enabled: true}}\n")
    result = cli("scenes", "describe", world, "--entities", "--override", changes)
    assert reply(result)["entities"] == ["boxes_0", "crate"]


def test_an_override_of_nothing_is_refused_before_anything_is_printed(cli, project, tmp_path):
    changes = tmp_path / "changes.yaml"
    changes.write_text("components: {no_such_component: {size: 1.0}}\n")
    result = cli("scenes", "describe", project / "worlds/child.yaml", "--override", changes)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no_such_component" in result.stderr.splitlines()[-1]


def test_an_unknown_plugin_is_not_left_out(cli, tmp_path):
    world = tmp_path / "world.yaml"
    world.write_text("components:\n  - no_such_plugin_xyz: {}\n")
    result = cli("scenes", "describe", world)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no_such_plugin_xyz" in result.stderr.splitlines()[-1]


def test_transport_is_left_out_by_name_and_stays_addressable(cli, tmp_path):
    world = tmp_path / "world.yaml"
    world.write_text("components:\n  - ros2_bridge: {namespace: r}\n  - boxes: {instances: [{size: [1, 1, 1]}]}\n")
    result = cli("scenes", "describe", world, "--entities")
    assert result.exit_code == 0
    found = reply(result)
    assert found["dropped_transport"] == ["ros2_bridge"]
    assert found["addresses"] == ["ros2_bridge", "boxes"]
    assert found["components"][0]["paths"] == ["components.ros2_bridge.namespace"]
    assert found["entities"] == ["boxes_0"]
    assert "ros2_bridge" in result.stderr
    assert found["warnings"] == []


BROKEN = """
from roqsim import Plugin

class Broken(Plugin):
    def {hook}(self, {arguments}):
        raise ValueError("broken on purpose")
"""


@pytest.mark.parametrize(
    ("hook", "arguments", "stage"),
    [("build", "spec, ctx", "build"), ("configure", "ctx", "build"), ("on_reset", "ctx", "reset")],
)
def test_a_world_that_does_not_compile_is_answered_in_part(cli, tmp_path, hook, arguments, stage):
    (tmp_path / "broken.py").write_text(BROKEN.format(hook=hook, arguments=arguments))
    world = tmp_path / "world.yaml"
    world.write_text("components:\n  - 'broken.py:Broken'\n  - dummy\n")
    plain = cli("scenes", "describe", world)
    assert plain.exit_code == 0
    result = cli("scenes", "describe", world, "--entities")
    assert result.exit_code == 2
    found = reply(result)
    assert list(found["errors"]) == [stage]
    assert "broken on purpose" in found["errors"][stage]
    assert found["addresses"] == ["broken.py:Broken", "dummy"]
    assert (found["entities"] is None) == (stage == "build")
    assert "broken on purpose" in result.stderr.splitlines()[-1]


def test_a_warning_of_the_build_is_advice(cli, project):
    (project / "models/crate.xml").write_text(
        '<mujoco><option gravity="0 0 -1"/><worldbody><body name="crate"><geom size=".1"/></body></worldbody></mujoco>'
    )
    found = reply(cli("scenes", "describe", project / "worlds/child.yaml", "--entities"))
    assert found["errors"] is None
    assert [warning["check"] for warning in found["warnings"]] == ["build"]
    assert "gravity" in found["warnings"][0]["message"]


def test_what_a_plugin_prints_is_not_part_of_the_reply(cli, tmp_path):
    (tmp_path / "loud.py").write_text(
        "from roqsim import Plugin\nprint('{}')\n"
        "class Loud(Plugin):\n    def build(self, spec, ctx):\n        print('{}')\n"
    )
    (tmp_path / "world.yaml").write_text("components: ['loud.py:Loud']")
    for words in (("scenes", "describe", "--entities"), ("scenes", "inputs"), ("check", "--json")):
        result = cli(*words, tmp_path / "world.yaml")
        assert result.exit_code == 0
        assert "world" in reply(result)


def test_a_body_tree_shows_what_hangs_on_what(cli, tmp_path):
    (tmp_path / "arm.xml").write_text(
        "<mujoco><worldbody><body name='base'><geom size='.1'/><body name='link'><joint name='j'/><geom size='.1'/>"
        "<body name='hand'><geom size='.1'/></body></body></body></worldbody></mujoco>"
    )
    found = reply(cli("scenes", "describe", tmp_path / "arm.xml", "--body-tree", "l*"))
    hand = {"name": "hand", "joints": [], "children": []}
    assert found["body_tree"] == [
        {"root": "link", "tree": {"name": "link", "joints": ["j"], "children": [hand]}, "truncated": False}
    ]
    assert found["entities"] is None
    assert reply(cli("scenes", "describe", tmp_path / "arm.xml", "--body-tree", "x*"))["body_tree"] == []


def test_the_overridable_fields_are_told_without_a_build(cli, tmp_path):
    world = tmp_path / "world.yaml"
    world.write_text("components: [dummy]\n")
    found = reply(cli("scenes", "describe", world))["overridable"]
    assert found["targets"] is None
    rows = {row["field"]: row for row in found["fields"]}
    assert {"geom_friction", "geom_contype", "geom_conaffinity", "actuator_forcerange", "body_mass"} <= set(rows)
    assert (rows["body_mass"]["write"], rows["body_mass"]["namespace"]) == ("needs_setconst", "body")
    assert (rows["geom_friction"]["write"], rows["geom_friction"]["namespace"]) == ("live", "geom")
    assert all(row[key].strip() for row in rows.values() for key in ("does", "caveats", "measured"))


def test_the_overridable_targets_are_named_with_their_values(cli, tmp_path):
    (tmp_path / "arm.xml").write_text(
        "<mujoco><worldbody><geom size='1'/><body name='link'><joint name='j' damping='.2' frictionloss='.1'/>"
        "<geom name='pad' size='.1' priority='2' friction='.7 .02 .001' contype='2' mass='3'/>"
        "<geom size='.1' mass='0'/></body><body name='leg'><geom name='leg' size='.1'/></body></worldbody>"
        "<actuator><motor name='l_motor' joint='j' forcerange='-4 5'/></actuator></mujoco>"
    )
    result = cli("scenes", "describe", tmp_path / "arm.xml", "--overridable", "[pjl][ai_]*", "--entities")
    assert result.exit_code == 0
    found = reply(result)
    assert found["entities"] == []
    pad = {"name": "pad", "body": "link", "geom_priority": 2, "geom_friction": [0.7, 0.02, 0.001]}
    assert found["overridable"]["targets"] == {
        "geom": [{**pad, "geom_contype": 2, "geom_conaffinity": 1}],
        "actuator": [{"name": "l_motor", "actuator_forcerange": [-4.0, 5.0]}],
        "body": [{"name": "link", "body_mass": 3.0}],
        "joint": [],
    }
    joints = reply(cli("scenes", "describe", tmp_path / "arm.xml", "--overridable", "j"))["overridable"]["targets"]
    assert joints["joint"] == [{"name": "j", "dof_damping": 0.2, "dof_frictionloss": 0.1}]


def test_what_is_absent_is_no_target(cli, tmp_path):
    world = tmp_path / "world.yaml"
    world.write_text(
        "components:\n  - boxes: {size: [1, 1, 1], instances: [{name: here}]}\n    name: a\n"
        "  - boxes: {size: [1, 1, 1], instances: [{name: gone}]}\n    name: b\n    present: false\n"
    )
    found = reply(cli("scenes", "describe", world, "--overridable", "*"))["overridable"]["targets"]
    for kind in ("geom", "body"):
        names = {row["name"] for row in found[kind]}
        assert "here" in names
        assert "gone" not in names


def test_a_world_that_does_not_compile_keeps_its_overridable_fields(cli, tmp_path):
    (tmp_path / "broken.py").write_text(BROKEN.format(hook="build", arguments="spec, ctx"))
    (tmp_path / "world.yaml").write_text("components: ['broken.py:Broken']")
    result = cli("scenes", "describe", tmp_path / "world.yaml", "--overridable", "*")
    assert result.exit_code == 2
    found = reply(result)["overridable"]
    assert found["targets"] is None
    assert found["fields"]
