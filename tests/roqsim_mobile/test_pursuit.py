"""Following a path, without a simulation: an ideal unicycle."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim_mobile.odometry import move
from roqsim_mobile.pursuit import Follower, Path, compose, relative

pose = st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.floats(-3, 3))


def follow(follower: Follower, start: tuple[float, float, float], seconds: float) -> list[tuple[float, float, float]]:
    at, station, places = start, 0.0, [start]
    for _ in range(round(seconds / 0.05)):
        station = follower.advance(at, station)
        vx, vy, w = follower.steer(at, station)
        at = move(*at, vx * 0.05, vy * 0.05, w * 0.05)
        places.append(at)
    return places


def test_the_way_along_a_path_is_measured_at_its_corners():
    path = Path([(0, 0), (3, 0), (3, 0), (3, 4)])
    assert path.length == 7.0 and len(path.points) == 3
    assert path.at(5.0) == pytest.approx((3.0, 2.0))
    assert path.at(-1.0) == (0, 0) and path.at(99.0) == (3, 4)
    assert path.project(2.9, 1.0, 0.0, 10.0) == pytest.approx(4.0)
    assert path.project(2.9, 1.0, 0.0, 2.0) == pytest.approx(2.0)


@pytest.mark.parametrize("yaw", [0.0, 1.0, math.pi, -2.0])
@pytest.mark.parametrize("strafe", [False, True])
def test_a_robot_reaches_the_end_whatever_way_it_looks(yaw, strafe):
    path = Path([(0, 0), (2, 0), (2, 2), (0, 2)])
    places = follow(Follower(path, 0.3, 0.4, strafe), (0.0, 0.0, yaw), 40.0)
    assert math.hypot(places[-1][0], places[-1][1] - 2.0) < 0.02
    if strafe:
        assert places[-1][2] == pytest.approx(yaw if yaw < math.pi else -yaw, abs=1e-6) or abs(
            places[-1][2]
        ) == pytest.approx(yaw)


def test_a_robot_keeps_near_the_path():
    path = Path([(0, 0), (2, 0), (2, 2), (0, 2), (0, 0)])
    lookahead = 0.3
    for x, y, _ in follow(Follower(path, lookahead, 0.3), (0.0, 0.0, 0.0), 35.0):
        distance = min(math.hypot(x - px, y - py) for px, py in (path.at(0.02 * index) for index in range(401)))
        assert distance < 0.5 * lookahead


@given(start=pose, step=pose)
def test_composing_and_seeing_relatively_are_inverse(start, step):
    back = relative(start, compose(start, step))
    assert back[:2] == pytest.approx(step[:2], abs=1e-9)
    assert math.remainder(back[2] - step[2], math.tau) == pytest.approx(0.0, abs=1e-9)
