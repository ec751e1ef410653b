"""``roqsim catalog plugin``, and the modules that other programs ask for the same."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

TOY = """
from dataclasses import dataclass
from roqsim.config.schema import need, opt
from roqsim.plugin import Plugin


@dataclass(frozen=True, kw_only=True)
class Lamp:
    colour: str = opt("white")
    '''What it shines in.'''
    power: float = need(gt=0, unit="W")
    '''What it draws.'''


@dataclass(frozen=True, kw_only=True)
class LightsConfig:
    lamps: tuple[Lamp, ...] = need(length=(1, 5))
    '''The lamps.'''
    reach: float = opt(float("inf"), gt=0, unit="m", finite=False)
    '''How far they shine.'''


class Lights(Plugin):
    '''Lights up. Not more.'''

    Config = LightsConfig


class Plain(Plugin):
    provides_entity = True
"""


@pytest.fixture
def lights(installed):
    installed("toys", {"roqsim.plugins": {"lights": "toys.lights:Lights", "plain": "toys.lights:Plain"}}, lights=TOY)


def test_a_plugin_publishes_its_keys_with_rules_and_units(cli, lights):
    done = cli("catalog", "plugin", "lights", "--json")
    assert done.output.count("\n") == 1
    sheet = json.loads(done.output)
    assert (sheet["name"], sheet["package"], sheet["kind"], sheet["strict_keys"]) == (
        "lights",
        "toys",
        "component",
        True,
    )
    assert [row["name"] for row in sheet["parameters"]] == ["lamps", "lamps.colour", "lamps.power", "reach"]
    power, reach = sheet["parameters"][2:]
    assert (power["required"], power["unit"], power["doc"]) == (True, "W", "What it draws.")
    assert (reach["required"], reach["default"]) == (False, "inf")
    assert [field["name"] for field in sheet["schema"]] == ["lamps", "reach"]
    assert sheet["schema"][0]["schema"]["maxItems"] == 5


def test_a_plugin_that_takes_any_mapping_says_that_its_keys_are_not_strict(cli, lights):
    sheet = json.loads(cli("catalog", "plugin", "plain", "--json").output)
    assert (sheet["kind"], sheet["parameters"], sheet["schema"], sheet["strict_keys"]) == ("entity", [], [], False)
    assert "It takes any mapping." in cli("catalog", "plugin", "plain").output


def test_people_get_a_table(cli, lights):
    lines = cli("catalog", "plugin", "lights").output.splitlines()
    assert lines[0] == "lights (toys): Lights up."
    assert lines[1].split() == ["key", "value", "default", "meaning"]
    assert lines[4].split()[:4] == ["lamps.power", "float", ">", "0"]
    assert any(
        line.startswith("lights ") and line.endswith("Lights up.")
        for line in cli("catalog", "plugins").output.splitlines()
    )


def test_the_list_says_of_each_what_programs_need(cli, lights):
    items = {item["name"]: item for item in json.loads(cli("catalog", "plugins", "--json").output)["items"]}
    assert {"name", "kind", "doc", "package"} <= set(items["lights"])
    assert (items["lights"]["doc"], items["plain"]["kind"]) == ("Lights up.", "entity")
    assert "spawn_model" in items


def test_a_plugin_file_is_described_too(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(TOY)
    sheet = json.loads(cli("catalog", "plugin", "mine.py:Lights", "--json").output)
    assert [row["name"] for row in sheet["schema"]] == ["lamps", "reach"]


def test_a_plugin_that_is_not_there_is_refused(cli):
    done = cli("catalog", "plugin", "spawn_modle", "--json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "did you mean 'spawn_model'?" in done.stderr


def module(*words):
    return subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, timeout=60)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (("roqsim.introspection", "list"), {"name", "kind", "doc"}),
        (("roqsim.catalog", "models"), {"name", "ref", "provider", "components"}),
        (("roqsim.catalog", "worlds"), {"name", "ref", "kind", "summary"}),
    ],
)
def test_the_modules_answer_with_one_line_of_json(words, keys):
    done = module(*words)
    assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    assert all(keys <= set(item) for item in json.loads(done.stdout)["items"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [("roqsim.introspection", "describe", "spawn_modle"), ("roqsim.catalog", "model", "no_such_package:robot")],
)
def test_what_is_not_there_is_answered_in_json_and_with_a_status(words):
    done = module(*words)
    reason = json.loads(done.stdout.splitlines()[-1])["error"]
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, reason)


@pytest.mark.slow
def test_a_module_that_is_asked_for_something_else_says_what_it_can():
    done = module("roqsim.introspection", "lst")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].endswith("expected 'list' or 'describe', got 'lst'")
    assert module("roqsim.catalog", "--help").returncode == 0


def test_no_key_is_injected_into_components():
    from roqsim.schema import INJECTED_KEYS

    assert sorted(INJECTED_KEYS) == []
