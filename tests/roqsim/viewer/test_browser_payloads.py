from __future__ import annotations

import math
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from roqsim.context import JointStates, Odometry, Twist
from roqsim.viewer.browser.payloads import MOST_PIXELS, show


@dataclass(frozen=True)
class Scan:
    stamp_ns: int
    ranges: np.ndarray


@dataclass(frozen=True)
class Cloud:
    stamp_ns: int
    points: np.ndarray


def picture(data, **facts):
    return show(SimpleNamespace(data=np.asarray(data), **facts))


def pixels(shown):
    kind, width, height, rgb = shown
    assert kind == "picture"
    return np.frombuffer(rgb, np.uint8).reshape(height, width, 3)


def test_a_colour_picture_is_shown_as_it_is():
    data = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    assert np.array_equal(pixels(picture(data)), data)


def test_a_large_picture_is_thinned_to_what_a_panel_holds():
    shown = pixels(picture(np.zeros((700, 1300, 3), np.uint8)))
    assert max(shown.shape) <= MOST_PIXELS
    assert shown.shape[1] / shown.shape[0] == pytest.approx(1300 / 700, rel=0.02)


def test_depth_is_shown_brighter_the_nearer_and_black_for_nothing():
    shown = pixels(picture(np.array([[0.5, 1.0, 2.0, math.inf]], np.float32)))[0, :, 0]
    assert list(shown[[0, 2, 3]]) == [255, 40, 0]
    assert 40 < shown[1] < 255


def test_depth_in_millimetres_has_zero_for_nothing():
    shown = pixels(picture(np.array([[0, 500, 900]], np.uint16)))[0, :, 0]
    assert list(shown) == [0, 255, 40]


def test_a_picture_of_nothing_at_all_is_black():
    assert not pixels(picture(np.full((2, 2), math.inf, np.float32))).any()


def test_labels_get_colours_of_their_own():
    shown = pixels(picture(np.array([[0, 1, 2, 1]], np.uint16), labels={1: "a", 2: "b"}))[0]
    assert not shown[0].any()
    assert shown[1].tolist() == shown[3].tolist() != shown[2].tolist()


def test_a_long_row_of_numbers_is_a_curve_with_gaps_where_nothing_was_seen():
    kind, values = show(Scan(5, np.r_[np.ones(30), np.inf]))
    assert kind == "curve"
    assert values[:30] == [1.0] * 30
    assert math.isnan(values[30])


def test_a_few_numbers_are_shown_by_name_without_stamps():
    kind, numbers = show(JointStates(7, ("a", "b"), np.array([1.0, 2.0]), np.zeros(2), np.zeros(2)))
    assert kind == "numbers"
    assert 7.0 not in numbers.values()
    assert [value for name, value in numbers.items() if name.startswith("position")] == [1.0, 2.0]


@pytest.mark.parametrize(("payload", "value"), [(3, 3.0), (2.5, 2.5), (True, 1.0), (np.float32(0.5), 0.5)])
def test_a_bare_number_is_a_value(payload, value):
    assert show(payload) == ("numbers", {"value": value})


def test_a_text_and_nothing_are_shown_in_words():
    assert show("docked") == ("text", "docked")
    assert show(None) == ("text", "nothing yet")


def test_what_cannot_be_drawn_is_described():
    assert show(Cloud(0, np.zeros((50, 3), np.float32))) == ("text", "Cloud: points 50x3 float32")


def test_the_numbers_of_a_nested_payload_are_limited():
    kind, numbers = show({f"part{index}": {"x": index, "y": index} for index in range(40)})
    assert kind == "numbers"
    assert len(numbers) == 24
    assert numbers["part3.y"] == 3.0


def test_odometry_is_shown_as_pose_and_twist_without_its_covariances():
    zeros = np.zeros((6, 6))
    kind, numbers = show(Odometry(9, "odom", "base_link", 1.0, 2.0, 0.5, Twist((0.25, 0.0, 0.0)), zeros, zeros))
    assert kind == "numbers"
    assert (numbers["x"], numbers["y"], numbers["yaw"]) == (1.0, 2.0, 0.5)
    assert 0.25 in numbers.values()
    assert not any("covariance" in name for name in numbers)
