from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.mj import poses
from roqsim_sensors.signals.inertial import cross, felt_at
from roqsim_sensors.signals.wrench import moved

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
G = (0.0, 0.0, 9.81)
ZERO = (0.0, 0.0, 0.0)

vectors = st.tuples(*[st.floats(-5, 5)] * 3)
rotations = vectors.map(lambda angles: poses.from_euler(*angles))
frames = st.tuples(vectors, rotations)


def test_at_rest_gravity_is_felt_upwards():
    assert felt_at(UPRIGHT, ZERO, G, ZERO, poses.IDENTITY) == (UPRIGHT, ZERO, G)


@pytest.mark.parametrize(("roll", "expected"), [(math.pi, (0, 0, -9.81)), (math.pi / 2, (0, 9.81, 0))])
def test_a_turned_device_feels_gravity_along_its_own_axes(roll, expected):
    _, _, force = felt_at(UPRIGHT, ZERO, G, ZERO, (ZERO, poses.from_euler(roll, 0, 0)))
    assert force == pytest.approx(expected, abs=1e-12)


def test_a_device_on_a_turntable_feels_the_centripetal_acceleration():
    _, rate, force = felt_at(UPRIGHT, (0, 0, 3.0), ZERO, ZERO, ((0.5, 0, 0), UPRIGHT))
    assert rate == (0, 0, 3.0)
    assert force == pytest.approx((-9.0 * 0.5, 0, 0))


def test_a_turntable_that_speeds_up_is_felt_along_the_tangent():
    _, _, force = felt_at(UPRIGHT, ZERO, ZERO, (0, 0, 2.0), ((0.5, 0, 0), UPRIGHT))
    assert force == pytest.approx((0, 1.0, 0))


@given(rotations, vectors, vectors, vectors, frames, frames)
def test_two_mounts_in_a_row_feel_what_one_mount_of_both_poses_feels(q_WF, w, f, alpha, X_FA, X_AB):
    whole = felt_at(q_WF, w, f, alpha, poses.compose(X_FA, X_AB))
    q_WA, w_A, f_A = felt_at(q_WF, w, f, alpha, X_FA)
    in_two = felt_at(q_WA, poses.rotate(q_WA, w_A), poses.rotate(q_WA, f_A), alpha, X_AB)
    for one, other in zip(whole, in_two, strict=True):
        assert one == pytest.approx(other, abs=1e-6)


@given(vectors, vectors)
def test_the_vector_product_is_numpys(a, b):
    assert cross(a, b) == pytest.approx(np.cross(a, b), abs=1e-9)


def test_a_weight_beside_the_sensor_is_a_torque():
    """10 N upwards at a point 0.2 m ahead turn the nose up, which is about the negative y axis."""
    force, torque = moved((0, 0, 10.0), ZERO, ((0.2, 0, 0), UPRIGHT))
    assert force == (0, 0, 10.0)
    assert torque == pytest.approx((0, -2.0, 0))


@given(vectors, vectors, frames)
def test_a_wrench_that_goes_to_a_frame_and_back_is_the_same(force, torque, frame):
    back = moved(*moved(force, torque, frame), poses.inverse(frame))
    assert back[0] == pytest.approx(force, abs=1e-6)
    assert back[1] == pytest.approx(torque, abs=1e-6)


@given(vectors, vectors, frames, vectors, vectors)
def test_the_power_of_a_wrench_does_not_depend_on_the_frame(force, torque, X_SF, v_F, w_F):
    """A rigid body that moves with v and w: f v + t w is the same in every frame fixed to it."""
    force_S, torque_S = moved(force, torque, X_SF)
    w_S = poses.rotate(X_SF[1], w_F)
    v_S = np.subtract(poses.rotate(X_SF[1], v_F), cross(w_S, X_SF[0]))
    assert np.dot(force_S, v_S) + np.dot(torque_S, w_S) == pytest.approx(
        np.dot(force, v_F) + np.dot(torque, w_F), abs=1e-6
    )
