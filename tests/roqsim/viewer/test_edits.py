from __future__ import annotations

import mujoco
import numpy as np
import pytest
from roqsim.viewer.edits import HELD, RESET_HELD, Edits

MJCF = """
<mujoco><worldbody>
  <body name="a"><joint name="j"/><geom size="0.1"/></body>
  <body name="b" pos="1 0 0"><freejoint/><geom size="0.1"/></body>
</worldbody><actuator><motor joint="j"/><motor joint="j"/></actuator></mujoco>
"""


class Person:
    """A window's copy of a simulation, with a hand in it."""

    def __init__(self, manual: bool = True) -> None:
        self.model = mujoco.MjModel.from_xml_string(MJCF)
        self.data = mujoco.MjData(self.model)
        self.perturb = mujoco.MjvPerturb()
        self.now = 100.0
        self.edits = Edits(self.model, self.data, self.perturb, manual=manual, clock=lambda: self.now)
        self.data.time = 1.0

    def does(self, change=lambda data: None, ctrl=(0.0, 0.0)):
        """One frame: the simulation's state, then a change in the window."""
        self.data.time += 0.1
        self.data.ctrl[:] = ctrl
        self.edits.before()
        change(self.data)
        return self.edits.after()


def set_ctrl(index, value):
    return lambda data: data.ctrl.__setitem__(index, value)


def test_what_the_simulation_does_is_no_edit():
    person = Person()
    assert person.does() == []
    person.data.qpos[0] = 0.3
    person.data.xfrc_applied[1] = 5.0
    assert person.does(ctrl=(1.0, 2.0)) == []
    assert person.edits.complaint == ""


def test_a_slider_is_told_once_and_stays_until_the_simulation_has_it():
    person = Person()
    assert person.does(set_ctrl(1, 0.7)) == [{"kind": "ctrl", "values": [(1, 0.7)]}]
    assert person.does() == []
    assert person.data.ctrl.tolist() == [0.0, 0.7]
    assert person.does(ctrl=(0.0, 0.7)) == []
    assert person.does(ctrl=(0.0, 0.2)) == []
    assert person.data.ctrl.tolist() == [0.0, 0.2]


def test_a_slider_that_the_simulation_never_takes_goes_back():
    person = Person()
    person.does(set_ctrl(0, 0.7))
    person.now += 2 * HELD
    person.does()
    assert person.data.ctrl[0] == 0.0


def test_controls_that_controllers_own_are_not_told_and_the_flag_is_named():
    person = Person(manual=False)
    assert person.does(set_ctrl(0, 0.7)) == []
    assert "--manual-control" in person.edits.complaint
    person.does()
    assert person.data.ctrl[0] == 0.0
    assert person.edits.complaint == ""


def test_a_pull_is_told_with_every_frame_and_its_end_once():
    person = Person()

    def pull(data):
        person.perturb.select, person.perturb.active = 2, 1
        data.xfrc_applied[2] = [1, 2, 3, 4, 5, 6]

    pushed = [{"kind": "push", "body": 2, "wrench": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}]
    assert [person.does(pull), person.does(pull)] == [pushed, pushed]
    person.perturb.active = 0
    assert [person.does(), person.does()] == [[{"kind": "release", "body": 2}], []]


def test_a_body_that_is_only_selected_is_not_pulled():
    person = Person()
    person.perturb.select = 2
    assert person.does() == []


def test_the_reset_button_and_key_are_one_reset():
    person = Person()

    def reset(data):
        mujoco.mj_resetData(person.model, data)

    assert person.does(reset) == [{"kind": "reset"}]
    assert person.edits.reset() == []
    person.now += RESET_HELD
    assert person.edits.reset() == [{"kind": "reset"}]


def test_joints_and_physics_settings_go_back_and_the_person_is_told():
    person = Person()
    gravity, timestep = np.array(person.model.opt.gravity), person.model.opt.timestep
    person.does(lambda data: data.qpos.__setitem__(0, 1.0))
    assert "joints belong to the physics" in person.edits.complaint
    person.model.opt.gravity[:] = 0.0
    person.model.opt.timestep = 1.0
    person.model.opt.disableflags = 7
    assert person.does() == []
    np.testing.assert_array_equal(person.model.opt.gravity, gravity)
    assert (person.model.opt.timestep, person.model.opt.disableflags) == (timestep, 0)


@pytest.mark.parametrize("manual", [True, False])
def test_clear_all_is_an_edit_of_every_control(manual):
    person = Person(manual)
    found = person.does(lambda data: data.ctrl.__setitem__(slice(None), 0.0), ctrl=(1.0, 2.0))
    assert found == ([{"kind": "ctrl", "values": [(0, 0.0), (1, 0.0)]}] if manual else [])
