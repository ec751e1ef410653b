"""The README's world runs, its commands exist, and every docstring example is true."""

from __future__ import annotations

import doctest
import importlib
import re
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


def test_the_readmes_world_runs_to_its_end(readme, tmp_path):
    worlds = re.findall(r"^```yaml\n(.*?)^```", readme, re.S | re.M)
    assert len(worlds) == 1
    assert len(worlds[0].splitlines()) <= 12
    world = tmp_path / "world.yaml"
    world.write_text(worlds[0])
    roqsim = Path(sys.executable).with_name("roqsim")
    command = [roqsim, "sim", world, "--headless", "--pacing", "asap"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "course complete" in run.stdout


def test_the_readmes_script_runs(readme, tmp_path):
    (tmp_path / "world.yaml").write_text(re.search(r"^```yaml\n(.*?)^```", readme, re.S | re.M).group(1))
    scripts = re.findall(r"^```python\n(.*?)^```", readme, re.S | re.M)
    assert len(scripts) == 1
    run = subprocess.run([sys.executable, "-c", scripts[0]], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("2.0 ")
