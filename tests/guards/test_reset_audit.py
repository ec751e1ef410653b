"""Every packaged world is as new after a reset, and together they hold every shipped plugin."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from roqsim.rendering.fake import FakeBackend
from roqsim.testing import reset_audit
from roqsim.worlds import YAML

from roqsim import load_config

ROOT = Path(__file__).parents[2]
WORLDS = sorted(path for path in ROOT.glob("roqsim*/src/*/worlds/*") if path.suffix in YAML)
IN_NO_WORLD = {"dummy"}
"""It is there for tests, which audit it."""

SECONDS = 0.4


def test_every_shipped_plugin_is_in_a_packaged_world():
    projects = [tomllib.loads(path.read_text())["project"] for path in ROOT.glob("roqsim*/pyproject.toml")]
    shipped = {name for project in projects for name in project.get("entry-points", {}).get("roqsim.plugins", {})}
    used = {spec.ref for path in WORLDS for spec in load_config(path).plugins}
    assert shipped - used == IN_NO_WORLD


@pytest.mark.slow
@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_a_packaged_world_is_as_new_after_a_reset(world, monkeypatch, path):
    """Cameras draw made pictures here; that real ones are the same again is shown where real ones are drawn."""
    monkeypatch.setattr("roqsim.rendering.service._classic", lambda: FakeBackend())
    assert reset_audit(world(path), SECONDS) == []
