"""``roqsim schema``: what it accepts loads, and what it refuses does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from roqsim.config.nodes import load_file, loads
from roqsim.drivers.answers.world_schema import world_schema
from roqsim.worlds import list_worlds


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    schema = world_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("world", list_worlds(), ids=lambda world: world.ref)
def test_every_shipped_world_is_valid(validator, world):
    assert [error.message for error in validator.iter_errors(load_file(world.path).plain())] == []


GOOD = {
    "nothing but a world": "sim: {world: empty_room}",
    "no components": "components:",
    "a bare entry": "components: [dummy]",
    "an entry without configuration": "components: [{dummy: }]",
    "a config": "components: [{boxes: {size: [1, 1, 1], instances: [{name: a}]}, name: pile, enabled: false}]",
    "a nested entry that a manifest completes": "components: [{spawn_model: {model: a.xml}, components: [boxes]}]",
    "a class by module": "components: [{'a.b:C': {x: 1}, name: c}, 'd.py:E']",
    "a number without point": "sim: {timestep: 1, gravity: [0, 0, -9]}",
    "a factor of pacing": "sim: {pacing: {factor: 2.5}}",
    "a child": "{extends: 'a:b', disable: [x, y]}",
    "a child that leaves one out": "{extends: ./a.yaml, disable: x}",
}

WRONG = {
    "an unknown top key": "plugins: []",
    "an unknown key of sim": "sim: {timestap: 0.1}",
    "a wrong type": "sim: {timestep: abc}",
    "a value out of range": "sim: {timestep: 0}",
    "a wrong choice": "sim: {cone: round}",
    "a vector of two": "sim: {gravity: [0, 0]}",
    "an unknown plugin": "components: [no_such_plugin_xyz]",
    "an unknown plugin with configuration": "components: [{no_such_plugin_xyz: {}}]",
    "two plugins in one entry": "components: [{dummy: {}, boxes: {instances: []}}]",
    "an entry without plugin": "components: [{name: x}]",
    "an unknown key of a plugin": "components: [{boxes: {instances: [{size: [1, 1, 1]}], sise: 1}}]",
    "a missing key": "components: [{boxes: {size: [1, 1, 1]}}]",
    "a missing key of a bare entry": "components: [boxes]",
    "a name that is a number": "components: [{dummy: {}, name: 3}]",
    "a name with a dot": "components: [{dummy: {}, name: a.b}]",
    "a flag that is a word": "components: [{dummy: {}, enabled: 'on'}]",
    "a wrong nested entry": "components: [{dummy: {}, components: [{boxes: {sise: 1}}]}]",
    "a mapping of components": "components: {dummy: {}}",
    "disable without parent": "disable: [x]",
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_a_right_world_is_valid(validator, text):
    assert [error.message for error in validator.iter_errors(loads(text, "test").plain())] == []


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_a_wrong_world_is_not(validator, text):
    assert not validator.is_valid(loads(text, "test").plain())


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_what_the_schema_refuses_the_reader_refuses(cli, tmp_path, text):
    (tmp_path / "world.yaml").write_text(text)
    assert cli("check", tmp_path / "world.yaml").exit_code == 2


def test_the_schema_is_one_line_or_a_file(cli, tmp_path):
    line = cli("schema")
    assert len(line.stdout.splitlines()) == 1
    for option in ("--out", "--output"):
        written = cli("schema", option, tmp_path / "schema.json")
        assert (written.exit_code, written.stdout) == (0, "")
        assert json.loads((tmp_path / "schema.json").read_text()) == json.loads(line.stdout)


def test_a_schema_that_cannot_be_written_leaves_the_one_before(cli, tmp_path, monkeypatch):
    (tmp_path / "schema.json").write_text("the one before")

    def full(path, text, **options):
        with open(path, "w") as file:
            file.write(text[:100])
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_text", full)
    result = cli("schema", "--out", tmp_path / "schema.json")
    assert result.exit_code == 1
    told = f"{tmp_path / 'schema.json'}: expected a place that can be written, got 'no space left on device'"
    assert result.stderr.splitlines()[-1].startswith(told)
    assert [path.name for path in tmp_path.iterdir()] == ["schema.json"]
    assert (tmp_path / "schema.json").read_text() == "the one before"


def test_fields_keep_their_documentation(validator):
    properties = validator.schema["properties"]["sim"]["properties"]
    assert all(field["description"] for field in properties.values())


def test_a_plugin_that_cannot_be_loaded_accepts_anything_and_says_why(installed):
    installed("wreck", {"roqsim.plugins": {"ruin": "wreck.parts:Ruin"}}, parts="1 / 0")
    schema = world_schema()
    assert Draft202012Validator(schema).is_valid({"components": [{"ruin": {"x": 1}}]})
    assert "ZeroDivisionError" in schema["$defs"]["plugin.ruin"]["description"]


def test_the_schema_survives_yaml(validator):
    assert loads(json.dumps(validator.schema), "schema").plain() == validator.schema
