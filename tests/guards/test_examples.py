"""The README's world runs, its commands exist, and every docstring example is true."""

from __future__ import annotations

import doctest
import importlib
import re
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


def test_the_readmes_world_runs(readme, tmp_path):
    from roqsim import Engine, load_config

    worlds = re.findall(r"^```yaml\n(.*?)^```", readme, re.S | re.M)
    assert len(worlds) == 1
    assert len(worlds[0].splitlines()) <= 12
    world = tmp_path / "world.yaml"
    world.write_text(worlds[0])
    engine = Engine(load_config(world))
    engine.setup()
    try:
        engine.reset()
        engine.advance(100)
        assert engine.ctx.tick == 100
    finally:
        engine.shutdown()
