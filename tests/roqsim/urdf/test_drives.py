"""Actuators from limits: they do what their law says, within the limits of the file."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from roqsim.errors import ConfigError

from .conftest import ARM, joint, link, robot

LIMIT = '<limit lower="-1" upper="1" effort="{}" velocity="{}"/>'


def run(model, seconds, ctrl):
    data = mujoco.MjData(model)
    model.opt.gravity[:] = 0.0
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    data.ctrl[:] = ctrl
    mujoco.mj_step(model, data, round(seconds / model.opt.timestep))
    return data


def test_nobody_who_does_not_ask_gets_actuators(read):
    assert read(ARM)[1].nu == 0


def test_a_position_actuator_goes_where_it_is_told(read):
    _, model, report = read(ARM, actuators="position")
    assert model.actuator("turn").ctrlrange.tolist() == [-1.0, 2.0]
    assert model.actuator("turn").forcerange.tolist() == [-10.0, 10.0]
    data = run(model, 3.0, 0.7)
    # Dry friction of 0.25 N m leaves 0.25/200 rad of error at most.
    assert data.qpos[0] == pytest.approx(0.7, abs=2e-3)
    assert "1 position actuator of the names of their joints: turn" in " ".join(map(str, report.notes))
    assert any("gains" in note.text for note in report.of_kind("assumed"))


def test_a_velocity_actuator_reaches_its_speed(read):
    text = ARM.replace('type="revolute"', 'type="continuous"').replace('damping="0.5" friction="0.25"', 'damping="0"')
    _, model, _ = read(text, actuators="velocity")
    assert model.actuator("turn").ctrlrange.tolist() == [-3.0, 3.0]
    assert run(model, 3.0, 2.0).qvel[0] == pytest.approx(2.0, rel=1e-3)


def test_an_effort_actuator_gives_its_torque_and_no_more(read):
    _, model, _ = read(ARM, actuators="effort")
    for command, torque in ((3.0, 3.0), (50.0, 10.0)):
        data = mujoco.MjData(model)
        data.ctrl[0] = command
        mujoco.mj_forward(model, data)
        assert data.qfrc_actuator[0] == pytest.approx(torque)


def test_joints_that_follow_others_or_state_no_effort_get_none(read):
    text = robot(
        link("a")
        + link("b")
        + link("c")
        + link("d")
        + joint("strong", "a", "b", "revolute", LIMIT.format(5, 1))
        + joint("weak", "a", "c", "prismatic", LIMIT.format(0, 1))
        + joint("follower", "a", "d", "revolute", LIMIT.format(5, 1) + '<mimic joint="strong"/>')
    )
    _, model, report = read(text, actuators="position")
    assert [model.actuator(i).name for i in range(model.nu)] == ["strong"]
    assert "actuators of weak, whose <limit> has no effort" in " ".join(note.text for note in report.of_kind("dropped"))


@pytest.mark.parametrize(
    "limit, law, missing",
    [(LIMIT.format(0, 1), "position", "an effort"), (LIMIT.format(5, 0), "velocity", "an effort and a velocity")],
)
def test_a_robot_that_states_no_efforts_can_not_be_driven(read, limit, law, missing):
    text = robot(link("a") + link("b") + joint("j", "a", "b", "revolute", limit))
    with pytest.raises(ConfigError, match=rf"expected a joint whose <limit> has {missing} for {law} actuators"):
        read(text, actuators=law)


def test_an_effort_that_stands_for_no_limit_is_none(read):
    text = robot(link("a") + link("b") + joint("j", "a", "b", "revolute", LIMIT.format(1e6, 1e6)))
    _, model, _ = read(text)
    assert not model.jnt_actfrclimited[0]
    np.testing.assert_allclose(model.jnt_range[0], [-1, 1])
