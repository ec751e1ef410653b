"""Courses: driven, reported, given up."""

from __future__ import annotations

import math
import re

import pytest
from roqsim.errors import ConfigError, RoqsimError

SIM = {"timestep": 0.004, "integrator": "implicitfast"}
SQUARE = [[1, 0], [1, 1], [0, 1], [0, 0]]


def open_course(world, as_robot, model="turtlebot4", drive=None, **course):
    components = [{"course": {"waypoints": SQUARE, **course}}]
    if drive is not None:
        components.append({"omni_drive" if model == "ridgeback" else "diff_drive": drive})
    entry = {"name": "robot", "spawn_robot": {"model": model}, "components": components}
    return as_robot(world({"sim": SIM, "components": [{"floorplan": {}}, entry]}), "robot")


def report(robot) -> tuple[float, float, float, float]:
    pattern = r"course complete: ([\d.]+) s, ([\d.]+) m path, odometry error ([\d.]+) m / ([\d.]+) deg"
    match = re.fullmatch(pattern, robot.ctx.stop_reason)
    return tuple(float(group) for group in match.groups())


@pytest.mark.parametrize(("model", "speed"), [("turtlebot4", 0.3), ("husky_a200", 0.5), ("ridgeback", 0.6)])
def test_a_course_is_driven_and_the_report_is_true(world, as_robot, model, speed):
    robot = open_course(world, as_robot, model, speed=speed, goal_tolerance=0.1)
    robot.run(100.0)
    seconds, way, error, turned = report(robot)
    assert not robot.ctx.stop_failed
    assert math.hypot(*robot.pose[:2]) < 0.12
    assert 3.2 < way < 4.3
    assert robot.ctx.sim_time - 2.0 < seconds <= robot.ctx.sim_time
    x, y, yaw = robot.handle.read_odom()[:3]
    truth = robot.pose
    assert error == pytest.approx(math.hypot(x - truth[0], y - truth[1]), abs=0.001)
    assert turned == pytest.approx(abs(math.degrees(math.remainder(yaw - truth[2], math.tau))), abs=0.06)
    status = robot.read("course_status")
    assert status.is_complete and status.length == pytest.approx(4.0)


def test_a_robot_that_steers_by_wrong_odometry_ends_elsewhere(world, as_robot):
    noise = {"odom_noise": {"linear_scale": 1.2}}
    robot = open_course(world, as_robot, drive=noise, localization="odom", waypoints=[[1, 0], [2, 0]])
    robot.run(60.0)
    assert robot.pose[0] == pytest.approx(2.0 / 1.2, abs=0.06)
    assert report(robot)[2] == pytest.approx(2.0 - 2.0 / 1.2, abs=0.06)


def test_laps_repeat_the_waypoints(world, as_robot):
    robot = open_course(world, as_robot, laps=2, speed=0.3)
    robot.run(120.0)
    assert 6.5 < report(robot)[1] < 8.4


def test_the_last_heading_is_met(world, as_robot):
    robot = open_course(world, as_robot, waypoints=[[0.5, 0], {"x": 1, "y": 0, "yaw": 2.0}])
    robot.run(60.0)
    assert robot.ctx.stop_reason.startswith("course complete")
    assert robot.pose[2] == pytest.approx(2.0, abs=0.06)


def test_a_strafing_robot_keeps_the_heading_of_its_waypoints(world, as_robot):
    course = [{"x": 1, "y": 0, "yaw": 0.0}, {"x": 1, "y": 1, "yaw": 0.0}]
    robot = open_course(world, as_robot, "ridgeback", strafe=True, speed=0.5, waypoints=course)
    largest = 0.0
    for _ in range(100):
        robot.run(0.1)
        largest = max(largest, abs(robot.pose[2]))
    assert robot.ctx.stop_reason.startswith("course complete") and largest < 0.05


def test_a_course_that_takes_too_long_fails_the_run(world, as_robot):
    robot = open_course(world, as_robot, max_time=3.0)
    robot.run(10.0)
    assert robot.ctx.stop_failed
    assert re.fullmatch(r"course not complete after 3\.\d s, at [\d.]+ of 4\.00 m", robot.ctx.stop_reason)


def test_a_course_may_end_and_the_run_go_on(world, as_robot):
    robot = open_course(world, as_robot, on_complete="hold", waypoints=[[0.5, 0]])
    robot.run(10.0)
    assert robot.ctx.stop_reason is None and robot.read("course_status").is_complete
    assert robot.handle.read_odom()[3] == pytest.approx(0.0, abs=1e-3)


def test_a_reset_begins_the_course_again(world, as_robot):
    robot = open_course(world, as_robot, on_complete="hold", waypoints=[[0.5, 0]])
    robot.run(10.0)
    robot.engine.reset()
    status = robot.read("course_status")
    assert (status.travelled, status.path_length, status.is_complete) == (0.0, 0.0, False)
    robot.run(10.0)
    assert robot.read("course_status").is_complete


def test_a_course_without_a_drive_is_refused(world):
    entry = {"name": "robot", "spawn_robot": {"model": "turtlebot4", "default_plugins": False}}
    entry["components"] = [{"course": {"waypoints": SQUARE}}]
    with pytest.raises(RoqsimError, match="expected a robot with a drive, got 'robot' without"):
        world({"components": [entry]})


def test_a_course_without_a_robot_is_refused(world):
    with pytest.raises(RoqsimError, match="expected a robot to drive, got none"):
        world({"components": [{"course": {"waypoints": SQUARE}}]})


def test_a_course_names_its_robot_from_outside(world, as_robot):
    robot = {"name": "robot", "spawn_robot": {"model": "turtlebot4"}}
    course = {"course": {"waypoints": [[0.4, 0]], "robot": "robot"}}
    engine = world({"sim": SIM, "components": [robot, course]})
    engine.advance(2000)
    assert engine.ctx.stop_reason.startswith("course complete")


@pytest.mark.parametrize(
    ("waypoints", "text"),
    [([], "waypoints"), ([[1]], "waypoints"), ([{"x": 1}], r"waypoints\[0\].y"), ([["a", 0]], "waypoints")],
)
def test_wrong_waypoints_are_refused(world, waypoints, text):
    with pytest.raises(ConfigError, match=text):
        world({"components": [{"course": {"waypoints": waypoints, "robot": "x"}}]})
