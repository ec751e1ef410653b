"""The demonstration worlds of what can be changed while a world runs."""

from __future__ import annotations

import numpy as np
import pytest


def test_without_grip_the_robot_stays_behind_and_does_not_know(world, as_robot):
    engine = world("roqsim_mobile:oily_floor")
    robot, oil = as_robot(engine, "robot"), engine.ctx.blackboard.get("model_override:oil")
    start = robot.pose[0]
    oil.set_active(True)
    engine.advance(round(1.0 / engine.ctx.dt))
    assert oil.read_state().verified == "landed"
    travelled = robot.pose[0] - start
    assert travelled < 0.5 * 0.02 * 9.81 * 1.0**2
    assert engine.ctx.blackboard.get("robot:robot").read_odom()[0] > travelled + 0.1
    oil.set_active(False)
    engine.step()
    assert oil.read_state().verified == "landed"
    engine.advance(round(1.0 / engine.ctx.dt))
    assert robot.pose[0] - start > 0.2


def test_a_payload_lands_on_the_robot_and_leaves_it(world):
    engine = world("roqsim_mobile:oily_floor")
    model, payload = engine.ctx.model, engine.ctx.blackboard.get("model_override:payload")
    engine.advance(100)
    constants = model.body_invweight0.tobytes(), model.dof_M0.tobytes()
    payload.set_active(True)
    engine.advance(200)
    assert payload.read_state().verified == "landed"
    assert model.body("robot_base_link").subtreemass[0] > 12.0
    payload.set_active(False)
    assert (model.body_invweight0.tobytes(), model.dof_M0.tobytes()) == constants


def test_the_crates_are_shoved_turned_and_lifted(world):
    engine = world("roqsim_mobile:shoved_crates")
    data = engine.ctx.data
    shoved, turned, lifted = (data.body(name) for name in ("shoved", "turned", "lifted"))
    far = height = 0.0
    for _ in range(300):
        engine.advance(10)
        engine.ctx.refresh()
        far, height = max(far, float(shoved.xpos[0])), max(height, float(lifted.xpos[2]))
    assert far > 0.1
    assert abs(2 * np.arctan2(turned.xquat[3], turned.xquat[0])) > 0.05
    assert height > 0.35
    assert lifted.xpos[2] == pytest.approx(0.2, abs=5e-3)


def test_spare_crates_come_onto_the_pallet_and_go(world):
    engine = world("roqsim_mobile:spare_crates")
    call = {name: engine.ctx.interface.get("sim/entities", name) for name in ("spawn", "set_state", "delete", "list")}
    call["spawn"].write({"entity": "spares_0"})
    call["set_state"].write({"entity": "spares_0", "position": [2.0, 1.0, 0.36]})
    engine.advance(400)
    pose = engine.ctx.interface.get("sim/entities/spares_0", "pose").read()
    np.testing.assert_allclose(pose.position, (2.0, 1.0, 0.35), atol=5e-3)
    call["delete"].write({"entity": "spares_0"})
    assert call["list"].read().absent == ("spares_0", "spares_1", "spares_2")
