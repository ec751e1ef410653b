"""Entry point, file, class and config names derive from each other; every shipped plugin keeps the contract."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = sorted(path.parent for path in ROOT.glob("roqsim*/pyproject.toml"))


def shipped(group: str) -> list[EntryPoint]:
    """The entry points of one group that the packages of this tree declare."""
    found = []
    for package in PACKAGES:
        project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
        declared = project.get("entry-points", {}).get(group, {})
        found += [EntryPoint(name, value, group) for name, value in declared.items()]
    return found


PLUGINS = shipped("roqsim.plugins")
by_name = pytest.mark.parametrize("entry", PLUGINS, ids=lambda entry: entry.name)


def camel(name: str) -> str:
    """``diff_drive`` → ``DiffDrive``."""
    return "".join(word.capitalize() for word in name.split("_"))


@by_name
def test_entry_file_class_and_config_carry_one_name(entry):
    assert entry.module.endswith(f".plugins.{entry.name}")
    assert entry.attr == camel(entry.name)
    plugin = entry.load()
    if plugin.Config is not None:
        assert plugin.Config.__name__ == f"{entry.attr}Config"
        assert plugin.Config.__module__ == plugin.__module__


@by_name
def test_a_shipped_plugin_keeps_the_contract(entry):
    from roqsim.testing import check_plugin

    check_plugin(entry.load())


def configurations(cls: object, seen: set[object]) -> set[object]:
    """A configuration class and those that its fields hold."""
    import dataclasses
    import typing

    from roqsim.config.schema import fields_of

    for member in typing.get_args(cls):
        configurations(member, seen)
    if dataclasses.is_dataclass(cls) and cls not in seen:
        seen.add(cls)
        for field in fields_of(cls):
            configurations(field.type, seen)
    return seen


@by_name
def test_every_angle_of_a_configuration_has_bounds_so_that_degrees_are_noticed(entry):
    from roqsim.config.schema import fields_of

    plugin = entry.load()
    angles = [field for cls in configurations(plugin.Config, set()) for field in fields_of(cls) if field.unit == "rad"]
    unbounded = [f.name for f in angles if f.rule.le is None and f.rule.lt is None]
    unbounded += [f.name for f in angles if f.rule.ge is None and f.rule.gt is None]
    assert unbounded == []


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_every_plugin_file_has_an_entry_point(package):
    files = {path.stem for path in package.glob("src/*/plugins/*.py")} - {"__init__"}
    assert files == {entry.name for entry in PLUGINS if entry.module.split(".")[0] == package.name}


@pytest.mark.parametrize(("group", "attribute"), [("roqsim.models", "MODELS_DIR"), ("roqsim.worlds", "WORLDS_DIR")])
def test_a_provider_points_to_a_folder_of_its_package(group, attribute):
    providers = shipped(group)
    assert providers
    for entry in providers:
        folder = Path(getattr(entry.load(), attribute))
        assert folder.is_dir()
        assert entry.name in folder.parts
