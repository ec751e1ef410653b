from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.rendering import Pinhole


def test_a_field_of_view_is_seen_from_edge_to_edge():
    lens = Pinhole.from_fovy(640, 480, 1.0, 0.1, 10.0)
    left, right, bottom, top = lens.slopes
    assert math.atan(top) - math.atan(bottom) == pytest.approx(1.0)
    assert (left, bottom) == pytest.approx((-right, -top))
    assert right / top == pytest.approx(640 / 480)


@given(st.floats(0, 639), st.floats(0, 479), st.floats(100, 2000), st.floats(100, 2000))
def test_the_edges_lie_half_a_pixel_outside_the_outer_pixels(cx, cy, fx, fy):
    left, right, bottom, top = Pinhole(640, 480, fx, fy, cx, cy, 0.1, 10.0).slopes
    assert left * fx + cx == pytest.approx(-0.5)
    assert right * fx + cx == pytest.approx(639.5)
    assert -top * fy + cy == pytest.approx(-0.5)
    assert -bottom * fy + cy == pytest.approx(479.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"width": 0}, "at least one pixel"),
        ({"fx": 0.0}, "focal lengths > 0"),
        ({"fy": math.inf}, "focal lengths > 0"),
        ({"near": 0.0}, "0 < near < far"),
        ({"near": 20.0}, "0 < near < far"),
        ({"far": math.inf}, "0 < near < far"),
    ],
)
def test_an_impossible_camera_is_refused(change, message):
    good = {"width": 8, "height": 6, "fx": 5.0, "fy": 5.0, "cx": 3.5, "cy": 2.5, "near": 0.1, "far": 10.0}
    Pinhole(**good)
    with pytest.raises(ValueError, match=message):
        Pinhole(**{**good, **change})
