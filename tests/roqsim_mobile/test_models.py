"""The robot models alone, in bare MuJoCo: they weigh, stand, roll, turn and slide as data sheets and physics say."""

from __future__ import annotations

import math
import time
from pathlib import Path

import mujoco
import numpy as np
import pytest
import yaml
from roqsim_mobile.models import MODELS_DIR
from roqsim_sensors.models import MODELS_DIR as DEVICES_DIR

ROBOTS = ["turtlebot4", "turtlebot3_waffle", "husky_a200", "ridgeback"]
DIFFERENTIAL = ROBOTS[:3]
MASS = {"turtlebot4": 3.945, "turtlebot3_waffle": 1.8, "husky_a200": 50.0 + 1.1, "ridgeback": 135.0}
GROUND = """
<mujoco>
  <option timestep="{dt}" integrator="implicitfast" cone="{cone}" gravity="{gx} 0 {gz}"/>
  <worldbody><geom name="floor" type="plane" size="0 0 1"/></worldbody>
</mujoco>
"""


def xml(robot: str) -> Path:
    return MODELS_DIR / robot / f"{robot}.xml"


def manifest(robot: str, folder: Path = MODELS_DIR) -> dict:
    return yaml.safe_load((folder / robot / f"{robot}.manifest.yaml").read_text())


def component(robot: str, ref: str) -> dict:
    return next(entry[ref] for entry in manifest(robot)["components"] if ref in entry)


class Bench:
    """A robot on a plane of MuJoCo's default friction, tilted about y by ``slope`` so that downhill is -x."""

    def __init__(self, robot: str, *, dt: float = 0.004, cone: str = "pyramidal", slope: float = 0.0, yaw: float = 0.0):
        tilt = math.radians(slope)
        ground = GROUND.format(dt=dt, cone=cone, gx=-9.81 * math.sin(tilt), gz=-9.81 * math.cos(tilt))
        world = mujoco.MjSpec.from_string(ground)
        child = mujoco.MjSpec.from_file(str(xml(robot)))
        child.option.integrator = world.option.integrator
        base = world.worldbody.add_frame().attach_body(child.worldbody.first_body(), "r_", "")
        base.add_freejoint()
        self.model = world.compile()
        self.data = mujoco.MjData(self.model)
        self.data.qpos[3:7] = [math.cos(yaw / 2), 0, 0, math.sin(yaw / 2)]
        self.run(1.0)

    def run(self, seconds: float, **controls: float) -> None:
        for name, value in controls.items():
            self.data.actuator(f"r_{name}_motor").ctrl[0] = value
        mujoco.mj_step(self.model, self.data, round(seconds / self.model.opt.timestep))

    @property
    def yaw(self) -> float:
        w, x, y, z = self.data.qpos[3:7]
        return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))

    def drive(
        self, wheels: dict[str, float], seconds: float, ramp: float = 1.0
    ) -> tuple[np.ndarray, float, dict[str, float]]:
        """Ramps the wheels up, holds and ramps down.

        Returns:
            The way along the robot's own axes in m, its turn in rad, and by wheel what its encoder counted in rad.
        """
        dt = self.model.opt.timestep
        motors = [(self.data.actuator(f"r_{name}_motor"), speed) for name, speed in wheels.items()]
        begin = {name: self.data.joint(f"r_{name}_joint").qpos[0] for name in wheels}
        way, turned, last = np.zeros(2), 0.0, self.yaw
        steps = round((seconds + ramp) / dt)
        for step in range(steps + round(0.3 / dt)):
            share = max(0.0, min(1.0, (step + 1) * dt / ramp, (steps - step - 1) * dt / ramp))
            for motor, speed in motors:
                motor.ctrl[0] = speed * share
            mujoco.mj_step(self.model, self.data)
            yaw = self.yaw
            c, s = math.cos(yaw), math.sin(yaw)
            vx, vy = self.data.qvel[:2]
            way += np.array([c * vx + s * vy, c * vy - s * vx]) * dt
            turned += math.remainder(yaw - last, math.tau)
            last = yaw
        return way, turned, {name: self.data.joint(f"r_{name}_joint").qpos[0] - start for name, start in begin.items()}


def wheels_of_diff_drive(config: dict, v: float, w: float) -> dict[str, float]:
    half = config["wheel_separation"] * config.get("wheel_separation_multiplier", 1.0) / 2
    sides = {"left_joints": v - half * w, "right_joints": v + half * w}
    return {
        joint.removesuffix("_joint"): speed / config["wheel_radius"]
        for side, speed in sides.items()
        for joint in config[side]
    }


def wheels_of_mecanum(config: dict, vx: float, vy: float, w: float) -> dict[str, float]:
    arm = (config["wheel_separation_x"] + config["wheel_separation_y"]) / 2
    signs = {"front_left": (-1, -1), "front_right": (1, 1), "rear_left": (1, -1), "rear_right": (-1, 1)}
    return {
        config["wheels"][wheel].removesuffix("_joint"): (vx + side * vy + turn * arm * w) / config["wheel_radius"]
        for wheel, (side, turn) in signs.items()
    }


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_file_compiles_alone_in_milliseconds_without_warnings(robot):
    begin = time.perf_counter()
    model = mujoco.MjModel.from_xml_path(str(xml(robot)))
    assert time.perf_counter() - begin < 0.5
    assert model.body("base_link").parentid == 0
    assert not any(kind == mujoco.mjtJoint.mjJNT_FREE for kind in model.jnt_type)
    assert model.nmesh == 0 and model.ntex == 0
    assert np.all(model.body_inertia[1:] > 0)


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_file_opens_with_a_sentence_that_says_what_it_is(robot):
    first = xml(robot).read_text().lstrip()
    assert first.startswith("<!-- ")
    assert first[5:].split(". ")[0].split(".\n")[0].endswith("for MuJoCo")


@pytest.mark.parametrize("robot", ROBOTS)
def test_robot_and_devices_weigh_what_the_data_sheet_says(robot):
    model = mujoco.MjModel.from_xml_path(str(xml(robot)))
    devices = [entry["spawn_sensor"]["model"] for entry in manifest(robot)["components"] if "spawn_sensor" in entry]
    files = [DEVICES_DIR / device / f"{device}.xml" for device in devices]
    total = model.body_subtreemass[0] + sum(mujoco.MjModel.from_xml_path(str(f)).body_subtreemass[0] for f in files)
    assert total == pytest.approx(MASS[robot], abs=1e-6 if robot != "ridgeback" else 2e-3)


@pytest.mark.parametrize("robot", ROBOTS)
def test_what_is_seen_does_not_collide_and_what_collides_is_not_seen(robot):
    model = mujoco.MjModel.from_xml_path(str(xml(robot)))
    seen = model.geom_group == 2
    assert set(model.geom_group) == {2, 3}
    assert not model.geom_contype[seen].any() and not model.geom_conaffinity[seen].any()
    assert model.geom_contype[~seen].all()


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_joint_and_frame_of_the_manifest_exists(robot):
    model = mujoco.MjModel.from_xml_path(str(xml(robot)))
    drive = next(iter(manifest(robot)["components"][0].values()))
    joints = drive.get("wheels", {}).values() or drive["left_joints"] + drive["right_joints"]
    for joint in joints:
        dof = model.joint(joint).id
        assert (model.actuator_trnid[:, 0] == dof).sum() == 1
    known = {model.body(i).name for i in range(model.nbody)} | set(manifest(robot)["frames"])
    assert {frame["parent"] for frame in manifest(robot)["frames"].values()} <= known
    mounts = [entry["spawn_sensor"] for entry in manifest(robot)["components"] if "spawn_sensor" in entry]
    assert {mount["parent"] for mount in mounts} <= known


@pytest.mark.parametrize("robot", ROBOTS)
def test_it_stands_still(robot):
    bench = Bench(robot)
    start = bench.data.qpos[:7].copy()
    bench.run(10.0)
    assert np.linalg.norm(bench.data.qpos[:3] - start[:3]) < 1e-4
    assert abs(bench.yaw) < 1e-4
    assert not bench.data.warning.number.any()


@pytest.mark.parametrize("robot", ROBOTS)
def test_a_wheel_reaches_its_speed_in_a_tenth_of_a_second(robot):
    bench = Bench(robot)
    drive = next(iter(manifest(robot)["components"][0].values()))
    speed = 0.3 * drive["max_linear_speed"] / drive["wheel_radius"]
    joints = list(drive.get("wheels", {}).values()) or drive["left_joints"] + drive["right_joints"]
    bench.run(0.1, **{joint.removesuffix("_joint"): speed for joint in joints})
    reached = [bench.data.joint(f"r_{joint}").qvel[0] for joint in joints]
    assert reached == pytest.approx([speed] * len(joints), rel=0.1)


def turned_wheels_of(config: dict, counted: dict[str, float]) -> tuple[float, float]:
    """The way in metres and the turn in radians that a differential drive's encoders mean."""
    left, right = (
        config["wheel_radius"] * np.mean([counted[joint.removesuffix("_joint")] for joint in config[side]])
        for side in ("left_joints", "right_joints")
    )
    return (left + right) / 2, (right - left) / (
        config["wheel_separation"] * config.get("wheel_separation_multiplier", 1.0)
    )


ARCS = [(0.9, 0.0), (-0.9, 0.0), (0.0, 0.9), (0.0, 0.2), (0.9, 0.5), (0.5, -0.9), (0.3, 0.2), (-0.5, 0.5)]


@pytest.mark.parametrize("dt", [0.002, 0.004])
@pytest.mark.parametrize(("v", "w"), ARCS)
@pytest.mark.parametrize("robot", DIFFERENTIAL)
def test_a_differential_drive_goes_where_its_wheels_say(robot, v, w, dt):
    config = component(robot, "diff_drive")
    wheels = wheels_of_diff_drive(config, v * config["max_linear_speed"], w * config["max_angular_speed"])
    way, turned, counted = Bench(robot, dt=dt).drive(wheels, 3.0)
    expected_way, expected_turn = turned_wheels_of(config, counted)
    assert abs(expected_way) + abs(expected_turn) > 0.1
    assert way[0] == pytest.approx(expected_way, rel=0.02, abs=0.003)
    assert turned == pytest.approx(expected_turn, rel=0.02, abs=0.006)


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("yaw", [0.0, math.pi / 4])
def test_skid_steering_turns_alike_under_every_cone_and_heading(cone, yaw):
    config = component("husky_a200", "diff_drive")
    for v, w in [(0.0, 1.0), (0.5, 0.5)]:
        _, turned, counted = Bench("husky_a200", cone=cone, yaw=yaw).drive(wheels_of_diff_drive(config, v, w), 3.0)
        assert turned == pytest.approx(turned_wheels_of(config, counted)[1], rel=0.02)


def test_the_skid_steer_separation_is_what_coulomb_friction_says():
    """Turning on the spot, a wheel at (a, b) slips so that the moments balance: the track widens by 1 + (a / b)^2."""
    config = component("husky_a200", "diff_drive")
    a, b = 0.256, 0.2854
    assert config["wheel_separation"] * config["wheel_separation_multiplier"] == pytest.approx(
        2 * b * (1 + (a / b) ** 2), rel=0.01
    )


@pytest.mark.parametrize("dt", [0.002, 0.004])
@pytest.mark.parametrize(
    "command", [(0.5, 0, 0), (0, 0.5, 0), (0.4, -0.4, 0), (0, 0, 0.8), (0.5, 0, 0.4), (0.3, 0.3, -0.4), (0, -0.6, 0.3)]
)
def test_mecanum_wheels_go_where_they_say(command, dt):
    config = component("ridgeback", "omni_drive")
    way, turned, counted = Bench("ridgeback", dt=dt).drive(wheels_of_mecanum(config, *command), 3.0)
    left, right, rear_left, rear_right = (
        counted[config["wheels"][wheel].removesuffix("_joint")] * config["wheel_radius"] / 4
        for wheel in ("front_left", "front_right", "rear_left", "rear_right")
    )
    expected = np.array([left + right + rear_left + rear_right, right + rear_left - left - rear_right])
    arm = (config["wheel_separation_x"] + config["wheel_separation_y"]) / 2
    assert np.linalg.norm(way - expected) <= 0.02 * np.linalg.norm(expected) + 0.004
    assert turned == pytest.approx((right + rear_right - left - rear_left) / arm, rel=0.02, abs=0.006)


def test_mecanum_wheels_roll_smoothly():
    bench = Bench("ridgeback")
    heights = []
    config = component("ridgeback", "omni_drive")
    bench.run(1.0, **wheels_of_mecanum(config, 0.5, 0.0, 0.0))
    for _ in range(250):
        bench.run(0.004)
        heights.append(bench.data.qpos[2])
    assert max(heights) - min(heights) < 3e-4


@pytest.mark.parametrize("robot", ROBOTS)
def test_motors_told_to_stand_brake_it_on_a_slope(robot):
    """Velocity motors hold as dampers: wheels share m g sin(slope) r, so it rolls at m g sin(slope) r^2 / (n kv)."""
    bench = Bench(robot, slope=8.0)
    model, radius = bench.model, next(iter(manifest(robot)["components"][0].values()))["wheel_radius"]
    encoders = model.jnt_qposadr[model.actuator_trnid[:, 0]]
    start, counted = bench.data.qpos[0], bench.data.qpos[encoders].mean()
    bench.run(2.0)
    pull = model.body_subtreemass[0] * 9.81 * math.sin(math.radians(8.0))
    rolling = pull * radius**2 / (model.nu * -model.actuator_biasprm[0, 2])
    measured = (counted - bench.data.qpos[encoders].mean()) * radius / 2.0
    assert measured == pytest.approx(rolling, rel=0.06)
    assert abs((start - bench.data.qpos[0]) / 2.0 - measured) < 0.002  # what the contacts creep


@pytest.mark.parametrize("robot", ["husky_a200", "ridgeback"])
def test_it_slides_where_the_slope_is_steeper_than_the_friction(robot):
    bench = Bench(robot, slope=55.0)
    bench.run(1.0)
    assert bench.data.qvel[0] < -1.0


def test_a_robot_tips_over_where_its_weight_leaves_its_wheels():
    """A TurtleBot 4 has no wheel behind its axle: uphill it tips past atan(x / z) of its centre of mass."""
    stands, tips = Bench("turtlebot4", slope=10.0), Bench("turtlebot4", slope=30.0)
    for bench, limit in ((stands, 5.0), (tips, 180.0)):
        bench.run(2.0)
        w, x, y, z = bench.data.qpos[3:7]
        pitch = math.degrees(math.asin(max(-1.0, min(1.0, 2 * (w * y - z * x)))))
        assert (abs(pitch) < 5.0) == (limit == 5.0)


@pytest.mark.parametrize("robot", ["turtlebot4", "husky_a200"])
def test_a_push_across_moves_it_only_above_friction(robot):
    weight = 9.81 * MASS[robot]
    displacement = []
    for share in (0.3, 1.3):
        bench = Bench(robot)
        body = bench.model.body("r_base_link").id
        height = bench.model.body("r_base_link").ipos[2]
        bench.data.xfrc_applied[body, 1] = share * weight
        bench.data.xfrc_applied[body, 3] = (
            share * weight * (height + bench.data.qpos[2])
        )  # moves the force to the ground
        bench.run(0.5)
        displacement.append(abs(bench.data.qpos[1]))
    assert displacement[0] < 0.03
    assert displacement[1] > 0.1
