"""What a package ships: models with licence and source, and every file in the wheel."""

from __future__ import annotations

import os
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import uv_build
import yaml

from roqsim import family

ROOT = Path(__file__).parents[2]
PACKAGES = sorted(path.parent for path in ROOT.glob("roqsim*/pyproject.toml"))
MODELS = sorted(path for path in ROOT.glob("roqsim*/src/*/models/*") if path.is_dir() and path.name != "__pycache__")

each_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)


@each_package
def test_every_file_of_a_package_is_in_its_wheel(package, tmp_path, monkeypatch):
    monkeypatch.chdir(package)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    wheel = uv_build.build_wheel(str(tmp_path))
    packed = set(zipfile.ZipFile(tmp_path / wheel).namelist())
    source = package / "src"
    files = {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert f"{package.name}/__init__.py" in files
    assert files <= packed


@each_package
def test_the_packages_are_released_together(package):
    projects = {path.name: tomllib.loads((path / "pyproject.toml").read_text())["project"] for path in PACKAGES}
    version = projects["roqsim"]["version"]
    project = projects[package.name]
    assert project["version"] == version
    ours = [requirement for requirement in project["dependencies"] if requirement.startswith("roqsim")]
    assert all(requirement.endswith(f"=={version}") for requirement in ours)


def test_the_core_knows_which_packages_bring_something_to_a_world():
    projects = {path.name: tomllib.loads((path / "pyproject.toml").read_text())["project"] for path in PACKAGES}
    groups = {f"roqsim.{kind}" for kind in ("plugins", "models", "worlds")}
    bringing = {name for name, project in projects.items() if groups & set(project.get("entry-points", {}))}
    assert set(family.PACKAGES) == bringing - {"roqsim"}


@each_model
def test_a_model_says_whose_it_is_and_where_its_numbers_come_from(model):
    manifest = yaml.safe_load((model / f"{model.name}.manifest.yaml").read_text())
    assert (model / f"{model.name}.xml").is_file()
    assert manifest["license"].strip()
    assert manifest["source"].strip()


def test_there_are_models_to_look_at():
    assert {"turtlebot4", "turtlebot3_waffle", "husky_a200", "ridgeback"} <= {model.name for model in MODELS}
