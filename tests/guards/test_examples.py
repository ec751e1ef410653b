"""The README's world runs, its commands exist, and every docstring example is true."""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(ROOT.glob("roqsim*/src/**/*.py"))
WITH_EXAMPLES = [path for path in SOURCES if ">>> " in path.read_text(encoding="utf-8")]


def module_of(path: Path) -> str:
    """The import name of a file under a package's src/."""
    parts = path.with_suffix("").parts
    inner = parts[parts.index("src") + 1 :]
    return ".".join(inner[:-1] if inner[-1] == "__init__" else inner)


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=module_of)
def test_a_docstrings_examples_are_true(path):
    result = doctest.testmod(importlib.import_module(module_of(path)), optionflags=doctest.ELLIPSIS)
    assert result.attempted
    assert not result.failed


@pytest.fixture
def readme():
    """The README's text."""
    return (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_fits_on_two_screens(readme):
    assert len(readme.splitlines()) <= 120


def test_the_readmes_targets_exist(readme):
    targets = set(re.findall(r"\bmake (\w+)", readme))
    assert {"demo", "test"} <= targets
    makefile = (ROOT / "Makefile").read_text()
    assert all(re.search(rf"^{target}:", makefile, re.M) for target in targets)


def test_the_readmes_links_lead_somewhere(readme):
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)]+)\)", readme) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.fixture
def newcomer(readme, tmp_path):
    """Runs a command where the README's world was saved as it says."""
    worlds = re.findall(r"^```yaml\n(.*?)^```", readme, re.S | re.M)
    assert len(worlds) == 1
    assert len(worlds[0].splitlines()) <= 12
    (tmp_path / "world.yaml").write_text(worlds[0])

    def run(*command):
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, f"{' '.join(map(str, command))}: {done.stderr}"
        return done.stdout

    return run


@pytest.mark.gl
@pytest.mark.slow
def test_the_readmes_commands_do_what_they_say(readme, newcomer, tmp_path):
    """In their order; what would open a window and keep the clock's pace runs without both."""
    blocks = re.findall(r"^```sh\n(roqsim .*?)^```", readme, re.S | re.M)
    assert len(blocks) == 1
    told = {}
    for line in blocks[0].splitlines():
        name, *words = shlex.split(line, comments=True)
        if words[0] == "sim" and "--headless" not in words:
            words += ["--headless", "--pacing", "asap"]
        told[words[0]] = newcomer(Path(sys.executable).with_name(name), *words)
    assert "course complete" in told["sim"]
    assert told["health"].splitlines()[-1] == "verdict: good"
    assert {"run.mcap", "path.svg", "world.png"} <= {path.name for path in tmp_path.iterdir()}


def test_the_readme_names_every_command_and_no_other(readme):
    from roqsim.cli.group import CORE

    rows = re.findall(r"^\| (`.*?`) \| ", readme.split("## Commands")[1].split("## ")[0], re.M)[1:]
    named = [name for row in rows for name in re.findall(r"`([a-z]+)`", row)]
    assert sorted(named) == sorted(CORE)


def test_the_readme_names_every_package_and_page(readme):
    packages = {path.parent.name for path in ROOT.glob("roqsim*/pyproject.toml")}
    assert set(re.findall(r"^\| \[`(\w+)`\]", readme, re.M)) == packages
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {page for tree in re.findall(r"```{toctree}.*?\n\n(.*?)```", index, re.S) for page in tree.split()}
    assert pages - {"design/*"} == {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    linked = {Path(link).stem for link in re.findall(r"\]\((docs/[\w-]+\.md)\)", readme)}
    assert pages - linked == {"reference", "performance", "browser", "design/*"}


def test_the_readmes_script_runs(readme, newcomer):
    scripts = re.findall(r"^```python\n(.*?)^```", readme, re.S | re.M)
    assert len(scripts) == 1
    assert newcomer(sys.executable, "-c", scripts[0]).startswith("2.0 ['robot'")
