from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.config.nodes import loads
from roqsim.config.pose import Pose, quaternion_from_rpy
from roqsim.errors import ConfigError

ANGLES = st.floats(-math.pi, math.pi)


def pose(text):
    return Pose.from_node(loads(text, "w.yaml"), "robot.pose")


def rotated(quaternion, vector):
    """The vector turned by a unit quaternion (wxyz), by the sandwich product."""
    w, x, y, z = quaternion
    vx, vy, vz = vector
    tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


def test_what_is_left_out_is_zero_and_no_rotation():
    assert pose("") == pose("{}") == pose("{position: , orientation: }") == Pose()
    assert pose("{position: {y: 2}}").position == (0.0, 2.0, 0.0)


def test_both_spellings_of_a_position_agree():
    assert pose("position: [1, 2, 3]") == pose("position: {x: 1, y: 2, z: 3}")


def test_both_spellings_of_a_quaternion_agree():
    assert pose("orientation: [0, 0, 0, 2]") == pose("orientation: {w: 0, x: 0, y: 0, z: 2}")
    assert pose("orientation: [0, 0, 0, 2]").quaternion == (0.0, 0.0, 0.0, 1.0)


def test_yaw_turns_from_x_to_y():
    turned = rotated(pose(f"orientation: {{yaw: {math.pi / 2}}}").quaternion, (1, 0, 0))
    assert turned == pytest.approx((0, 1, 0))


def test_pitch_lowers_the_nose_and_roll_lowers_the_right():
    assert rotated(quaternion_from_rpy(0, math.pi / 2, 0), (1, 0, 0)) == pytest.approx((0, 0, -1))
    assert rotated(quaternion_from_rpy(math.pi / 2, 0, 0), (0, -1, 0)) == pytest.approx((0, 0, -1))


@given(ANGLES, ANGLES, ANGLES)
def test_angles_apply_about_fixed_axes_roll_first(roll, pitch, yaw):
    x, y, z = 0.3, -0.7, 0.2
    y, z = y * math.cos(roll) - z * math.sin(roll), y * math.sin(roll) + z * math.cos(roll)
    x, z = x * math.cos(pitch) + z * math.sin(pitch), -x * math.sin(pitch) + z * math.cos(pitch)
    x, y = x * math.cos(yaw) - y * math.sin(yaw), x * math.sin(yaw) + y * math.cos(yaw)
    turned = rotated(quaternion_from_rpy(roll, pitch, yaw), (0.3, -0.7, 0.2))
    assert turned == pytest.approx((x, y, z), abs=1e-12)


@given(ANGLES, ANGLES, ANGLES)
def test_quaternions_are_of_unit_length(roll, pitch, yaw):
    assert math.hypot(*quaternion_from_rpy(roll, pitch, yaw)) == pytest.approx(1)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("3", "robot.pose: expected a mapping with 'position' and 'orientation', got 3 at w.yaml:1"),
        (
            "pos: [1, 2, 3]",
            "robot.pose.pos: expected a known key, got 'pos' at w.yaml:1; there is 'orientation', 'position'",
        ),
        ("position: [1, 2]", "robot.pose.position: expected {x, y, z} or a list of 3 numbers, got [1, 2] at w.yaml:1"),
        ("position: {x: a}", "robot.pose.position.x: expected float, got 'a' at w.yaml:1"),
        ("position: {x: .nan}", "robot.pose.position.x: expected float, got nan at w.yaml:1; write a finite number"),
        ("position: {x: true}", "robot.pose.position.x: expected float, got True at w.yaml:1"),
        (
            "position: {q: 1}",
            "robot.pose.position.q: expected a known key, got 'q' at w.yaml:1; there is 'x', 'y', 'z'",
        ),
        (
            "orientation: {yw: 1}",
            "robot.pose.orientation.yw: expected a known key, got 'yw' at w.yaml:1; did you mean 'yaw'?",
        ),
        (
            "orientation: {w: 1}",
            "robot.pose.orientation: expected all of w, x, y, z, got a mapping at w.yaml:1; add 'x', 'y', 'z'",
        ),
        (
            "orientation: [0, 0, 0, 0]",
            "robot.pose.orientation: expected a quaternion that is not zero, got [0, 0, 0, 0] at w.yaml:1",
        ),
    ],
)
def test_a_wrong_pose_is_told_exactly(text, told):
    with pytest.raises(ConfigError) as caught:
        pose(text)
    assert str(caught.value) == told


def test_a_number_beyond_every_float_is_refused():
    with pytest.raises(ConfigError, match="robot.pose.position.x: expected float, got 1000"):
        pose(f"position: {{x: {10**400}}}")


def test_all_that_is_wrong_with_a_pose_is_told():
    with pytest.raises(ConfigError) as caught:
        pose("position: {x: a}\norientation: {yaw: b}\nextra: 1")
    assert len(caught.value.problems) == 3
