from __future__ import annotations

import numpy as np
import pytest
from roqsim.errors import RoqsimError
from roqsim.plugins.model_override import ModelOverride
from roqsim.testing import check_plugin


def fault(field, select, value, **more):
    return {"field": field, "select": select, "value": value, **more}


def handle(engine, name="slip"):
    return engine.ctx.blackboard.require(f"model_override:{name}", ModelOverride)


def switch(engine, active, name="slip"):
    """Switches an override as a transport does, and makes the step that shows its effect."""
    engine.ctx.interface.get(name, "override").write(active)
    engine.step()
    return handle(engine, name).read_state()


def values_of(model):
    """Every array and statistic of a model, as bytes."""
    arrays = {name: getattr(model, name) for name in dir(model) if not name.startswith("_")}
    found = {name: value.tobytes() for name, value in arrays.items() if isinstance(value, np.ndarray)}
    return found | {name: getattr(model.stat, name) for name in ("meaninertia", "meanmass")}


MASS = [fault("body_mass", "arm_hand", 5.0)]
DERIVED = (
    "body_subtreemass body_invweight0 dof_invweight0 dof_M0 tendon_invweight0 actuator_acc0 body_mass body_inertia"
)


def test_a_mass_changes_and_the_state_does_not(open_world):
    engine = open_world(heavy=MASS)
    engine.ctx.data.ctrl[0] = 0.5
    engine.advance(500)
    q, v = engine.ctx.data.qpos.tobytes(), engine.ctx.data.qvel.tobytes()
    warm = engine.ctx.data.qacc_warmstart.tobytes()
    handle(engine, "heavy").set_active(True)
    assert engine.ctx.model.body("arm_hand").mass[0] == 5.0
    assert (engine.ctx.data.qpos.tobytes(), engine.ctx.data.qvel.tobytes()) == (q, v)
    assert engine.ctx.data.qacc_warmstart.tobytes() == warm
    engine.step()
    assert handle(engine, "heavy").read_state().verified == "landed"


def test_constants_of_another_mass_are_those_of_a_model_compiled_with_it(open_world):
    engine, fresh = (
        open_world(heavy=MASS, weight=[fault("body_mass", "crate_box", 7.0)]),
        open_world(mass=7.0, hand=5.0),
    )
    for name in ("heavy", "weight"):
        handle(engine, name).set_active(True)
    for name in DERIVED.split():
        np.testing.assert_allclose(
            getattr(engine.ctx.model, name), getattr(fresh.ctx.model, name), rtol=1e-12, err_msg=name
        )
    for name in ("meaninertia", "meanmass"):
        assert getattr(engine.ctx.model.stat, name) == pytest.approx(getattr(fresh.ctx.model.stat, name), rel=1e-12)


def test_bias_torque_and_motion_are_those_of_a_model_compiled_with_the_mass(open_world):
    engine, fresh = open_world(heavy=MASS), open_world(hand=5.0)
    handle(engine, "heavy").set_active(True)
    for each in (engine, fresh):
        each.ctx.data.qpos[-2:] = (0.4, -0.3)
        each.ctx.data.ctrl[:] = (0.5, 0.1)
        each.ctx.state_changed()
        each.step()
    np.testing.assert_allclose(engine.ctx.data.qfrc_bias, fresh.ctx.data.qfrc_bias, rtol=1e-12, atol=1e-12)
    for each in (engine, fresh):
        each.advance(500)
    np.testing.assert_allclose(engine.ctx.data.qpos, fresh.ctx.data.qpos, atol=1e-9)


def test_the_gravity_torque_of_a_horizontal_arm_grows_with_the_mass(open_world):
    engine = open_world(heavy=[fault("body_mass", "arm_link", 4.0)])
    torques = []
    for active in (False, True):
        handle(engine, "heavy").set_active(active)
        engine.reset() if not active else None
        engine.step()
        torques.append(-float(engine.ctx.data.qfrc_bias[-2]))
    hand = 1.0 * 9.81 * 0.4
    assert torques[0] == pytest.approx(0.8 * 9.81 * 0.2 + hand, rel=1e-6)
    assert torques[1] == pytest.approx(4.0 * 9.81 * 0.2 + hand, rel=1e-6)


def test_a_heavier_box_presses_on_the_floor_as_one_compiled_so(open_world):
    heavy, fresh = open_world(weight=[fault("body_mass", "crate_box", 5.0)]), open_world(mass=5.0)
    handle(heavy, "weight").set_active(True)
    for each in (heavy, fresh):
        each.ctx.data.qpos[2] = 0.15
        each.ctx.state_changed()
    series = [[], []]
    for _ in range(300):
        for each, values in zip((heavy, fresh), series, strict=True):
            each.step()
            values.append((*each.ctx.data.qpos[:7], each.ctx.data.qfrc_constraint[2]))
    np.testing.assert_allclose(series[0], series[1], atol=1e-9)
    assert series[0][-1][-1] == pytest.approx(5.0 * 9.81, rel=1e-3)


def test_inertia_follows_the_mass_unless_it_is_kept(open_world):
    engine = open_world(
        scaled=[fault("body_mass", "crate_box", 5.0)], kept=[fault("body_mass", "crate_box", 5.0, inertia="keep")]
    )
    inertia = engine.ctx.model.body("crate_box").inertia.copy()
    handle(engine, "kept").set_active(True)
    np.testing.assert_array_equal(engine.ctx.model.body("crate_box").inertia, inertia)
    handle(engine, "kept").set_active(False)
    handle(engine, "scaled").set_active(True)
    np.testing.assert_allclose(engine.ctx.model.body("crate_box").inertia, 5.0 * inertia, rtol=1e-15)


ALL = [
    fault("body_mass", ["arm_hand", "crate_box"], 5.0),
    fault("geom_friction", "crate_*", [0.1, 0.2]),
    fault("geom_contype", "crate_box", 6),
    fault("geom_conaffinity", "crate_box", 10),
    fault("actuator_forcerange", "arm_hold", [-1.0, 2.0]),
    fault("dof_damping", ["arm_wrist", "arm_shoulder"], 3.0),
    fault("dof_frictionloss", "arm_wrist", 0.3),
]


@pytest.mark.parametrize("end", ["release", "reset"])
def test_every_value_is_restored_to_the_bit(open_world, end):
    engine = open_world(all=ALL)
    before = values_of(engine.ctx.model)
    handle(engine, "all").set_active(True)
    engine.advance(50)
    during = values_of(engine.ctx.model)
    changed = {name for name in before if during[name] != before[name]}
    assert {each["field"] for each in ALL} | {"body_inertia", "body_contype", "dof_M0"} <= changed
    if end == "reset":
        engine.reset()
    else:
        handle(engine, "all").set_active(False)
    after = values_of(engine.ctx.model)
    assert {name for name in before if after[name] != before[name]} == set()
    assert not handle(engine, "all").is_active()


def test_a_reset_in_the_middle_of_a_fault_gives_the_run_without_it(open_world):
    engine = open_world(all=ALL)
    engine.advance(200)
    clean = engine.ctx.data.qpos.tobytes()
    engine.reset(seed=engine.ctx.seed)
    handle(engine, "all").set_active(True)
    engine.advance(100)
    engine.reset(seed=engine.ctx.seed)
    engine.advance(200)
    assert engine.ctx.data.qpos.tobytes() == clean


@pytest.mark.parametrize("order", ["first out", "last out"])
def test_overrides_of_one_value_are_undone_in_any_order(open_world, order):
    engine = open_world(
        weak=[fault("body_mass", "crate_box", 2.0)], strong=[fault("body_mass", "crate_box", 9.0)], other=MASS
    )
    before = values_of(engine.ctx.model)
    for name in ("weak", "other", "strong"):
        handle(engine, name).set_active(True)
    assert engine.ctx.model.body("crate_box").mass[0] == 9.0
    first, second, left = ("weak", "strong", 9.0) if order == "first out" else ("strong", "weak", 2.0)
    handle(engine, first).set_active(False)
    assert engine.ctx.model.body("crate_box").mass[0] == left
    handle(engine, second).set_active(False)
    assert engine.ctx.model.body("crate_box").mass[0] == 1.0
    assert engine.ctx.model.body("arm_hand").mass[0] == 5.0
    handle(engine, "other").set_active(False)
    assert values_of(engine.ctx.model) == before


def test_a_fault_outlives_the_absence_of_its_entity(open_world):
    engine = open_world(all=ALL)
    before = values_of(engine.ctx.model)
    presence, crate = engine.ctx.blackboard.get("presence"), engine.ctx.entities.get("crate")
    handle(engine, "all").set_active(True)
    during = values_of(engine.ctx.model)
    presence.set(crate, False)
    engine.advance(5)
    handle(engine, "all").set_active(False)
    handle(engine, "all").set_active(True)
    presence.set(crate, True)
    assert values_of(engine.ctx.model) == during
    presence.set(crate, False)
    handle(engine, "all").set_active(False)
    assert engine.ctx.model.geom("crate_box").contype[0] == 0
    presence.set(crate, True)
    assert values_of(engine.ctx.model) == before


def test_the_mass_of_an_absent_body_is_there_when_it_comes(open_world):
    engine = open_world(presence=False, weight=[fault("body_mass", "crate_box", 5.0)])
    assert switch(engine, True, "weight").verified == "untested"
    engine.ctx.blackboard.get("presence").set(engine.ctx.entities.get("crate"), True)
    engine.advance(300)
    assert handle(engine, "weight").read_state().verified == "landed"
    assert engine.ctx.data.qfrc_constraint[2] == pytest.approx(5 * 9.81, rel=1e-3)
    engine.reset()
    engine.ctx.blackboard.get("presence").set(engine.ctx.entities.get("crate"), True)
    assert engine.ctx.model.dof_M0[:3].tolist() == [1.0, 1.0, 1.0]


def test_the_command_is_a_service_and_the_state_two_topics(open_world):
    engine = open_world(slip=[fault("geom_friction", "crate_box", 3.0)])
    command = engine.ctx.interface.get("slip", "override", "in")
    assert command.backend["ros2"] == {
        "topic": "slip/override",
        "service": "std_srvs.srv.SetBool",
        "state_key": "model_override:slip",
    }
    for name, kind in (("active", "std_msgs.msg.Bool"), ("verified", "std_msgs.msg.String")):
        endpoint = engine.ctx.interface.get("slip", name, "out")
        assert endpoint.backend["ros2"] == {"topic": f"slip/{name}", "type": kind, "field": name}
        assert getattr(endpoint.read(), name) == (False if name == "active" else "untested")


@pytest.mark.parametrize("payload", [None, 1, "true"])
def test_a_command_that_is_no_bool_is_refused(open_world, payload):
    engine = open_world(slip=[fault("geom_friction", "crate_box", 3.0)])
    with pytest.raises(RoqsimError, match="expected true or false"):
        engine.ctx.interface.get("slip", "override").write(payload)


def test_an_override_of_an_entity_names_things_without_its_prefix(open_world):
    engine = open_world(under="crate", slip=[fault("geom_friction", "b*", 3.0)])
    handle(engine, "crate.slip").set_active(True)
    assert engine.ctx.model.geom("crate_box").friction[0] == 3.0


def test_an_override_may_be_in_force_from_the_start(world, box_model):
    engine = world(
        {
            "components": [
                {"name": "crate", "spawn_model": {"model": box_model}},
                {"model_override": {"active": True, "overrides": [fault("body_mass", "crate_box", 5.0)]}},
            ]
        }
    )
    for _ in range(2):
        assert engine.ctx.model.body("crate_box").mass[0] == 5.0
        engine.step()
        assert handle(engine, "model_override").read_state().verified == "landed"
        handle(engine, "model_override").set_active(False)
        assert engine.ctx.model.body("crate_box").mass[0] == 1.0
        engine.reset()


def test_it_keeps_the_plugin_contract(box_model):
    overrides = [fault("body_mass", "crate_box", 5.0), fault("geom_friction", "crate_box", 2.0)]
    check_plugin(
        ModelOverride,
        {
            "components": [
                {"name": "crate", "spawn_model": {"model": box_model}},
                {"model_override": {"active": True, "overrides": overrides}},
            ]
        },
    )
