"""Dead reckoning: exact on arcs, and as wrong as its noise says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim_mobile.odometry import Odometer, VelocityNoise, move


@given(radius=st.floats(0.05, 10.0), turn=st.floats(-6.0, 6.0), yaw=st.floats(-3.0, 3.0))
def test_an_arc_ends_where_the_circle_says(radius, turn, yaw):
    x, y, end = move(0.0, 0.0, yaw, radius * turn, 0.0, turn)
    assert x == pytest.approx(radius * (math.sin(yaw + turn) - math.sin(yaw)), abs=1e-9)
    assert y == pytest.approx(radius * (math.cos(yaw) - math.cos(yaw + turn)), abs=1e-9)
    assert math.remainder(end - yaw - turn, math.tau) == pytest.approx(0.0, abs=1e-12)


@given(dx=st.floats(-1, 1), dy=st.floats(-1, 1), turn=st.floats(-3, 3))
def test_an_arc_in_many_pieces_is_the_same_arc(dx, dy, turn):
    whole = move(0.0, 0.0, 0.3, dx, dy, turn)
    pose = (0.0, 0.0, 0.3)
    for _ in range(50):
        pose = move(*pose, dx / 50, dy / 50, turn / 50)
    assert pose == pytest.approx(whole, abs=1e-9)


@pytest.mark.parametrize("turn", [0.99e-8, 1.01e-8, -1.01e-8, 1e-6, 0.0])
def test_a_nearly_straight_way_has_no_seam(turn):
    x, y, _ = move(0.0, 0.0, 0.0, 2.0, 1.0, turn)
    assert (x, y) == pytest.approx((2.0 - 0.5 * turn, 1.0 + turn), abs=2e-12)


def test_the_velocity_is_the_way_over_the_period():
    odometer = Odometer()
    odometer.add(0.02, 0.01, 0.004, 0.02)
    assert odometer.velocity == pytest.approx((1.0, 0.5, 0.2))
    assert not odometer.pose_covariance().any() and not odometer.twist_covariance().any()
    odometer.reset()
    assert odometer.pose == odometer.velocity == (0.0, 0.0, 0.0)


def test_a_scale_makes_the_way_longer_and_needs_no_random_numbers():
    odometer = Odometer(VelocityNoise(linear_scale=1.1, angular_scale=0.5))
    for _ in range(100):
        odometer.add(0.01, 0.0, 0.02, 0.02)
    assert odometer.pose[2] == pytest.approx(1.0)
    assert odometer.velocity == pytest.approx((0.55, 0.0, 0.5))


@pytest.mark.parametrize("is_holonomic", [False, True])
def test_the_reported_covariance_is_that_of_many_runs(is_holonomic):
    noise = VelocityNoise(linear_stddev=0.3, angular_stddev=0.5)
    rng, ends = np.random.default_rng(1), []
    for _ in range(1500):
        odometer = Odometer(noise, is_holonomic)
        for _ in range(40):
            odometer.add(0.02, 0.0, 0.01, 0.02, rng)
        ends.append(odometer.pose)
    exact = Odometer(noise, is_holonomic)
    quiet = type("Quiet", (), {"standard_normal": staticmethod(np.zeros)})
    for _ in range(40):
        exact.add(0.02, 0.0, 0.01, 0.02, quiet)
    reported = exact.pose_covariance()[np.ix_([0, 1, 5], [0, 1, 5])]
    assert np.allclose(np.cov(np.array(ends).T), reported, rtol=0.15, atol=0.05 * reported.max())
    assert np.all(np.linalg.eigvalsh(reported) >= -1e-15)
