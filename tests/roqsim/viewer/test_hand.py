from __future__ import annotations

import logging

import numpy as np
import pytest
from roqsim.viewer.hand import Hand

WORLD = """
sim: {timestep: 0.002}
components:
  - boxes:
      instances: [{name: crate, size: [0.2, 0.2, 0.2], pose: {position: {z: 3.0}}}]
"""

ACTUATED = """
<mujoco><worldbody><body><joint name="j"/><geom size="0.1"/></body></worldbody>
<actuator><motor joint="j"/></actuator></mujoco>
"""


@pytest.fixture
def engine(world):
    return world(WORLD)


def test_a_pull_acts_until_it_is_let_go_and_beside_what_others_apply(engine):
    ctx, hand = engine.ctx, Hand(engine.ctx)
    body = ctx.entities.get("crate").body
    ctx.data.xfrc_applied[body] = [1, 0, 0, 0, 0, 0]
    hand.push(body, [0, 2, 0, 0, 0, 0.5])
    assert ctx.data.xfrc_applied[body].tolist() == [1, 0, 0, 0, 0, 0]
    engine.step()
    assert ctx.data.xfrc_applied[body].tolist() == [1, 2, 0, 0, 0, 0.5]
    hand.push(body, [0, 3, 0, 0, 0, 0])
    engine.step()
    assert ctx.data.xfrc_applied[body].tolist() == [1, 3, 0, 0, 0, 0]
    hand.release(body)
    engine.step()
    assert ctx.data.xfrc_applied[body].tolist() == [1, 0, 0, 0, 0, 0]


def test_a_known_force_gives_the_known_speed(engine):
    ctx, hand = engine.ctx, Hand(engine.ctx)
    body = ctx.entities.get("crate").body
    mass = float(ctx.model.body_mass[body])
    hand.push(body, [4.0 * mass, 0, 0, 0, 0, 0])
    engine.advance(100)
    assert ctx.data.qvel[0] == pytest.approx(4.0 * 0.2, rel=1e-6)


def test_a_reset_ends_a_pull(engine):
    ctx, hand = engine.ctx, Hand(engine.ctx)
    body = ctx.entities.get("crate").body
    hand.push(body, [1, 0, 0, 0, 0, 0])
    engine.step()
    engine.reset()
    hand.release(body)
    engine.step()
    assert not ctx.data.xfrc_applied.any()


def test_the_first_pull_is_recorded_in_the_log(engine, caplog):
    hand, body = Hand(engine.ctx), engine.ctx.entities.get("crate").body
    with caplog.at_level(logging.WARNING, "roqsim"):
        hand.push(body, [0] * 6)
        hand.push(body, [0] * 6)
    assert [record.getMessage() for record in caplog.records] == [
        "window: somebody pulled at body 'crate'; its seed alone does not repeat this run"
    ]


@pytest.mark.parametrize("manual", [True, False])
def test_sliders_set_controls_only_where_the_person_owns_them(world, tmp_path, manual):
    (tmp_path / "arm.xml").write_text(ACTUATED)
    engine = world({"sim": {"world": str(tmp_path / "arm.xml")}}, manual_control=manual)
    Hand(engine.ctx).set_controls([(0, 0.7)])
    engine.step()
    np.testing.assert_array_equal(engine.ctx.data.ctrl, [0.7 if manual else 0.0])
