"""Wheels to body and back: round trips, and the textbook's numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim_mobile.kinematics import differential, mecanum, omni, saturate
from roqsim_mobile.limits import AxisLimits

speed = st.floats(-2.0, 2.0)
length = st.floats(0.02, 1.0)


@given(vx=speed, w=speed, radius=length, separation=length)
def test_a_differential_drive_comes_back_to_its_command(vx, w, radius, separation):
    drive = differential([radius, radius], [radius, radius], separation)
    assert drive.body_motion(drive.wheel_speeds(vx, 0.0, w)) == pytest.approx((vx, 0.0, w), abs=1e-9)


@given(vx=speed, vy=speed, w=speed, radius=length, x=length, y=length)
def test_a_mecanum_drive_comes_back_to_its_command(vx, vy, w, radius, x, y):
    drive = mecanum(radius, x, y)
    assert drive.body_motion(drive.wheel_speeds(vx, vy, w)) == pytest.approx((vx, vy, w), abs=1e-9)


@given(vx=speed, vy=speed, w=speed, radius=length, arm=length, count=st.integers(3, 6), turn=speed)
def test_an_omni_drive_comes_back_to_its_command(vx, vy, w, radius, arm, count, turn):
    drive = omni(radius, [(turn + index * math.tau / count, arm) for index in range(count)])
    assert drive.body_motion(drive.wheel_speeds(vx, vy, w)) == pytest.approx((vx, vy, w), abs=1e-8)


def test_a_differential_drive_has_the_textbook_speeds():
    assert differential([0.1], [0.1], 0.5).wheel_speeds(1.0, 0.0, 2.0) == pytest.approx([5.0, 15.0])


def test_a_mecanum_drive_to_the_left_turns_its_wheels_crosswise():
    drive = mecanum(0.1, 0.6, 0.4)
    assert drive.wheel_speeds(0.0, 1.0, 0.0) == pytest.approx([-10.0, 10.0, 10.0, -10.0])
    assert drive.wheel_speeds(0.0, 0.0, 1.0) == pytest.approx([-5.0, 5.0, -5.0, 5.0])
    assert drive.is_holonomic and not differential([0.1], [0.1], 0.5).is_holonomic


def test_wheels_of_one_side_are_averaged():
    drive = differential([0.1, 0.1], [0.1, 0.1], 0.5)
    assert drive.body_motion([1.0, 3.0, 2.0, 2.0]) == pytest.approx((0.2, 0.0, 0.0))


@given(st.lists(st.floats(-50.0, 50.0), min_size=1, max_size=4))
def test_saturation_keeps_every_limit_and_the_ratio_of_the_wheels(speeds):
    limits = [7.0] * len(speeds)
    share = saturate(speeds, limits)
    assert 0.0 < share <= 1.0
    assert all(abs(wheel) * share <= 7.0 * (1 + 1e-12) for wheel in speeds)
    assert share == 1.0 or max(abs(wheel) * share for wheel in speeds) == pytest.approx(7.0)


def test_limits_bound_speed_and_acceleration_separately_for_braking():
    limits = AxisLimits(-0.5, 1.0, acceleration=1.0, deceleration=4.0)
    assert limits.next(9.0, 0.95, 0.1) == pytest.approx(1.0)
    assert limits.next(-9.0, -0.45, 0.1) == pytest.approx(-0.5)
    assert limits.next(1.0, 0.0, 0.1) == pytest.approx(0.1)
    assert limits.next(0.0, 1.0, 0.1) == pytest.approx(0.6)
    assert limits.next(0.0, -0.2, 0.1) == pytest.approx(0.0)


@given(wanted=speed, last=st.floats(-1.0, 1.0))
def test_a_limited_speed_never_passes_what_was_wanted(wanted, last):
    limits = AxisLimits(-1.0, 1.0, 2.0, 3.0)
    reached = limits.next(wanted, last, 0.05)
    goal = min(max(wanted, -1.0), 1.0)
    assert min(last, goal) - 1e-12 <= reached <= max(last, goal) + 1e-12
    assert abs(reached - last) <= 0.15 + 1e-12
