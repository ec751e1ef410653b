"""Drives through the whole chain: commands in, motion on the ground, odometry out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from roqsim.context import Twist
from roqsim.errors import ConfigError, RoqsimError

LIMITS = {
    "turtlebot4": (0.31, 1.9, 0.9),
    "turtlebot3_waffle": (0.26, 1.82, 2.5),
    "husky_a200": (1.0, 1.0, 1.0),
    "ridgeback": (1.1, 4.0, 1.0),
}
ARCS = [(0.9, 0.0), (-0.6, 0.0), (0.0, 0.5), (0.6, 0.2), (0.3, -0.35), (-0.5, 0.2)]


@pytest.mark.parametrize(("v", "w"), ARCS)
@pytest.mark.parametrize("model", [*LIMITS])
def test_a_commanded_arc_is_driven_within_two_percent(robot, model, v, w):
    fastest, quickest, _ = LIMITS[model]
    v, w = v * fastest, w * min(quickest, 2.0)
    ahead, aside, turned = robot(model).drive(v, 0.0, w, 3.0)
    assert ahead == pytest.approx(3.0 * v, rel=0.02, abs=0.006)
    assert turned == pytest.approx(3.0 * w, rel=0.02, abs=0.01)


@pytest.mark.parametrize("command", [(0.0, 0.5, 0.0), (0.4, -0.4, 0.0), (0.3, 0.3, 0.5), (0.0, -0.8, 0.0)])
def test_a_mecanum_robot_goes_sideways_within_two_percent(robot, command):
    vx, vy, w = command
    ahead, aside, turned = robot("ridgeback").drive(vx, vy, w, 3.0)
    distance = 3.0 * math.hypot(vx, vy)
    assert math.hypot(ahead - 3.0 * vx, aside - 3.0 * vy) <= 0.02 * distance + 0.01
    assert turned == pytest.approx(3.0 * w, rel=0.02, abs=0.02)


@pytest.mark.parametrize("model", [*LIMITS])
def test_odometry_agrees_with_the_ground(robot, model):
    base = robot(model)
    begin = base.pose
    base.drive(0.2, 0.0, 0.3, 4.0)
    odom, end = base.read("odom"), base.pose
    assert math.hypot(odom.x - end[0] + begin[0], odom.y - end[1] + begin[1]) < 0.03
    assert math.remainder(odom.yaw - end[2], math.tau) == pytest.approx(0.0, abs=0.03)
    assert (odom.frame_id, odom.child_frame_id) == ("odom", "base_link")


def test_odometry_and_joint_states_carry_the_time_of_their_state(robot):
    base = robot("turtlebot4", control_rate_hz=25.0)
    base.engine.advance(13)
    assert base.read("odom").stamp_ns == round(10 * 0.004 * 1e9)
    states = base.read("joint_states")
    assert states.stamp_ns == round(13 * 0.004 * 1e9)
    assert states.names == ("left_wheel_joint", "right_wheel_joint")
    assert len(states.position) == len(states.velocity) == len(states.effort) == 2


@pytest.mark.parametrize("model", ["turtlebot4", "ridgeback"])
def test_speed_and_acceleration_stay_within_their_limits(robot, model):
    fastest, _, acceleration = LIMITS[model]
    base = robot(model)
    speeds = []
    for _ in range(round(3 * fastest / acceleration / 0.02)):
        base.handle.drive(99.0, 0.0, 0.0)
        base.run(0.02)
        speeds.append(base.handle.read_odom()[3])
    assert max(speeds) == pytest.approx(fastest, rel=0.03)
    reached = next(index for index, speed in enumerate(speeds) if speed > 0.95 * fastest) * 0.02
    assert reached == pytest.approx(0.95 * fastest / acceleration, rel=0.2)


def test_braking_may_be_harder_than_speeding_up(robot):
    base = robot("husky_a200", max_linear_deceleration=4.0)
    base.drive(1.0, 0.0, 0.0, 0.0)
    for _ in range(100):
        base.handle.drive(1.0, 0.0, 0.0)
        base.run(0.02)
    begin = base.pose[0]
    for _ in range(50):
        base.handle.drive(0.0, 0.0, 0.0)
        base.run(0.02)
    assert base.pose[0] - begin == pytest.approx(1.0 / (2 * 4.0), abs=0.06)


def test_backward_may_be_slower_than_forward(robot):
    base = robot("turtlebot4", min_linear_speed=-0.1)
    assert base.drive(-0.3, 0.0, 0.0, 3.0)[0] == pytest.approx(-0.3, rel=0.1)


def test_a_command_that_is_not_renewed_ends_in_a_stop(robot):
    base = robot("turtlebot4", command_timeout=0.5)
    base.send(Twist((0.3, 0.0, 0.0), (0.0, 0.0, 0.0)))
    base.run(0.5)
    assert base.handle.read_odom()[3] == pytest.approx(0.3, abs=0.01)
    base.run(1.0)
    assert base.handle.read_odom()[3] == pytest.approx(0.0, abs=0.005)


def test_a_timeout_of_zero_never_stops(robot):
    base = robot("turtlebot4", command_timeout=0.0)
    base.send(Twist((0.2, 0.0, 0.0), (0.0, 0.0, 0.0)))
    base.run(3.0)
    assert base.handle.read_odom()[3] == pytest.approx(0.2, abs=0.005)


def test_wheels_at_their_limit_keep_the_curve(robot):
    base = robot("turtlebot3_waffle", max_linear_acceleration=None, max_angular_acceleration=None)
    ahead, _, turned = base.drive(0.26, 0.0, 1.82, 3.0)
    assert ahead < 0.8 * 3.0 * 0.26
    assert turned / ahead == pytest.approx(1.82 / 0.26, rel=0.02)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_command_that_is_not_finite_is_refused_and_changes_nothing(robot, value):
    base = robot("turtlebot4", command_timeout=0.0)
    base.handle.drive(0.2, 0.0, 0.0)
    with pytest.raises(RoqsimError, match=r"robot\.diff_drive\.cmd_vel: expected finite velocities"):
        base.handle.drive(0.1, 0.0, value)
    base.send(Twist((value, 0.0, 0.0), (0.0, 0.0, 0.0)))
    base.run(1.0)
    assert base.handle.read_odom()[3] == pytest.approx(0.2, abs=0.01)


@pytest.mark.parametrize("payload", [3, None, {"linear": [1, 0, 0]}, Twist((0.1,), (0.0, 0.0, 0.0))])
def test_a_command_that_is_no_twist_is_refused_and_changes_nothing(robot, payload):
    base = robot("turtlebot4", command_timeout=0.0)
    base.handle.drive(0.2, 0.0, 0.0)
    with pytest.raises(RoqsimError, match=r"^robot\.diff_drive\.cmd_vel: expected a Twist, got "):
        base.ctx.interface.get("robot", "cmd_vel").write(payload)
    base.run(1.0)
    assert base.handle.read_odom()[3] == pytest.approx(0.2, abs=0.01)


def test_a_sideways_command_to_a_differential_drive_is_left_out_and_said_once(robot, caplog):
    base = robot("turtlebot4")
    for _ in range(3):
        base.handle.drive(0.0, 0.3, 0.0)
        base.run(0.1)
    assert base.pose[1] == pytest.approx(0.0, abs=1e-3)
    assert sum("sideways" in record.message for record in caplog.records) == 1


def test_a_script_drives_and_goes_before_other_commands(robot):
    script = [{"at": 0.5, "linear": 0.2, "until": 2.5}, {"at": 3.0, "angular": 1.0, "until": 4.0}]
    base = robot("turtlebot4", test_cmd=script)
    base.run(0.52)
    assert base.pose[0] == pytest.approx(0.0, abs=1e-3)
    base.handle.drive(0.0, 0.0, 1.5)
    base.run(2.48)
    assert base.pose[0] == pytest.approx(0.4, rel=0.03)
    base.run(2.0)
    assert base.pose[2] == pytest.approx(1.0, rel=0.03)


@pytest.mark.parametrize(
    ("drive", "text"),
    [
        ({"test_cmd": [{"at": 2.0}, {"at": 1.0}]}, "expected commands in the order of 'at'"),
        ({"test_cmd": [{"at": 2.0, "until": 1.0}]}, "until: expected a time > 2 s"),
        ({"test_cmd": [{"at": 0.0, "lateral": 1.0}]}, "can't move sideways"),
        ({"left_joints": ["right_wheel_joint"]}, "expected other joints than on the left"),
        ({"max_linear_speed": 0.0}, "max_linear_speed: expected float > 0"),
        ({"min_linear_speed": 0.5}, "min_linear_speed: expected"),
        ({"wheel_radius": "big"}, "wheel_radius: expected"),
        ({"control_rate_hz": 0}, "control_rate_hz: expected float > 0"),
    ],
)
def test_a_wrong_configuration_is_refused_with_its_reason(robot, drive, text):
    with pytest.raises(ConfigError, match=text.replace("(", r"\(")):
        robot("turtlebot4", **drive)


@pytest.mark.parametrize(
    ("drive", "text"),
    [
        ({"left_joints": ["left_whel_joint"]}, "did you mean 'left_wheel_joint'"),
        ({"control_rate_hz": 1000.0}, "expected a rate <= 250 Hz"),
    ],
)
def test_what_does_not_fit_the_model_is_refused_with_the_address(robot, drive, text):
    with pytest.raises(RoqsimError, match=r"robot\.diff_drive") as error:
        robot("turtlebot4", **drive)
    assert text in str(error.value)


def test_a_wheel_without_a_velocity_law_is_refused(world):
    actuators = {"control": "effort", "command_range": [-1, 1]}
    entry = {"name": "robot", "spawn_robot": {"model": "turtlebot4", "actuators": actuators}}
    with pytest.raises(
        RoqsimError, match="one velocity actuator, got 'left_wheel_joint', whose actuator follows another law"
    ):
        world({"components": [entry]})


def test_a_drive_under_nothing_is_refused(world):
    drive = {"left_joints": ["a"], "right_joints": ["b"], "wheel_radius": 0.1, "wheel_separation": 0.3}
    with pytest.raises(RoqsimError, match="expected to be nested under a robot"):
        world({"components": [{"diff_drive": {**drive, "max_linear_speed": 1.0, "max_angular_speed": 1.0}}]})


# Odometry noise


def test_noise_changes_the_report_and_not_the_robot(robot):
    exact, noisy = (
        robot("turtlebot4", odom_noise=noise, control_rate_hz=50.0)
        for noise in (None, {"linear_stddev": 0.1, "angular_stddev": 0.2})
    )
    for base in (exact, noisy):
        base.drive(0.2, 0.0, 0.3, 3.0)
    assert exact.pose == noisy.pose
    assert exact.read("odom").x != noisy.read("odom").x
    covariance = noisy.read("odom").pose_covariance
    assert covariance[0, 0] > 0 and covariance[5, 5] == pytest.approx(0.04 * 0.02**2 * 250, rel=0.01)
    assert noisy.read("odom").twist_covariance[0, 0] == pytest.approx(0.01)


def test_noise_is_the_same_under_one_seed_and_another_under_another(robot):
    noise = {"linear_stddev": 0.1, "angular_stddev": 0.2}
    runs = []
    for seed in (1, 1, 2):
        base = robot("turtlebot4", odom_noise=noise, seed=seed)
        base.run(1.0)
        runs.append(base.handle.read_odom())
    assert runs[0] == runs[1] != runs[2]


def test_white_noise_has_the_spread_that_was_asked_for(robot):
    base = robot("turtlebot4", odom_noise={"linear_stddev": 0.1, "angular_stddev": 0.2})
    velocities = []
    for _ in range(1500):
        base.run(0.02)
        velocities.append(base.handle.read_odom()[3:])
    spread = np.std(velocities, axis=0)
    assert spread[0] == pytest.approx(0.1, rel=0.1) and spread[2] == pytest.approx(0.2, rel=0.1)


def test_a_scale_makes_the_odometry_drift(robot):
    base = robot("turtlebot4", odom_noise={"linear_scale": 1.1})
    ahead = base.drive(0.2, 0.0, 0.0, 3.0)[0]
    assert base.read("odom").x == pytest.approx(1.1 * ahead, rel=0.01)


# Physics


@pytest.mark.parametrize("model", [*LIMITS])
def test_a_robot_told_to_stand_holds_on_a_slope(robot, model):
    base = robot(model, slope=8.0)
    base.run(2.0)
    begin = base.pose
    base.run(5.0)
    assert math.dist(begin[:2], base.pose[:2]) < 0.015


@pytest.mark.parametrize("model", ["husky_a200", "turtlebot4"])
def test_a_robot_keeps_its_speed_uphill(robot, model):
    base = robot(model, slope=8.0)
    base.run(1.0)
    assert base.drive(0.2, 0.0, 0.0, 4.0)[0] == pytest.approx(0.8, rel=0.03)


def test_a_robot_slides_down_where_friction_ends(robot):
    base = robot("husky_a200", slope=55.0)
    base.run(1.0)
    assert base.pose[0] < -0.5
    assert abs(base.handle.read_odom()[0]) < 0.5 * abs(base.pose[0])


def test_a_pushed_robot_moves_and_its_wheels_do_not_know(robot):
    base = robot("turtlebot4")
    base.run(0.5)
    base.ctx.data.xfrc_applied[base.entity.body, 1] = 1.5 * 3.945 * 9.81
    base.run(0.4)
    base.ctx.data.xfrc_applied[:] = 0.0
    base.run(0.5)
    assert base.pose[1] > 0.1
    assert abs(base.read("odom").y) < 0.1 * base.pose[1]


# Several robots, presence, reset, manual control


def test_two_robots_hear_only_their_own_commands(world, as_robot):
    robots = [
        {"name": name, "spawn_robot": {"model": "turtlebot4", "namespace": name, "pose": {"position": [0, y, 0]}}}
        for name, y in (("one", 0), ("two", 1))
    ]
    engine = world({"sim": {"timestep": 0.004, "integrator": "implicitfast"}, "components": robots})
    one, two = as_robot(engine, "one"), as_robot(engine, "two")
    one.drive(0.2, 0.0, 0.0, 2.0)
    assert one.pose[0] == pytest.approx(0.4, rel=0.03)
    assert two.pose[0] == pytest.approx(0.0, abs=1e-3)
    spaces = {endpoint.namespace for endpoint in engine.ctx.interface.all() if endpoint.owner.startswith("one")}
    assert spaces == {"one"}


def test_an_absent_robot_does_not_move(robot):
    base = robot("turtlebot4", command_timeout=0.0)
    presence = base.ctx.blackboard.require("presence")
    base.handle.drive(0.2, 0.0, 0.0)
    base.run(1.0)
    presence.set(base.entity, False)
    place, counted = base.pose, base.handle.read_odom()
    base.run(1.0)
    assert base.pose == place and base.handle.read_odom() == counted
    presence.set(base.entity, True)
    base.run(1.0)
    assert base.pose[0] > place[0] + 0.15


def test_a_reset_forgets_command_and_odometry(robot):
    base = robot("turtlebot4", command_timeout=0.0)
    base.handle.drive(0.2, 0.0, 0.5)
    base.run(2.0)
    base.engine.reset()
    assert base.handle.read_odom() == (0.0,) * 6
    assert base.read("odom").stamp_ns == 0
    base.run(1.0)
    assert base.pose == pytest.approx((0.0, 0.0, 0.0), abs=1e-3)


def test_under_manual_control_no_control_is_written_and_odometry_goes_on(robot):
    base = robot("turtlebot4")
    base.ctx.manual_control = True
    base.handle.drive(0.3, 0.0, 0.0)
    base.ctx.data.ctrl[:] = 4.0
    base.run(1.0)
    assert base.ctx.data.ctrl.tolist() == [4.0, 4.0]
    assert base.read("odom").x == pytest.approx(4.0 * 0.03575, rel=0.05)


def test_an_omni_drive_with_three_wheels_goes_to_every_side(tmp_path, world, as_robot):
    """Wheels that touch nothing: the base hangs, so the odometry is what the wheels count."""
    joint = '<joint name="j{0}" type="hinge" axis="1 0 0" armature="0.01"/><geom size="0.01" mass="0.01"/>'
    bodies = "".join(f'<body name="w{i}">{joint.format(i)}</body>' for i in range(3))
    motors = "".join(f'<velocity name="m{i}" joint="j{i}" kv="0.5"/>' for i in range(3))
    model = tmp_path / "kiwi.xml"
    model.write_text(
        f'<mujoco><worldbody><body name="base_link" pos="0 0 1"><geom size="0.1"/>{bodies}</body></worldbody>'
        f"<actuator>{motors}</actuator></mujoco>"
    )
    drive = {
        "kind": "omni",
        "wheels": {"a": "j0", "b": "j1", "c": "j2"},
        "wheel_angles": {"a": 0.0, "b": math.tau / 3, "c": -math.tau / 3},
        "robot_radius": 0.15,
        "wheel_radius": 0.03,
        "max_linear_speed": 1.0,
        "max_angular_speed": 2.0,
        "command_timeout": 0.0,
    }
    spawn = {
        "name": "robot",
        "spawn_robot": {"model": str(model), "motion": "static"},
        "components": [{"omni_drive": drive}],
    }
    base = as_robot(world({"sim": {"timestep": 0.004}, "components": [spawn]}), "robot")
    base.handle.drive(0.3, -0.2, 0.0)
    base.run(2.0)
    assert base.handle.read_odom()[:3] == pytest.approx((0.6, -0.4, 0.0), abs=0.02)


@pytest.mark.parametrize(
    ("drive", "text"),
    [
        ({"wheel_separation_x": None}, "wheel_separation_x: expected a value for kind 'mecanum'"),
        ({"robot_radius": 0.3}, "robot_radius: expected nothing for kind 'mecanum'"),
        ({"wheels": {"front_left": "front_left_wheel_joint"}}, "wheels: expected the keys front_left"),
        ({"kind": "tracks"}, "kind: expected"),
    ],
)
def test_a_wrong_omni_drive_is_refused_with_its_reason(robot, drive, text):
    with pytest.raises(ConfigError, match=text):
        robot("ridgeback", **drive)
