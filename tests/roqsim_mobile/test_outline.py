"""Walls from lines: corners close, openings are cut, maps are covered exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from roqsim_mobile.occupancy import rectangles
from roqsim_mobile.outline import Line, Opening, crossing, cut, signed_area, walls_around

SQUARE = [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0)]
ELL = [(0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (2.0, 2.0), (2.0, 4.0), (0.0, 4.0)]


def is_inside(line: Line, thickness: float, x: float, y: float) -> bool:
    c, s = math.cos(line.yaw), math.sin(line.yaw)
    along = c * (x - line.begin[0]) + s * (y - line.begin[1])
    across = -s * (x - line.begin[0]) + c * (y - line.begin[1])
    return -1e-9 <= along <= line.length + 1e-9 and abs(across) <= thickness / 2 + 1e-9


@pytest.mark.parametrize("turned", [0.0, 0.4])
@pytest.mark.parametrize(("outline", "corners"), [(SQUARE, 4), (SQUARE[::-1], 4), (ELL, 5 - 1), (ELL[::-1], 5 - 1)])
def test_walls_around_square_corners_lie_side_by_side(outline, corners, turned):
    c, s = math.cos(turned), math.sin(turned)
    lines = walls_around([(c * x - s * y, s * x + c * y) for x, y in outline], 0.2)
    edges = sum(math.dist(a, b) for a, b in zip(outline, [*outline[1:], outline[0]], strict=True))
    # The boxes have the area of the ring around the room, so none lies on another.
    assert sum(line.length for line in lines) * 0.2 == pytest.approx(edges * 0.2 + corners * 0.2**2)


@pytest.mark.parametrize("outline", [SQUARE, SQUARE[::-1], ELL, ELL[::-1]])
def test_walls_leave_the_room_free_and_close_every_corner(outline):
    lines = walls_around(outline, 0.2)
    rng = np.random.default_rng(3)
    for x, y in rng.uniform([0.01, 0.01], [3.99, 3.99], (300, 2)):
        free = (x < 4 and y < 3) if outline in (SQUARE, SQUARE[::-1]) else (y < 2 or x < 2)
        assert not (free and any(is_inside(line, 0.2, x, y) for line in lines))
    turn = 1 if signed_area(outline) > 0 else -1
    for index, corner in enumerate(outline):
        before, after = outline[index - 1], outline[(index + 1) % len(outline)]
        one = np.array(corner) - before
        two = np.array(after) - corner
        if turn * (one[0] * two[1] - one[1] * two[0]) > 0:
            outwards = one / np.linalg.norm(one) - two / np.linalg.norm(two)
            assert any(is_inside(line, 0.2, *(np.array(corner) + 0.19 * outwards)) for line in lines)


@pytest.mark.parametrize("outline", [SQUARE, SQUARE[::-1]])
def test_the_walls_come_in_the_order_of_the_edges(outline):
    for index, line in enumerate(walls_around(outline, 0.2)):
        a, b = outline[index], outline[(index + 1) % 4]
        assert line.nearest(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2))[1] == pytest.approx(0.1)


def test_a_crossing_outline_is_found_and_a_plain_one_is_not():
    assert crossing([(0, 0), (2, 2), (2, 0), (0, 2)]) == (0, 2)
    assert crossing([(0, 0), (4, 0), (4, 1), (2, 0), (0, 1)]) is not None
    assert crossing(SQUARE) is None and crossing(ELL) is None


def test_an_opening_leaves_what_is_under_and_over_it():
    boxes = cut(Line((0.0, 0.0), (5.0, 0.0)), [Opening(2.0, 1.0, 0.8, 2.0)], 2.5)
    spans = {
        (round(box.centre[0] - box.length / 2, 6), round(box.centre[0] + box.length / 2, 6), box.bottom, box.top)
        for box in boxes
    }
    assert spans == {(0.0, 1.5, 0.0, 2.5), (1.5, 2.5, 0.0, 0.8), (1.5, 2.5, 2.0, 2.5), (2.5, 5.0, 0.0, 2.5)}


def test_a_door_as_high_as_the_wall_and_at_its_end_leaves_nothing_over():
    boxes = cut(Line((0.0, 0.0), (0.0, 2.0)), [Opening(0.2, 1.0, 0.0, 2.1)], 2.0)
    assert [(box.length, box.top) for box in boxes] == [(pytest.approx(1.3), 2.0)]


@given(arrays(bool, st.tuples(st.integers(0, 12), st.integers(0, 12))))
def test_rectangles_cover_every_occupied_cell_once(occupied):
    covered = np.zeros(occupied.shape, dtype=int)
    for row, column, rows, columns in rectangles(occupied):
        covered[row : row + rows, column : column + columns] += 1
    assert np.array_equal(covered, occupied.astype(int))


def test_rectangles_are_few():
    room = np.zeros((100, 200), dtype=bool)
    room[[0, -1]] = room[:, [0, -1]] = True
    room[:, 100] = True
    room[40:60, 100] = False
    assert len(rectangles(room)) <= 8
    assert len(rectangles(np.ones((500, 500), dtype=bool))) == 1
