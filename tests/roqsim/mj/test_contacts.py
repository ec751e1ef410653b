from __future__ import annotations

import mujoco
import numpy as np
import pytest
from roqsim.mj import contacts

STACK = """
<mujoco><worldbody>
  <geom name="floor" type="plane" size="1 1 .1"/>
  <body name="lower" pos="0 0 .1"><freejoint/><geom name="lower" type="box" size=".1 .1 .1" mass="2"/></body>
  <body name="upper" pos="0 0 .3"><freejoint/><geom name="upper" type="box" size=".1 .1 .1" mass="1"/>
    <body name="lid" pos="0 0 .12"><geom type="box" size=".1 .1 .02" mass=".5"/></body></body>
</worldbody></mujoco>
"""


@pytest.fixture
def stack():
    model = mujoco.MjModel.from_xml_string(STACK)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 2000)
    return model, data


def test_a_stack_presses_on_the_floor_with_its_weight(stack):
    model, data = stack
    floor = {model.geom("floor").id}
    assert contacts.net_force(model, data, floor) == pytest.approx([0, 0, -3.5 * 9.81], abs=1e-3)


def test_forces_on_a_thing_in_the_middle_add_up_to_its_own_weight(stack):
    model, data = stack
    lower = contacts.geoms_of(model, {model.body("lower").id})
    assert contacts.net_force(model, data, lower) == pytest.approx([0, 0, 2 * 9.81], abs=1e-3)


def test_contacts_inside_a_group_do_not_count(stack):
    model, data = stack
    both = contacts.geoms_of(model, contacts.subtree(model, 1) | contacts.subtree(model, 2))
    assert contacts.net_force(model, data, both) == pytest.approx([0, 0, 3.5 * 9.81], abs=1e-3)
    floor = {model.geom("floor").id}
    assert contacts.between(data, both, floor) == contacts.between(data, both) != []
    assert contacts.between(data, {model.geom("upper").id}, floor) == []


def test_a_subtree_holds_a_body_and_what_hangs_on_it(stack):
    model, _ = stack
    assert contacts.subtree(model, model.body("upper").id) == {model.body("upper").id, model.body("lid").id}
    assert len(contacts.geoms_of(model, contacts.subtree(model, 0))) == model.ngeom


def test_the_force_of_a_contact_acts_on_its_second_geom(stack):
    model, data = stack
    contact = contacts.between(data, {model.geom("floor").id})[0]
    upward = contacts.force(model, data, contact)[2] > 0
    assert upward == (int(data.contact.geom[contact, 0]) == model.geom("floor").id)
    assert np.isfinite(contacts.force(model, data, contact)).all()
