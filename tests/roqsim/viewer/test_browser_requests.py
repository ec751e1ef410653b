from __future__ import annotations

import logging
import math

import mujoco
import numpy as np
import pytest
from roqsim.viewer.browser.requests import FIXED, READ_ONLY, Requests

QPOS = int(mujoco.mjtState.mjSTATE_QPOS)
CTRL = int(mujoco.mjtState.mjSTATE_CTRL)
TIME = int(mujoco.mjtState.mjSTATE_TIME)

EVERY_REQUEST = [
    ("pause", True),
    ("step",),
    ("reset",),
    ("state", QPOS, [0], [1.0]),
    ("push", {1: [1.0, 0, 0, 0, 0, 0]}),
    ("quit",),
    *(("fixed", key) for key in FIXED),
]


def state_of(engine):
    kind = int(mujoco.mjtState.mjSTATE_INTEGRATION)
    state = np.empty(mujoco.mj_stateSize(engine.ctx.model, kind))
    mujoco.mj_getState(engine.ctx.model, engine.ctx.data, state, kind)
    return state.tobytes()


@pytest.fixture
def engine(ball):
    engine = ball()
    engine.reset()
    return engine


@pytest.fixture
def told():
    return []


@pytest.fixture
def steer(engine, told):
    return Requests(engine.ctx, True, told.append)


@pytest.mark.parametrize("request_", EVERY_REQUEST, ids=lambda request: "-".join(map(str, request[:2])))
def test_a_page_that_only_watches_changes_nothing(engine, told, request_):
    control, before = engine.ctx.control, state_of(engine)
    Requests(engine.ctx, False, told.append).take(*request_)
    assert told == [READ_ONLY]
    assert not engine.ctx.commands
    assert not control.has_requests
    assert not control.paused
    engine.idle()
    assert state_of(engine) == before
    assert not engine.ctx.stop_requested


def test_a_refusal_is_logged_once(engine, told, caplog):
    requests = Requests(engine.ctx, False, told.append)
    with caplog.at_level(logging.WARNING, "roqsim"):
        requests.take("step")
        requests.take("reset")
    assert [record.getMessage() for record in caplog.records] == [f"browser: refused: {READ_ONLY}"]
    assert told == [READ_ONLY, READ_ONLY]


@pytest.mark.parametrize("key", FIXED)
def test_what_no_page_may_change_is_refused_with_its_reason(engine, steer, told, key):
    before = state_of(engine)
    steer.take("fixed", key)
    assert told == [FIXED[key]]
    assert not engine.ctx.commands
    assert state_of(engine) == before


def test_an_unknown_request_is_refused(steer, told):
    steer.take("dance")
    assert told == ["unknown request 'dance'"]


def test_pause_step_and_reset_go_through_the_control(engine, steer):
    control = engine.ctx.control
    steer.take("pause", True)
    assert control.paused
    steer.take("pause", False)
    assert not control.paused
    steer.take("step")
    assert control.paused
    assert [n for n, _ in control.take_steps()] == [1]
    steer.take("reset")
    assert len(control.take_resets()) == 1


def test_a_joint_is_set_at_the_next_boundary_and_all_else_keeps_its_bits(engine, steer):
    engine.ctx.data.qvel[:] = [0.1, 0.2]
    engine.ctx.data.qpos[:] = [0.3, 0.7]
    before = np.frombuffer(state_of(engine)).copy()
    steer.take("state", QPOS, [1], [0.9])
    assert np.array_equal(np.frombuffer(state_of(engine)), before)
    engine.idle()
    after = np.frombuffer(state_of(engine))
    assert engine.ctx.data.qpos.tolist() == [0.3, 0.9]
    assert np.count_nonzero(after != before) == 1


def test_what_derives_from_a_joint_follows_it(engine, steer):
    steer.take("state", QPOS, [0], [1.5])
    engine.idle()
    engine.ctx.refresh()
    assert engine.ctx.data.body("robot").xpos[1] == pytest.approx(1.5)


def test_a_control_is_set_where_the_person_owns_the_controls(engine, steer):
    engine.ctx.manual_control = True
    steer.take("state", CTRL, [0], [0.25])
    engine.idle()
    assert engine.ctx.data.ctrl.tolist() == [0.25]


def test_controls_that_controllers_own_are_refused_with_the_way_out(engine, steer, told):
    steer.take("state", CTRL, [0], [0.25])
    assert told == ["the controllers own the controls; start with --manual-control to set them here"]
    assert not engine.ctx.commands


def test_a_run_that_was_steered_says_once_that_its_seed_does_not_repeat_it(steer, caplog):
    with caplog.at_level(logging.WARNING, "roqsim"):
        for value in (0.1, 0.2):
            steer.take("state", QPOS, [0], [value])
    assert [record.getMessage() for record in caplog.records] == [
        "browser: somebody set joints or controls; its seed alone does not repeat this run"
    ]


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_numbers_that_are_not_finite_are_refused(engine, steer, told, value):
    steer.take("state", QPOS, [0], [value])
    steer.take("push", {1: [value, 0, 0, 0, 0, 0]})
    assert len(told) == 2
    assert "expected finite numbers, got" in told[0]
    assert not engine.ctx.commands


def test_time_cannot_be_set(engine, steer, told):
    steer.take("state", TIME, [0], [4.0])
    assert told == ["of the state, only positions, velocities, activations and controls can be set"]
    assert not engine.ctx.commands


def test_a_push_accelerates_by_newton_and_ends_when_released(engine, steer):
    steer.take("push", {1: [0.0, 4.0, 0.0, 0.0, 0.0, 0.0]})
    engine.step()
    dt = engine.ctx.dt
    mass, damping = 2.0, 1.0
    assert engine.ctx.data.qvel[0] == pytest.approx(4.0 * dt / (mass + damping * dt), rel=1e-6)
    steer.take("push", {})
    engine.idle()
    assert not engine.ctx.data.xfrc_applied.any()


def test_a_page_that_is_gone_pushes_nothing_any_more(engine, steer):
    steer.take("push", {1: [0.0, 4.0, 0.0, 0.0, 0.0, 0.0]})
    engine.idle()
    steer.release()
    engine.idle()
    assert not engine.ctx.data.xfrc_applied.any()


def test_a_push_leaves_what_others_apply(engine, steer):
    engine.ctx.data.xfrc_applied[1, 2] = 3.0
    steer.take("push", {1: [0.0, 4.0, 1.0, 0.0, 0.0, 0.0]})
    engine.idle()
    assert engine.ctx.data.xfrc_applied[1].tolist() == [0, 4, 4, 0, 0, 0]
    steer.take("push", {})
    engine.idle()
    assert engine.ctx.data.xfrc_applied[1].tolist() == [0, 0, 3, 0, 0, 0]


def test_quitting_ends_the_run_by_a_stop_request(engine, steer):
    steer.take("quit")
    engine.idle()
    assert engine.ctx.stop_reason == "ended from the browser"
