from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim_sensors.rays.sweep import FULL_CIRCLE, sweep


@given(st.integers(2, 2000), st.floats(-math.pi, math.pi))
def test_a_full_circle_does_not_repeat_its_first_ray(rays, start):
    angles = sweep(rays, start, start + FULL_CIRCLE)
    assert angles.increment == pytest.approx(FULL_CIRCLE / rays)
    assert angles.last + angles.increment == pytest.approx(angles.first + FULL_CIRCLE)


@given(st.integers(2, 2000), st.floats(-math.pi, 0.0), st.floats(0.01, 3.0))
def test_a_sector_includes_both_ends(rays, start, width):
    angles = sweep(rays, start, start + width)
    assert angles.first == start
    assert angles.last == pytest.approx(start + width)
    assert angles.angles()[[0, -1]] == pytest.approx([angles.first, angles.last])


@pytest.mark.parametrize("pi", [3.14, 3.1416, 3.14159265, math.pi])
def test_a_circle_that_is_written_with_few_digits_is_a_circle(pi):
    assert sweep(360, -pi, pi).increment == pytest.approx(math.radians(1))


def test_a_circle_that_leaves_its_last_ray_out_stays_as_it_is():
    angles = sweep(360, 0.0, math.radians(359))
    assert angles.increment == pytest.approx(math.radians(1))
    assert angles.last == pytest.approx(math.radians(359))


@given(st.integers(2, 500), st.floats(-3.0, 0.0), st.floats(0.01, 3.0))
def test_a_clockwise_sweep_is_the_same_sector_the_other_way_round(rays, start, width):
    left, right = sweep(rays, start, start + width), sweep(rays, start, start + width, clockwise=True)
    np.testing.assert_allclose(left.angles(), right.angles()[::-1], atol=1e-9)
    assert right.increment == -left.increment


def test_directions_turn_from_x_to_y():
    np.testing.assert_allclose(
        sweep(4, 0.0, FULL_CIRCLE).directions(), [(1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)], atol=1e-15
    )


def test_one_ray_looks_along_the_first_angle():
    angles = sweep(1, 0.5, 1.0)
    assert (angles.first, angles.last, angles.increment) == (0.5, 0.5, 0.0)


@pytest.mark.parametrize(("start", "end"), [(0.0, 0.0), (1.0, 0.5), (0.0, 7.0)])
def test_an_impossible_sector_is_refused_with_what_is_possible(start, end):
    with pytest.raises(ValueError, match=r"angle_max: expected between angle_min and one turn beyond it .* got"):
        sweep(10, start, end)
