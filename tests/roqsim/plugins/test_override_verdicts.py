"""Whether an override that was switched had an effect."""

from __future__ import annotations

import logging

import pytest
from roqsim.plugins.model_override import ModelOverride


def fault(field, select, value, **more):
    return {"field": field, "select": select, "value": value, **more}


def handle(engine, name="slip"):
    return engine.ctx.blackboard.require(f"model_override:{name}", ModelOverride)


def switch(engine, active, name="slip"):
    """Switches an override as a transport does, and makes the step that shows its effect."""
    engine.ctx.interface.get(name, "override").write(active)
    engine.step()
    return handle(engine, name).read_state()


def settled(engine):
    engine.advance(200)
    return engine


def test_lowering_the_friction_of_one_side_has_no_effect_and_fails(open_world, caplog):
    engine = settled(open_world(slip=[fault("geom_friction", "crate_box", 0.01)]))
    with caplog.at_level(logging.WARNING, "roqsim"):
        state = switch(engine, True)
    assert state.verified == "no_effect"
    assert "friction of 1" in state.reason
    success, message = handle(engine).reply()
    assert not success
    assert message.startswith("no_effect: ")
    assert "no effect" in caplog.text


def test_a_friction_with_the_higher_priority_lands_and_the_box_slides(open_world):
    engine = settled(open_world(box='priority="1"', slip=[fault("geom_friction", "crate_box", 0.01)]))
    assert switch(engine, True).verified == "landed"
    assert handle(engine).reply() == (True, "landed")
    engine.ctx.data.qvel[0] = 1.0
    engine.advance(250)
    # 0.5 s at a deceleration of 0.01 g
    assert engine.ctx.data.qvel[0] == pytest.approx(1.0 - 0.01 * 9.81 * 0.5, abs=0.01)
    assert switch(engine, False).verified == "landed"


def test_a_raised_friction_lands_and_so_does_its_release(open_world):
    engine = settled(open_world(slip=[fault("geom_friction", "crate_box", 3.0)]))
    assert switch(engine, True).verified == "landed"
    assert switch(engine, False).verified == "landed"


def test_a_friction_that_nothing_touches_stays_untested_until_something_does(open_world):
    engine = open_world(slip=[fault("geom_friction", "crate_box", 3.0)])
    engine.ctx.data.qpos[2] = 0.3
    engine.ctx.state_changed()
    assert switch(engine, True).verified == "untested"
    assert handle(engine).reply() == (True, "untested")
    engine.advance(200)
    assert handle(engine).read_state().verified == "landed"


GHOST = [fault("geom_contype", "crate_box", 0), fault("geom_conaffinity", "crate_box", 0)]


def test_a_box_without_masks_falls_through_the_floor(open_world):
    engine = settled(open_world(ghost=GHOST))
    assert switch(engine, True, "ghost").verified == "landed"
    assert engine.ctx.data.ncon == 0
    engine.advance(100)
    assert engine.ctx.data.qpos[2] < -0.05


def test_a_bit_that_the_body_never_had_makes_contact(open_world):
    solid = [fault("geom_contype", "crate_box", 1), fault("geom_conaffinity", "crate_box", 1)]
    engine = open_world(box='contype="2" conaffinity="2"', solid=solid)
    assert engine.ctx.data.ncon == 0
    assert switch(engine, True, "solid").verified in ("landed", "untested")
    engine.advance(200)
    assert handle(engine, "solid").read_state().verified == "landed"
    assert engine.ctx.data.qpos[2] == pytest.approx(0.1, abs=2e-3)


def test_masks_that_leave_every_pair_as_it_is_have_no_effect(open_world):
    same = [fault("geom_contype", "crate_box", 9), fault("geom_conaffinity", "crate_box", 9)]
    engine = settled(open_world(same=same))
    assert switch(engine, True, "same").verified == "no_effect"


def test_masks_of_an_absent_entity_are_untested(open_world):
    engine = settled(open_world(ghost=GHOST))
    presence, crate = engine.ctx.blackboard.get("presence"), engine.ctx.entities.get("crate")
    presence.set(crate, False)
    engine.step()
    assert switch(engine, True, "ghost").verified == "untested"


def test_a_contact_without_friction_is_told_so(open_world):
    engine = settled(open_world(box='priority="1" condim="1"', slip=[fault("geom_friction", "crate_box", 0.5)]))
    state = switch(engine, True)
    assert state.verified == "no_effect"
    assert "has no friction" in state.reason


def test_a_force_range_lands_where_the_servo_needs_more(open_world):
    engine = open_world(weak=[fault("actuator_forcerange", "arm_hold", [-2.0, 2.0])])
    settled(engine)
    assert switch(engine, True, "weak").verified == "landed"
    assert engine.ctx.data.actuator_force[0] == pytest.approx(-2.0)
    assert switch(engine, False, "weak").verified == "landed"


def test_a_force_range_that_is_not_reached_is_untested(open_world):
    engine = settled(open_world(weak=[fault("actuator_forcerange", "arm_hold", [-40.0, 40.0])]))
    assert switch(engine, True, "weak").verified == "untested"


def test_joint_friction_and_damping_land_where_the_joint_moves(open_world):
    engine = open_world(
        stiff=[fault("dof_frictionloss", "arm_wrist", 0.7)], thick=[fault("dof_damping", "arm_wrist", 2.0)]
    )
    engine.ctx.data.qvel[-1] = 1.0
    assert switch(engine, True, "stiff").verified == "landed"
    assert switch(engine, True, "thick").verified == "landed"
    assert switch(engine, False, "stiff").verified == "landed"


def test_damping_of_a_joint_at_rest_is_untested(open_world):
    engine = open_world(sim={"gravity": [0, 0, 0]}, thick=[fault("dof_damping", "arm_wrist", 2.0)])
    assert switch(engine, True, "thick").verified == "untested"


def test_a_command_while_paused_is_pending_until_a_step(open_world):
    engine = settled(open_world(slip=[fault("geom_friction", "crate_box", 3.0)]))
    engine.ctx.post(lambda ctx: handle(engine).set_active(True))
    engine.idle()
    state = handle(engine).read_state()
    assert (state.active, state.verified, state.pending) == (True, "untested", True)
    engine.step()
    state = handle(engine).read_state()
    assert (state.verified, state.pending, state.changes) == ("landed", False, 1)
    assert state.since == pytest.approx(0.4)


def test_switching_to_what_is_so_already_changes_nothing(open_world):
    engine = settled(open_world(slip=[fault("geom_friction", "crate_box", 3.0)]))
    switch(engine, True)
    assert switch(engine, True).changes == 1
    assert handle(engine).read_state().verified == "landed"


def test_a_run_with_steps_is_a_run_in_one_go(open_world):
    states = []
    for at_once in (True, False):
        engine = settled(open_world(slip=[fault("geom_friction", "crate_box", 3.0)]))
        engine.ctx.post(lambda ctx, engine=engine: handle(engine).set_active(True))
        engine.advance(10) if at_once else [engine.step() for _ in range(10)]
        states.append((handle(engine).read_state(), engine.ctx.data.qpos.tobytes()))
    assert states[0] == states[1]


def test_an_override_that_is_not_active_costs_nothing(open_world, monkeypatch):
    ticks, real = [], ModelOverride.post_step
    monkeypatch.setattr(ModelOverride, "post_step", lambda plugin, ctx: ticks.append(ctx.tick) or real(plugin, ctx))
    engine = settled(open_world(box='priority="1"', slip=[fault("geom_friction", "crate_box", 0.01)]))
    assert ticks == []
    switch(engine, True)
    engine.advance(100)
    assert ticks == [201]
    switch(engine, False)
    engine.advance(100)
    assert ticks == [201, 302]
    engine.reset()
    engine.advance(100)
    assert ticks == [201, 302]
