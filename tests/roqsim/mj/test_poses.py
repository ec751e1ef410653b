from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.mj import poses

ANGLES = st.floats(-math.pi, math.pi)
TILTS = st.floats(-1.5, 1.5)
LENGTHS = st.floats(-10, 10)
VECTORS = st.tuples(LENGTHS, LENGTHS, LENGTHS)
QUATERNIONS = st.builds(poses.from_euler, ANGLES, TILTS, ANGLES)
TRANSFORMS = st.tuples(VECTORS, QUATERNIONS)


def close(a, b, tolerance=1e-9):
    return np.allclose(a, b, atol=tolerance, rtol=0)


def same_rotation(a, b, tolerance=1e-9):
    return min(np.abs(np.subtract(a, b)).max(), np.abs(np.add(a, b)).max()) < tolerance


@given(TRANSFORMS, TRANSFORMS)
def test_a_transform_after_its_inverse_is_nothing(a, b):
    position, quaternion = poses.compose(poses.inverse(a), poses.compose(a, b))
    assert close(position, b[0], 1e-7)
    assert same_rotation(quaternion, b[1])


@given(QUATERNIONS, VECTORS)
def test_rotating_is_multiplying_with_the_matrix(q, v):
    assert close(poses.rotate(q, v), poses.to_matrix(q) @ v)
    result = np.empty(3)
    mujoco.mju_rotVecQuat(result, np.array(v), np.array(q))
    assert close(poses.rotate(q, v), result)


@given(QUATERNIONS, QUATERNIONS)
def test_the_product_is_mujocos(a, b):
    result = np.empty(4)
    mujoco.mju_mulQuat(result, np.array(a), np.array(b))
    assert close(poses.multiply(a, b), result)


@given(ANGLES, TILTS, ANGLES)
def test_euler_angles_come_back(roll, pitch, yaw):
    found = poses.to_euler(poses.from_euler(roll, pitch, yaw))
    assert same_rotation(poses.from_euler(*found), poses.from_euler(roll, pitch, yaw))
    assert close(found[1], pitch, 1e-7)


@given(ANGLES, st.sampled_from([-math.pi / 2, math.pi / 2]), ANGLES)
def test_euler_angles_at_a_right_pitch_are_the_same_rotation(roll, pitch, yaw):
    q = poses.from_euler(roll, pitch, yaw)
    found = poses.to_euler(q)
    assert found[0] == 0.0
    assert same_rotation(poses.from_euler(*found), q, 1e-6)


@given(QUATERNIONS)
def test_a_matrix_gives_back_its_quaternion(q):
    assert same_rotation(poses.from_matrix(poses.to_matrix(q)), q)


def test_the_heading_of_a_quarter_turn_is_a_quarter_turn():
    assert poses.yaw_of(poses.from_euler(0.0, 0.0, math.pi / 2)) == pytest.approx(math.pi / 2)


def test_a_zero_quaternion_has_no_direction():
    with pytest.raises(ValueError, match="other than zero"):
        poses.normalized((0.0, 0.0, 0.0, 0.0))


def test_a_spinning_bodys_velocity_is_given_in_its_own_axes_at_its_own_origin():
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><body name="b"><freejoint/><geom pos="1 0 0" size=".1"/>
        <site name="tip" pos="2 0 0"/></body></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    data.qpos[3:] = poses.from_euler(0, 0, math.pi / 2)
    data.qvel[:] = [0.3, 0, 0, 0, 0, 2.0]
    mujoco.mj_forward(model, data)
    linear, angular = poses.velocity(model, data, "body", model.body("b").id)
    assert close(linear, [0, -0.3, 0]) and close(angular, [0, 0, 2])
    linear, _ = poses.velocity(model, data, "site", model.site("tip").id)
    assert close(linear, [0, -0.3 + 4.0, 0])
    linear, _ = poses.velocity(model, data, "body", model.body("b").id, local=False)
    assert close(linear, [0.3, 0, 0])


def test_a_site_stands_relative_to_its_body_as_the_model_says():
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><body name="b" pos="1 2 3" quat="0 1 0 0"><geom size=".1"/>
        <site name="s" pos=".1 .2 .3"/></body></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    body, site = ("body", 1), ("site", 0)
    position, quaternion = poses.relative_pose(model, data, body, site)
    assert close(position, [0.1, 0.2, 0.3]) and same_rotation(quaternion, (1, 0, 0, 0))
    assert not poses.is_finite((1.0, math.nan)) and poses.is_finite((1.0,), (2.0,))
