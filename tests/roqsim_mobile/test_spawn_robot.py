"""Spawning: where a robot stands, what its names are, what comes along."""

from __future__ import annotations

import math

import numpy as np
import pytest
from roqsim.errors import ConfigError
from roqsim.presence import set_present
from roqsim_mobile.plugins.spawn_robot import SpawnRobot

from roqsim import Engine, load_config

SIM = {"timestep": 0.004, "integrator": "implicitfast"}


def spawn(name: str = "robot", **config) -> dict:
    return {"name": name, "spawn_robot": {"model": "turtlebot4", **config}}


def test_a_robot_stands_where_the_pose_says(world, as_robot):
    pose = {"position": [1.0, -0.5, 0.0], "orientation": {"yaw": math.pi / 2}}
    robot = as_robot(world({"sim": SIM, "components": [spawn(pose=pose)]}), "robot")
    robot.run(1.0)
    assert robot.pose == pytest.approx((1.0, -0.5, math.pi / 2), abs=1e-3)


@pytest.mark.parametrize("model", ["turtlebot4", "turtlebot3_waffle", "husky_a200", "ridgeback"])
def test_a_robot_at_zero_stands_on_the_ground(world, as_robot, model):
    robot = as_robot(world({"sim": SIM, "components": [spawn(model=model)]}), "robot")
    height = robot.ctx.data.xpos[robot.entity.body, 2]
    robot.run(1.0)
    assert robot.ctx.data.xpos[robot.entity.body, 2] == pytest.approx(height, abs=0.002)


def test_names_get_the_prefix_and_frames_the_vendors_names(world):
    engine = world({"sim": SIM, "components": [spawn("alice")]})
    model = engine.ctx.model
    assert model.joint("alice_left_wheel_joint").id >= 0
    assert model.site("alice_imu_link").id >= 0
    frames = engine.ctx.interface.get("alice", "tf_static").read().transforms
    assert {"imu_link", "base_footprint", "shell_link"} <= {frame.child_frame_id for frame in frames}
    entity = engine.ctx.entities.require("alice")
    assert (entity.kind, entity.meta["base_frame"], entity.meta["odom_frame"]) == ("robot", "base_link", "odom")


def test_the_manifest_brings_drive_and_devices_unless_told_not_to(world):
    engine = world({"sim": SIM, "components": [spawn()]})
    devices = ("rplidar", "rplidar.lidar", "oakd", "oakd.camera", "imu", "bumper")
    assert {"robot", "robot.diff_drive", *(f"robot.{name}" for name in devices)} == {p.address for p in engine.plugins}
    bare = world({"sim": SIM, "components": [spawn(default_plugins=False)]})
    assert [plugin.address for plugin in bare.plugins] == ["robot"]


@pytest.mark.parametrize(("yaw", "zone"), [(0.0, "front_center"), (math.radians(35), "front_right")])
def test_a_turtlebot_that_drives_against_a_wall_feels_which_part_of_its_bumper_is_pressed(world, as_robot, yaw, zone):
    block = {"size": [0.2, 2.0, 0.3], "motion": "static", "pose": {"position": [0.5, 0, 0.15]}}
    robot = spawn(pose={"orientation": {"yaw": yaw}})
    engine = world({"sim": SIM, "components": [robot, {"boxes": {"instances": [block]}}]})
    bumper = engine.ctx.interface.get("robot", "bumper")
    assert bumper.read().names == ()
    as_robot(engine, "robot").handle.drive(0.2, 0.0, 0.0)
    while not (pressed := bumper.read().names) and engine.ctx.sim_time < 4.0:
        engine.advance(10)
        as_robot(engine, "robot").handle.drive(0.2, 0.0, 0.0)
    assert pressed == (zone,)


def test_a_nested_entry_changes_one_value_and_keeps_the_others(world):
    entry = {**spawn(), "components": [{"diff_drive": {"max_linear_speed": 0.1}}]}
    engine = world({"sim": SIM, "components": [entry]})
    drive = next(plugin for plugin in engine.plugins if plugin.address == "robot.diff_drive")
    assert drive.config.max_linear_speed == 0.1 and drive.config.wheel_radius == 0.03575


def test_a_static_robot_turns_its_wheels_and_stays(world, as_robot):
    robot = as_robot(
        world({"sim": SIM, "components": [spawn(motion="static", pose={"position": [0, 0, 0.1]})]}), "robot"
    )
    robot.handle.drive(0.3, 0.0, 0.0)
    robot.run(0.45)
    assert robot.read("joint_states").velocity == pytest.approx([0.3 / 0.03575] * 2, rel=0.1)
    assert robot.pose == pytest.approx((0, 0, 0), abs=1e-9)


def test_the_actuators_of_the_world_are_on_record(world):
    engine = world({"sim": SIM, "components": [spawn(actuators={"d": 0.5})]})
    rows = {row["actuator"].split("_motor")[0][-11:]: row for row in engine.ctx.actuator_tables["robot"]}
    assert len(rows) == 2
    assert all(row["law"]["gains"]["d"] == 0.5 and row["sources"]["d"] == "world" for row in rows.values())


def test_a_wrong_model_name_offers_the_nearest(world):
    with pytest.raises(ConfigError, match="turtlebot4"):
        world({"components": [spawn(model="turtelbot4")]})


def test_the_scanner_sees_the_room_and_not_its_carrier(world):
    exact = {"spawn_sensor": {}, "name": "rplidar", "components": [{"lidar": {"range_stddev_relative": 0.0}}]}
    robot = {**spawn(pose={"position": [1.0, 0.0, 0.0]}), "components": [exact]}
    engine = world({"sim": SIM, "components": [robot]})
    scan = next(e for e in engine.ctx.interface.by_direction("out") if e.name == "scan").read()
    finite = scan.ranges[np.isfinite(scan.ranges)]
    assert finite.min() > 3.5 and finite.max() < 8.0
    # The scanner looks to the robot's left, 40 mm behind the middle: its x axis meets the wall at y = 5.
    ahead = scan.ranges[np.argmin(np.abs(scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))))]
    assert ahead == pytest.approx(5.0, abs=0.02)


def test_an_absent_robot_comes_back_as_it_was(world, as_robot):
    robot = as_robot(world({"sim": SIM, "components": [{**spawn(), "present": False}]}), "robot")
    robot.run(1.0)
    assert not robot.ctx.entities.names()
    set_present(robot.ctx, "robot", True)
    robot.run(1.0)
    assert robot.pose == pytest.approx((0.0, 0.0, 0.0), abs=1e-3)


def test_its_sources_are_the_model_and_the_manifest():
    files = [path.name for path in SpawnRobot({"model": "turtlebot4"}).sources()]
    assert files == ["turtlebot4.xml", "turtlebot4.manifest.yaml"]


def test_the_other_spelling_of_motion_is_answered_with_the_right_one(world):
    with pytest.raises(ConfigError, match=r"components\.robot\.free: .*; write 'motion: physics'") as caught:
        world({"components": [{"spawn_robot": {"model": "turtlebot4", "free": True}, "name": "robot"}]})
    assert len(str(caught.value).splitlines()) == 1


def test_a_topic_for_no_endpoint_is_refused(world):
    drive = {"diff_drive": {"topics": {"odm": "/odom2", "odom": "/odom1"}}}
    robot = {"spawn_robot": {"model": "turtlebot4"}, "name": "robot", "components": [drive]}
    with pytest.raises(ConfigError) as caught:
        world({"components": [robot]})
    assert str(caught.value) == (
        "robot.diff_drive.topics: expected the name of an endpoint, got 'odm'; did you mean 'odom'?"
    )


def test_two_robots_of_one_namespace_are_refused_once_with_the_cure(tmp_path):
    path = tmp_path / "two.yaml"
    path.write_text(
        "components:\n- spawn_robot: {model: husky_a200}\n  name: a\n- spawn_robot: {model: husky_a200}\n  name: b\n"
    )
    with pytest.raises(ConfigError) as caught:
        Engine(load_config(path)).setup()
    assert str(caught.value) == (
        f"b: expected a namespace that a does not have, got none, "
        f"so both have /joint_states, /odom, /scan at {path}:4; write `namespace: b` in its entry"
    )
    Engine(load_config(path, {"components": {"b": {"namespace": "b"}}})).setup()


def test_two_robots_whose_topics_differ_and_whose_frames_do_not_are_refused_once(tmp_path):
    path = tmp_path / "two.yaml"
    path.write_text(
        "components:\n- spawn_robot: {model: husky_a200}\n  name: a\n- spawn_robot: {model: husky_a200}\n  name: b\n"
    )
    drive = {"topics": {"odom": "b/odom", "joint_states": "b/joint_states"}}
    topics = {"diff_drive": drive, "lms": {"lidar": {"topics": {"scan": "b/scan"}}}}
    with pytest.raises(ConfigError) as caught:
        Engine(load_config(path, {"components": {"b": topics}})).setup()
    text = str(caught.value)
    assert text.startswith("b: expected a namespace that a does not have, got none, so both have the frames 'base_")
    assert text.endswith(f" at {path}:4; write `namespace: b` in its entry")
    assert "\n" not in text
    Engine(load_config(path, {"components": {"b": {"namespace": "b"}}})).setup()
