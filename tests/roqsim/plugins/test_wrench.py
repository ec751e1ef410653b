from __future__ import annotations

import numpy as np
import pytest
from roqsim.errors import ConfigError, RoqsimError
from roqsim.forces.push import WrenchCommand
from roqsim.plugins.wrench import Wrench
from roqsim.testing import check_plugin

MASS, SIZE = 2.0, (0.4, 0.2, 0.1)
BOX = {
    "name": "box",
    "boxes": {"mass": MASS, "instances": [{"name": "box", "size": list(SIZE), "pose": {"position": [0, 0, 5]}}]},
}
FLOATING = {"timestep": 0.002, "gravity": [0, 0, 0], "integrator": "euler"}
INERTIA_Z = MASS * (SIZE[0] ** 2 + SIZE[1] ** 2) / 12.0


@pytest.fixture
def pushed(world):
    """A box in free space with wrench components: ``pushed(push=[{...}])``."""

    def opener(sim=None, body="box", **schedules):
        pushes = [{"name": name, "wrench": {"body": body, "schedule": each}} for name, each in schedules.items()]
        return world({"sim": {**FLOATING, **(sim or {})}, "components": [BOX, *pushes]})

    return opener


def velocity(engine):
    return engine.ctx.data.qvel[:6].copy()


@pytest.mark.parametrize("integrator", ["euler", "implicit", "implicitfast", "rk4"])
@pytest.mark.parametrize(
    ("start", "duration", "ramp"), [(0.1, 0.2, 0.0), (0.0313, 0.1777, 0.05), (0.0001, 0.0007, 0.0002)]
)
def test_the_momentum_of_a_free_body_grows_by_the_impulse(pushed, integrator, start, duration, ramp):
    force = np.array([3.0, -40.0, 5.0])
    push = {"force": force.tolist(), "start": start, "duration": duration, "ramp": ramp}
    engine = pushed(push=[push], sim={"integrator": integrator})
    engine.advance(250)
    np.testing.assert_allclose(MASS * velocity(engine)[:3], force * (duration - ramp), rtol=1e-12)
    assert np.abs(velocity(engine)[3:]).max() < 1e-12
    assert not engine.ctx.data.xfrc_applied.any()


def test_the_spin_of_a_free_body_grows_by_the_angular_impulse(pushed):
    engine = pushed(push=[{"torque": [0, 0, 0.5], "duration": 0.3, "ramp": 0.1, "start": 0.05}])
    engine.advance(250)
    assert INERTIA_Z * velocity(engine)[5] == pytest.approx(0.5 * 0.2, rel=1e-12)


def test_a_force_beside_the_centre_also_turns(pushed):
    engine = pushed(push=[{"force": [0, 10, 0], "point": [0.2, 0, 0], "duration": 0.002}])
    engine.step()
    assert velocity(engine)[1] == pytest.approx(10 * 0.002 / MASS, rel=1e-12)
    assert velocity(engine)[5] == pytest.approx(0.2 * 10 * 0.002 / INERTIA_Z, rel=1e-12)


def test_a_force_in_the_bodys_frame_turns_with_it(pushed):
    engine = pushed(push=[{"force": [1, 0, 0], "frame": "body", "duration": 0.002}])
    engine.ctx.data.qpos[3:7] = (np.sqrt(0.5), 0, 0, np.sqrt(0.5))
    engine.ctx.state_changed()
    engine.step()
    np.testing.assert_allclose(velocity(engine)[:3], (0, 0.002 / MASS, 0), atol=1e-15)


def test_a_hanging_mass_is_held_by_its_weight(pushed):
    engine = pushed(sim={"gravity": [0, 0, -9.81]}, push=[{"force": [0, 0, 9.81 * MASS]}])
    engine.advance(500)
    assert engine.ctx.data.qpos[2] == pytest.approx(5.0, abs=1e-12)


def test_overlapping_pushes_and_components_add_up(pushed):
    one = {"force": [1, 0, 0], "duration": 0.1}
    two = {"force": [0, 2, 0], "duration": 0.2, "start": 0.05}
    engine = pushed(a=[one, two], b=[one])
    engine.advance(30)
    np.testing.assert_allclose(engine.ctx.data.xfrc_applied[1], (2, 2, 0, 0, 0, 0))
    engine.advance(270)
    np.testing.assert_allclose(MASS * velocity(engine)[:3], (0.2, 0.4, 0), rtol=1e-12)


def test_what_others_apply_is_untouched(pushed):
    theirs = np.array([1 / 3, 0.1, 7.7, 0.0, 0.2, 0.0])
    engine = pushed(push=[{"force": [1, 0, 0.1], "start": 0.02, "duration": 0.1, "ramp": 0.03}])
    body = engine.ctx.model.body("box").id
    engine.ctx.data.xfrc_applied[body] = theirs
    engine.advance(30)
    np.testing.assert_allclose(engine.ctx.data.xfrc_applied[body], theirs + (1, 0, 0.1, 0, 0, 0))
    engine.advance(100)
    assert engine.ctx.data.xfrc_applied[body].tobytes() == theirs.tobytes()


def test_a_command_pushes_from_now_on_and_can_wait(pushed):
    engine = pushed(push=[])
    endpoint = engine.ctx.interface.get("push", "apply")
    engine.advance(100)
    endpoint.write(WrenchCommand(force=(0, 0, 10), duration=0.1))
    endpoint.write({"force": [4, 0, 0], "duration": 0.1, "start": 0.3})
    engine.advance(100)
    np.testing.assert_allclose(MASS * velocity(engine)[:3], (0, 0, 1), rtol=1e-12)
    engine.advance(200)
    np.testing.assert_allclose(MASS * velocity(engine)[:3], (0.4, 0, 1), rtol=1e-12)


def test_a_push_without_end_lasts_until_it_is_cleared(pushed):
    engine = pushed(push=[{"force": [0, 1, 0], "duration": 10.0}])
    engine.ctx.interface.get("push", "apply").write({"force": [1, 0, 0]})
    engine.advance(500)
    np.testing.assert_allclose(engine.ctx.data.xfrc_applied[1, :3], (1, 1, 0))
    engine.ctx.interface.get("push", "clear").write(None)
    engine.step()
    np.testing.assert_allclose(engine.ctx.data.xfrc_applied[1, :3], (0, 1, 0))
    np.testing.assert_allclose(MASS * velocity(engine)[:2], (1.0, 1.002), rtol=1e-12)


def test_it_reports_what_it_applied_in_the_last_step(pushed):
    engine = pushed(push=[{"force": [0, 0, 3], "duration": 0.01}])
    endpoint = engine.ctx.interface.get("push", "applied")
    assert not endpoint.read().force.any()
    engine.advance(3)
    report = endpoint.read()
    assert (report.force.tolist(), report.stamp_ns, report.body) == ([0, 0, 3], 4_000_000, "box")
    engine.advance(3)
    assert not endpoint.read().force.any()


def test_a_reset_forgets_commands_and_repeats_the_schedule(pushed):
    engine = pushed(push=[{"force": [1, 0, 0], "duration": 0.1, "start": 0.05}])
    engine.advance(100)
    first = engine.ctx.data.qpos.tobytes()
    engine.ctx.interface.get("push", "apply").write({"force": [50, 0, 0]})
    engine.advance(10)
    engine.reset()
    assert not engine.ctx.data.xfrc_applied.any()
    engine.advance(100)
    assert engine.ctx.data.qpos.tobytes() == first


def test_steps_one_by_one_are_steps_in_one_go(pushed):
    runs = []
    for at_once in (True, False):
        engine = pushed(
            push=[{"force": [1, 2, 3], "torque": [0, 0.1, 0], "duration": 0.11, "ramp": 0.03, "start": 0.041}]
        )
        engine.advance(200) if at_once else [engine.step() for _ in range(200)]
        runs.append(engine.ctx.data.qpos.tobytes())
    assert runs[0] == runs[1]


def test_nested_under_an_entity_it_pushes_its_root(world):
    crate = {**BOX, "components": []}
    engine = world(
        {
            "sim": FLOATING,
            "components": [crate, {"name": "push", "wrench": {"body": "box", "schedule": [{"force": [1, 0, 0]}]}}],
        }
    )
    engine.step()
    assert velocity(engine)[0] > 0


def test_it_keeps_the_plugin_contract():
    push = {"force": [5, 0, 0], "duration": 0.3, "start": 0.1, "ramp": 0.05}
    check_plugin(Wrench, {"components": [BOX, {"wrench": {"body": "box", "schedule": [push]}}]})


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ({"force": [1, 2]}, r"push\.apply\.force: expected"),
        ({"force": [1, 2, float("nan")]}, r"push\.apply\.force.*finite"),
        ({"duration": 0.0}, r"push\.apply\.duration: expected .*> 0"),
        ({"start": -1.0}, r"push\.apply\.start: expected .*>= 0"),
        ({"frame": "tool"}, r"push\.apply\.frame: expected"),
        ({"fource": [1, 2, 3]}, r"push\.apply\.fource: expected a known key.*'force'"),
        ({"duration": 1.0, "ramp": 0.6}, r"push\.apply\.ramp: expected at most half"),
        (WrenchCommand(force=(float("inf"), 0, 0)), r"push\.apply\.force.*finite"),
        (7, r"push\.apply: expected a mapping"),
    ],
)
def test_a_wrong_command_is_refused_and_pushes_nothing(pushed, command, text):
    engine = pushed(push=[])
    with pytest.raises(ConfigError, match=text):
        engine.ctx.interface.get("push", "apply").write(command)
    engine.advance(10)
    assert not velocity(engine).any()


def test_a_body_that_is_not_there_or_fixed_is_refused(world):
    shelf = {"name": "shelf", "boxes": {"motion": "static", "instances": [{"name": "shelf", "size": [1, 1, 1]}]}}
    cart = {"name": "cart", "boxes": {"motion": "driven", "instances": [{"name": "cart", "size": [1, 1, 1]}]}}
    for body, text in (
        ("boxx", r"wrench\.body: expected the name of an entity or a body, got 'boxx'; did you mean 'box'"),
        ("shelf", r"wrench\.body: .*`motion: physics`"),
        ("cart", r"wrench\.body: expected a body that forces move, got 'cart'"),
        (None, r"wrench\.body: expected a body, got nothing"),
    ):
        config = {} if body is None else {"body": body}
        with pytest.raises(RoqsimError, match=text):
            world({"components": [BOX, shelf, cart, {"wrench": config}]})


def test_a_push_ends_on_time_although_another_was_commanded_for_later(pushed):
    engine = pushed(push=[{"force": [10, 0, 0], "duration": 0.1}])
    engine.advance(50)
    engine.ctx.interface.get("push", "apply").write({"force": [10, 0, 0], "start": 0.1, "duration": 0.1})
    engine.advance(25)
    assert not engine.ctx.data.xfrc_applied.any()
    assert MASS * velocity(engine)[0] == pytest.approx(1.0)
    engine.advance(100)
    assert MASS * velocity(engine)[0] == pytest.approx(2.0)


@pytest.fixture
def calls(monkeypatch):
    """The ticks at which any wrench looks whether it pushes."""
    ticks, real = [], Wrench.pre_step
    monkeypatch.setattr(Wrench, "pre_step", lambda plugin, ctx: ticks.append(ctx.tick) or real(plugin, ctx))
    return ticks


def test_a_wrench_costs_nothing_while_it_does_not_push(pushed, calls):
    engine = pushed(push=[{"force": [1, 0, 0], "start": 0.2, "duration": 0.1}])
    engine.advance(400)
    assert calls[0] >= 98
    assert calls[-1] <= 152  # the one that takes the force away
    engine.ctx.interface.get("push", "apply").write({"force": [1, 0, 0], "duration": 0.01})
    engine.advance(200)
    assert 405 <= calls[-1] <= 407
    engine.reset()
    del calls[:]
    engine.advance(400)
    assert 98 <= calls[0] < calls[-1] <= 152
