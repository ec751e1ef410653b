"""The worlds of the package: each opens, runs its course, and comes back to its beginning."""

from __future__ import annotations

import re

import numpy as np
import pytest
from roqsim_mobile.worlds import WORLDS_DIR

WORLDS = sorted(path.stem for path in WORLDS_DIR.glob("*.yaml"))
LONGEST = {"turtlebot4_room": 60.0, "husky_yard": 60.0, "ridgeback_aisles": 45.0, "two_robots": 45.0}


def test_the_worlds_are_the_ones_that_are_promised():
    assert {"turtlebot4_room", "turtlebot4_empty", "husky_yard", "ridgeback_aisles", "two_robots"} <= set(WORLDS)


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_opens_and_steps_and_needs_no_seed(world, name):
    engine = world(f"roqsim_mobile:{name}")
    engine.ctx.seed = None
    engine.advance(250)
    assert np.isfinite(engine.ctx.data.qpos).all()
    assert engine.cfg.sim.view is not None
    assert not engine.ctx.data.warning.number.any()


@pytest.mark.parametrize("name", sorted(LONGEST))
def test_a_course_is_completed_in_time(world, name):
    engine = world(f"roqsim_mobile:{name}")
    engine.advance(round(LONGEST[name] / engine.ctx.dt))
    assert re.match(r"course complete: [\d.]+ s, [\d.]+ m path, odometry error", engine.ctx.stop_reason or "nothing")
    assert not engine.ctx.stop_failed


def test_the_demo_passes_three_doors_and_touches_nothing(world, as_robot):
    engine = world("roqsim_mobile:turtlebot4_room")
    robot, model, data = as_robot(engine, "robot"), engine.ctx.model, engine.ctx.data
    floor = model.geom("floor").id
    rooms = []
    while engine.ctx.stop_reason is None:
        engine.advance(25)
        x, y, _ = robot.pose
        room = "living" if x < 0.2 else "bed" if y > 0 else "kitchen"
        rooms += [room] if not rooms or rooms[-1] != room else []
        touched = {geom for contact in data.contact for geom in contact.geom.tolist()}
        own = {geom for geom in touched if model.geom(geom).name.startswith("robot_")}
        partners = {g for c in data.contact for g in c.geom.tolist() if set(c.geom.tolist()) & own} - own
        assert partners <= {floor}
    assert rooms == ["living", "kitchen", "bed", "living"]


def test_the_robots_of_a_shared_world_have_namespaces_of_their_own(world):
    engine = world("roqsim_mobile:two_robots")
    spaces = {endpoint.namespace for endpoint in engine.ctx.interface.all()}
    assert {"robot1", "robot2"} <= spaces
    scans = [endpoint for endpoint in engine.ctx.interface.all() if endpoint.name == "scan"]
    assert sorted(endpoint.namespace for endpoint in scans) == ["robot1", "robot2"]


def test_the_husky_climbs_its_ramp(world, as_robot):
    engine = world("roqsim_mobile:husky_yard")
    robot, heights = as_robot(engine, "robot"), []
    while engine.ctx.stop_reason is None:
        engine.advance(50)
        engine.ctx.refresh()
        heights.append(float(engine.ctx.data.xpos[robot.entity.body, 2]))
    assert max(heights) == pytest.approx(0.132 + 0.521, abs=0.03)
