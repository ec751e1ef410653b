from __future__ import annotations

import copy

import mujoco
import numpy as np
import pytest

STATES = mujoco.mjtState
STATE = int(STATES.mjSTATE_INTEGRATION)


class Desk:
    """An intake over a model that is shown at a known state."""

    def __init__(self, engine, intake, studio):
        self.messages, self.sim = studio.messages, studio.sim
        self.model = engine.ctx.model
        self.sent = []
        self.intake = intake.Intake(self.model, lambda *request: self.sent.append(request))
        # Studio's own copy of the data, which its widgets write into.
        self.data = mujoco.MjData(self.model)
        self.intake.shown = self.state(STATE)

    def state(self, parts):
        state = np.empty(mujoco.mj_stateSize(self.model, int(parts)))
        mujoco.mj_getState(self.model, self.data, state, int(parts))
        return state

    def control(self, held=False, **values):
        pause = self.sim.PauseState.NORMAL_PAUSED if held else self.sim.PauseState.UNPAUSED
        values = {"speed": 100.0, "noise_scale": 0.0, "noise_rate": 0.0, **values}
        self.intake.send_to_sim(self.messages.StepControlSnapshot(pause_state=pause, **values))

    def edit(self, parts):
        self.intake.send_to_sim(self.messages.StateEvent(state=self.state(parts), state_sig=int(parts)))

    def perturb(self):
        parts = STATES.mjSTATE_XFRC_APPLIED
        self.intake.send_to_sim(self.messages.PerturbSnapshot(state=self.state(parts), state_sig=int(parts)))


@pytest.fixture
def desk(ball, studio):
    from roqsim.viewer.browser import intake
    from roqsim.viewer.browser import studio as viewer_side

    return Desk(ball(), intake, viewer_side)


def test_an_untouched_viewer_asks_for_nothing(desk):
    for _ in range(3):
        desk.control()
        desk.perturb()
        desk.edit(STATES.mjSTATE_QPOS)
    assert desk.sent == []


def test_the_pause_key_is_a_request_and_not_a_fact(desk):
    desk.control(held=True)
    assert desk.sent == [("pause", True)]
    assert desk.intake.paused is False
    desk.intake.paused = True
    desk.control(held=True)
    desk.control(held=False)
    assert desk.sent == [("pause", True), ("pause", False)]


def test_a_joint_slider_becomes_the_numbers_that_it_changed(desk):
    desk.data.qpos[1] = 0.4
    desk.edit(STATES.mjSTATE_QPOS)
    assert desk.sent == [("state", int(STATES.mjSTATE_QPOS), [1], [0.4])]


def test_a_control_slider_becomes_the_number_that_it_changed(desk):
    desk.data.ctrl[0] = -0.3
    desk.edit(STATES.mjSTATE_CTRL)
    assert desk.sent == [("state", int(STATES.mjSTATE_CTRL), [0], [-0.3])]


def test_a_state_of_several_parts_becomes_one_request_a_part(desk):
    desk.data.qpos[0], desk.data.ctrl[0] = 0.2, 0.5
    desk.edit(int(STATES.mjSTATE_FULLPHYSICS) | int(STATES.mjSTATE_CTRL))
    assert desk.sent == [
        ("state", int(STATES.mjSTATE_QPOS), [0], [0.2]),
        ("state", int(STATES.mjSTATE_CTRL), [0], [0.5]),
    ]


def test_a_drag_is_a_push_that_is_sent_when_it_changes(desk):
    desk.data.xfrc_applied[1, 1] = 4.0
    desk.perturb()
    desk.perturb()
    assert desk.sent == [("push", {1: [0.0, 4.0, 0.0, 0.0, 0.0, 0.0]})]
    desk.data.xfrc_applied[:] = 0.0
    desk.perturb()
    assert desk.sent[1:] == [("push", {})]


def test_a_push_ends_when_the_browser_falls_silent(desk, monkeypatch):
    from roqsim.viewer.browser import intake

    desk.data.xfrc_applied[1, 1] = 4.0
    desk.perturb()
    desk.intake.get_sim_snapshots()
    assert len(desk.sent) == 1
    now = intake.time.monotonic()
    monkeypatch.setattr(intake.time, "monotonic", lambda: now + 2 * intake.HOLD)
    desk.intake.get_sim_snapshots()
    assert desk.sent[1:] == [("push", {})]


def test_forces_of_a_paused_run_are_no_pushes(desk):
    desk.intake.paused = True
    desk.data.xfrc_applied[1, 1] = 4.0
    desk.perturb()
    assert desk.sent == []


@pytest.mark.parametrize(("key", "request_"), [(None, ("reset",)), (-1, ("reset",)), (0, ("fixed", "keyframe"))])
def test_a_reset_goes_home_and_nowhere_else(desk, key, request_):
    desk.intake.send_to_sim(desk.messages.ResetEvent(key=key))
    assert desk.sent == [request_]


def test_the_step_button_is_a_request(desk):
    desk.intake.send_to_sim(desk.messages.SingleStepEvent())
    assert desk.sent == [("step",)]


@pytest.mark.parametrize(
    ("values", "key"), [({"speed": 50.0}, "speed"), ({"noise_scale": 0.1}, "noise"), ({"noise_rate": 0.1}, "noise")]
)
def test_speed_and_noise_are_not_the_pages(desk, values, key):
    desk.control(**values)
    assert desk.sent == [("fixed", key)]


def test_everything_else_that_would_write_is_named_and_sent_on_to_be_refused(desk):
    messages = desk.messages
    option = copy.deepcopy(desk.model.opt)
    option.timestep = 1.0
    keyframe = np.zeros(mujoco.mj_stateSize(desk.model, int(messages.KEYFRAME_STATE_SIG)))
    for message in (
        messages.MjOptionSnapshot(opt=option),
        messages.ThreadPoolEvent(nthread=4),
        messages.LoadModelEvent(path="other.xml"),
        messages.KeyframeEvent(key=0, state=keyframe),
        messages.RequestPauseEvent(pause_state=desk.sim.PauseState.NORMAL_PAUSED),
    ):
        desk.intake.send_to_sim(message)
    assert [request for request, *_ in desk.sent] == ["fixed"] * 5
    assert [key for _, key in desk.sent] == ["options", "threads", "model", "save", "history"]
    assert desk.model.opt.timestep != 1.0


def test_the_truth_puts_back_what_the_viewers_widgets_changed(desk):
    desk.intake.paused = True
    desk.intake.show_truth()
    shown = {type(snapshot).__name__: snapshot for snapshot in desk.intake.get_sim_snapshots()}
    assert shown["StepControlSnapshot"].pause_state == desk.sim.PauseState.NORMAL_PAUSED
    assert shown["StepControlSnapshot"].speed == 100.0
    assert shown["MjOptionSnapshot"].opt.timestep == desk.model.opt.timestep


def test_a_state_reaches_the_viewer_as_it_is(desk):
    desk.data.qpos[:] = [0.1, 0.2]
    state = desk.state(STATE)
    desk.intake.show_state(state.tobytes())
    (snapshot,) = desk.intake.get_sim_snapshots()
    assert snapshot.state.tobytes() == state.tobytes()
    assert snapshot.state_sig == STATE


def test_every_message_of_studio_is_either_known_or_refused(desk):
    """Whatever a later Studio sends, nothing here writes: an unknown kind becomes a refusal."""

    class Surprise(desk.messages.Event):
        pass

    desk.intake.send_to_sim(Surprise())
    assert desk.sent == [("fixed", "history")]
