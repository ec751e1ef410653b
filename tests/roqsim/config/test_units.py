"""Numbers with a unit behind them: what to write instead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.config.fields import Rule
from roqsim.config.nodes import loads
from roqsim.config.pose import Pose
from roqsim.config.schema import read_value
from roqsim.config.units import PREFIXES, unit_hint
from roqsim.errors import ConfigError


@pytest.mark.parametrize(
    ("value", "unit", "hint"),
    [
        ("10m", "m", "write 10"),
        ("10 cm", "m", "write 0.1"),
        ("-2.5e1 mm", "m", "write -0.025"),
        ("50ms", "s", "write 0.05"),
        ("2 min", "s", "write 120"),
        ("30hz", "Hz", "write 30"),
        ("1.5 kHz", "Hz", "write 1500"),
        ("1013hPa", "Pa", "write 101300"),
        ("250 g", "kg", "write 0.25"),
        ("12V", "V", "write 12"),
        ("90°", "deg", "write 90"),
        ("640px", "px", "write 640"),
        ("10 ft", "m", ""),
        ("10", "m", ""),
        ("m", "m", ""),
        ("1.2.3m", "m", ""),
        ("10m", "", ""),
        (10, "m", ""),
        (None, "m", ""),
    ],
)
def test_a_known_unit_is_taken_off_and_another_one_is_not(value, unit, hint):
    assert unit_hint(value, Rule(unit=unit)) == hint


def test_what_the_rule_refuses_is_not_offered():
    assert unit_hint("-1 m", Rule(gt=0, unit="m")) == ""


@given(st.integers(-1000, 1000), st.sampled_from(sorted(PREFIXES)))
def test_a_prefix_multiplies_as_the_si_says(number, prefix):
    text = unit_hint(f"{number} {prefix}W", Rule(unit="W"))
    assert float(text.removeprefix("write ")) == pytest.approx(number * PREFIXES[prefix])


def told(kind, text, rule):
    with pytest.raises(ConfigError) as error:
        read_value(kind, loads(text, "w.yaml"), "x", rule)
    return str(error.value)


def test_a_field_answers_with_the_number_in_its_own_unit():
    assert told(float, "50ms", Rule(ge=0, unit="s")) == "x: expected float >= 0 (s), got '50ms' at w.yaml:1; write 0.05"
    assert told(int, "640 px", Rule(unit="px")).endswith("; write 640")


def test_one_item_in_the_place_of_a_list_is_answered_with_brackets():
    assert (
        told(tuple[str, ...], "depth", Rule()) == "x: expected a list of texts, got 'depth' at w.yaml:1; write [depth]"
    )
    assert told(tuple[float, ...], "deep", Rule()) == "x: expected a list of float, got 'deep' at w.yaml:1"
    assert not told(tuple[float, float, float], "1", Rule()).endswith("]")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("[1, 2, 3]", "; write {position: [1, 2, 3]}"),
        ("[1, 2]", "got [1, 2] at w.yaml:1"),
        ("{x: 1}", "; write position: {x: …}"),
        ("{yaw: 1}", "; write orientation: {yaw: …}"),
        ("{positon: {x: 1}}", "; did you mean 'position'?"),
        ("{orientation: [0, 0, 1.57]}", "; write {roll: 0, pitch: 0, yaw: 1.57}"),
        ("{orientation: [0, a, 1.57]}", "got [0, 'a', 1.57] at w.yaml:1"),
    ],
)
def test_a_pose_in_another_form_is_answered_with_its_own(text, hint):
    with pytest.raises(ConfigError) as error:
        Pose.from_node(loads(text, "w.yaml"), "robot.pose")
    assert str(error.value).endswith(hint)
