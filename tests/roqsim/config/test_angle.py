"""Angles in documents: bounds, and the conversion done for who writes degrees."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.config.angle import HALF_TURN, ORIENTATION, RIGHT_ANGLE, TURN, radians_hint
from roqsim.config.fields import Rule
from roqsim.config.nodes import loads
from roqsim.config.pose import Pose
from roqsim.config.schema import read_value
from roqsim.errors import ConfigError

BOUND = "float >= -6.2832 and <= 6.2832 (rad)"


@given(st.one_of(st.integers(-360, 360), st.floats(-360, 360)))
def test_what_the_hint_says_is_the_angle_in_radians_and_keeps_the_rule(degrees):
    number = float(radians_hint(degrees, ORIENTATION).rsplit(" ", 1)[1])
    assert number == pytest.approx(math.radians(degrees), rel=1e-4)
    assert ORIENTATION.allows(number)


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (90, "90 degrees are 1.5708"),
        (-180, "-180 degrees are -3.1416"),
        (30.5, "30.5 degrees are 0.53233"),
        (360, "360 degrees are 6.2832"),
        (361, ""),
        (1e300, ""),
        (math.nan, ""),
        (True, ""),
        ("90deg", "90 degrees are 1.5708"),
        ("45 °", "45 degrees are 0.7854"),
        ("1.57 rad", "write 1.57"),
        ("pi/2", "write 1.5708"),
        ("-3*pi/4", "write -2.3562"),
        ("pi/0", ""),
        ("1.2.3deg", ""),
        ("east", ""),
        (None, ""),
    ],
)
def test_degrees_units_and_parts_of_pi_are_converted(value, hint):
    assert radians_hint(value, ORIENTATION) == hint


def test_only_angles_are_converted_and_only_to_what_is_allowed():
    assert radians_hint(90, Rule(le=7, unit="m")) == radians_hint(90, Rule(le=7, unit="rad/s")) == ""
    assert radians_hint(270, Rule(ge=-RIGHT_ANGLE, le=RIGHT_ANGLE, unit="rad")) == ""


@pytest.mark.parametrize(("bound", "exact"), [(TURN, math.tau), (HALF_TURN, math.pi), (RIGHT_ANGLE, math.pi / 2)])
def test_a_bound_lets_the_exact_angle_pass_and_the_one_of_five_digits(bound, exact):
    assert 0.0 <= bound - exact < 2e-5
    assert bound == float(f"{exact:.5g}")


def test_a_full_turn_either_way_is_an_orientation():
    for angle in (-TURN, math.tau, -math.tau, 0):
        assert Pose.from_node(loads(f"orientation: {{yaw: {angle!r}}}", "w.yaml"), "pose").quaternion


def test_every_angle_of_a_pose_is_held_to_it_and_a_quaternion_is_not():
    with pytest.raises(ConfigError) as error:
        Pose.from_node(loads("orientation: {roll: 90, yaw: -45}", "w.yaml"), "pose")
    assert str(error.value).splitlines() == [
        f"pose.orientation.roll: expected {BOUND}, got 90 at w.yaml:1; 90 degrees are 1.5708",
        f"pose.orientation.yaw: expected {BOUND}, got -45 at w.yaml:1; -45 degrees are -0.7854",
    ]
    assert Pose.from_node(loads("orientation: [0, 0, 0, 90]", "w.yaml"), "pose").quaternion == (0, 0, 0, 1)


def test_a_typed_field_in_radians_answers_the_same_way():
    with pytest.raises(ConfigError) as error:
        read_value(float | None, loads("60", "w.yaml"), "camera.fovy", Rule(gt=0, lt=3.14, unit="rad"))
    assert str(error.value) == (
        "camera.fovy: expected float > 0 and < 3.14 (rad), got 60 at w.yaml:1; 60 degrees are 1.0472"
    )
