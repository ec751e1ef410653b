from __future__ import annotations

import mujoco
import numpy as np
import pytest
from roqsim.mj import state

MODEL = """
<mujoco><worldbody>
  <geom type="plane" size="2 2 .1"/>
  <body name="free" pos="0 0 .5"><freejoint name="f"/><geom size=".1"/></body>
  <body name="driven" mocap="true" pos="1 0 .5"><geom size=".1"/></body>
  <body name="fixed" pos="2 0 .5">
    <joint name="ball" type="ball"/><joint name="slide" type="slide"/><geom size=".1"/></body>
</worldbody></mujoco>
"""


@pytest.fixture
def sim():
    model = mujoco.MjModel.from_xml_string(MODEL)
    return model, mujoco.MjData(model)


def test_a_run_that_continues_from_a_state_gives_the_same_bytes(sim):
    model, data = sim
    data.qvel[:] = np.linspace(-1, 1, model.nv)
    mujoco.mj_step(model, data, 200)
    kept = state.take(model, data)
    mujoco.mj_step(model, data, 300)
    expected = state.take(model, data)
    other = mujoco.MjData(model)
    state.put(model, other, kept)
    mujoco.mj_step(model, other, 300)
    assert state.take(model, other).tobytes() == expected.tobytes()


def test_a_state_is_written_into_the_array_that_is_given(sim):
    model, data = sim
    kept = np.empty(state.size(model))
    assert state.take(model, data, kept) is kept
    with pytest.raises(ValueError, match="expected a state of shape"):
        state.put(model, data, kept[:-1])


def test_joints_know_where_their_numbers_are(sim):
    model, _ = sim
    f, ball, slide = (model.joint(name).id for name in ("f", "ball", "slide"))
    assert [state.qpos_slice(model, joint) for joint in (f, ball, slide)] == [slice(0, 7), slice(7, 11), slice(11, 12)]
    assert [state.qvel_slice(model, joint) for joint in (f, ball, slide)] == [slice(0, 6), slice(6, 9), slice(9, 10)]


def test_free_and_driven_bodies_can_be_placed_and_others_can_not(sim):
    model, data = sim
    pose = ((3.0, 2.0, 1.0), (0.0, 1.0, 0.0, 0.0))
    data.qvel[:] = 1.0
    for name in ("free", "driven"):
        body = model.body(name).id
        assert state.can_move(model, body)
        state.set_body_pose(model, data, body, pose)
        mujoco.mj_kinematics(model, data)
        assert tuple(data.xpos[body]) == pose[0]
        assert tuple(data.xquat[body]) == pose[1]
    assert not data.qvel[:6].any() and data.qvel[6:].all()
    assert not state.can_move(model, model.body("fixed").id)
    with pytest.raises(ValueError, match="got 'fixed'"):
        state.set_body_pose(model, data, model.body("fixed").id, pose)
