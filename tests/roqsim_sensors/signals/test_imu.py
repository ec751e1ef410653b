from __future__ import annotations

import math

import numpy as np
import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import read
from roqsim.errors import ConfigError, RoqsimError
from roqsim.mj import poses
from roqsim_sensors.plugins.imu import Imu, ImuConfig, rotation

G = 9.81
BLOCK = "<worldbody><body name='base'><geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody>"
TURNTABLE = """<worldbody><body name='base'><geom size='.05' mass='1'/><body name='disc' pos='0 0 .5'>
<joint name='axis' axis='0 0 1'/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .2'/>
<site name='rim' pos='.3 0 0' euler='0 0 90'/></body></body></worldbody>
<actuator><motor name='drive' joint='axis'/></actuator>"""
TUMBLER = """<worldbody><body name='base' pos='0 0 0'><inertial pos='.02 -.01 .03' mass='2' diaginertia='.02 .03 .04'/>
<geom type='box' size='.1 .1 .1' mass='0'/><site name='imu' pos='.1 -.2 .15' euler='20 40 -70'/></body></worldbody>
<sensor><gyro name='gyro' site='imu'/><accelerometer name='accel' site='imu'/></sensor>"""


@pytest.fixture
def imu(carrier):
    def make(
        mjcf: str = BLOCK, *others: dict, motion: str = "static", sim=None, seed=None, pose=None, mount=None, **config
    ):
        """``pose`` places the carrier, ``mount`` the sensor on it."""
        spawn = {} if pose is None else {"pose": pose}
        config = config if mount is None else {"pose": mount, **config}
        entry = {"imu": {"rate_hz": 100, **config}}
        engine = carrier(mjcf, entry, *others, motion=motion, sim=sim, seed=seed, **spawn)
        return engine, engine.ctx.interface.get("bot", "imu")

    return make


def drop(height: float = 3.0) -> dict:
    return {"position": [0, 0, height]}


@pytest.mark.parametrize("motion", ["static", "physics", "driven"])
def test_at_rest_it_reads_gravity_upwards(imu, motion):
    engine, endpoint = imu(motion=motion, pose={"position": [0, 0, 0.1]})
    engine.advance(1000)
    data = endpoint.read()
    assert data.linear_acceleration == pytest.approx([0, 0, G], abs=1e-3)
    assert data.angular_velocity == pytest.approx([0, 0, 0], abs=1e-3)
    assert data.quaternion == pytest.approx([1, 0, 0, 0], abs=1e-4)


def test_straight_after_a_reset_it_reads_gravity_and_not_zero(imu):
    engine, endpoint = imu(motion="physics", pose={"position": [0, 0, 0.09999]})
    for _ in range(2):
        assert endpoint.read().stamp_ns == 0
        assert endpoint.read().linear_acceleration[2] == pytest.approx(G, abs=1.0)
        engine.advance(50)
        engine.reset()


def test_in_free_fall_it_reads_nothing(imu):
    engine, endpoint = imu(motion="physics", pose=drop())
    for _ in range(20):
        engine.advance(10)
        assert endpoint.read().linear_acceleration == pytest.approx([0, 0, 0], abs=1e-9)


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ({"roll": math.pi}, (0, 0, -G)),
        ({"roll": math.pi / 2}, (0, G, 0)),
        ({"pitch": 0.3}, (-G * math.sin(0.3), 0, G * math.cos(0.3))),
        ({"yaw": 1.0}, (0, 0, G)),
    ],
)
def test_gravity_is_read_along_the_axes_of_a_turned_device(imu, turn, expected):
    _, endpoint = imu(pose={"position": [0, 0, 1], "orientation": {"yaw": 2.0}})
    _, turned = imu(pose={"position": [0, 0, 1], "orientation": {"yaw": 2.0}}, mount={"orientation": turn})
    assert endpoint.read().linear_acceleration == pytest.approx([0, 0, G])
    assert turned.read().linear_acceleration == pytest.approx(expected, abs=1e-9)


def test_the_world_itself_can_carry_one(world):
    engine = world({"components": [{"imu": {"pose": {"orientation": {"roll": math.pi}}}}]})
    data = engine.ctx.interface.get("", "imu").read()
    assert data.linear_acceleration == pytest.approx([0, 0, -G])
    assert (data.frame_id, data.stamp_ns) == ("world", 0)


@pytest.mark.parametrize("place", [{"body": "disc", "mount": {"position": [0.3, 0, 0]}}, {"site": "rim"}])
def test_on_a_turning_arm_it_reads_the_centripetal_acceleration(imu, place):
    speed = 4.0
    engine, endpoint = imu(TURNTABLE, pose=drop(1.0), **place)
    engine.ctx.data.qvel[0] = speed
    engine.ctx.state_changed()
    engine.advance(100)
    data = endpoint.read()
    inwards = [-(speed**2) * 0.3, 0, G] if "body" in place else [0, speed**2 * 0.3, G]
    assert data.linear_acceleration == pytest.approx(inwards, abs=1e-9)
    assert data.angular_velocity == pytest.approx([0, 0, speed], abs=1e-9)


def test_on_an_arm_that_speeds_up_it_reads_the_tangential_acceleration(imu):
    engine, endpoint = imu(TURNTABLE, pose=drop(1.0), body="disc", mount={"position": [0.3, 0, 0]})
    endpoint.has_subscribers = True
    engine.ctx.data.ctrl[0] = 0.5
    engine.advance(50)
    data = endpoint.read()
    at = data.stamp_ns * 1e-9
    speed = 0.5 / 0.2 * at
    assert data.angular_velocity[2] == pytest.approx(speed, rel=1e-9)
    assert data.linear_acceleration == pytest.approx([-(speed**2) * 0.3, 0.5 / 0.2 * 0.3, G], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("place", [
    {"site": "imu"},
    {"mount": {"position": [0.1, -0.2, 0.15],
               "orientation": list(poses.from_euler(*np.radians([20, 40, -70])))}},
])  # fmt: skip
def test_it_agrees_with_mujocos_own_gyro_and_accelerometer_in_a_tumble(imu, place):
    """The body turns, falls, hits the floor and bounces; MuJoCo's sensors are an independent implementation."""
    mjcf = TUMBLER.replace(
        "euler='20 40 -70'", "quat='{} {} {} {}'".format(*poses.from_euler(*np.radians([20, 40, -70])))
    )
    engine, endpoint = imu(mjcf, motion="physics", pose=drop(0.5), rate_hz=500, **place)
    endpoint.has_subscribers = True
    engine.ctx.data.qvel[3:6] = [3.0, -5.0, 2.0]
    engine.ctx.state_changed()
    engine.step()
    for _ in range(400):
        engine.step()
        data = endpoint.read()
        assert data.stamp_ns == (engine.ctx.tick - 1) * 2_000_000
        assert data.angular_velocity == pytest.approx(engine.ctx.data.sensor("bot_gyro").data, abs=1e-9)
        assert data.linear_acceleration == pytest.approx(engine.ctx.data.sensor("bot_accel").data, abs=1e-6)


def test_the_orientation_is_that_of_the_solve_that_the_stamp_names(imu):
    engine, endpoint = imu(TURNTABLE, pose=drop(1.0), body="disc", rate_hz=500)
    endpoint.has_subscribers = True
    engine.ctx.data.qvel[0] = 10.0
    engine.ctx.state_changed()
    engine.advance(2)
    before = float(engine.ctx.data.qpos[0])
    engine.step()
    data = endpoint.read()
    assert data.stamp_ns == 2 * 2_000_000
    assert poses.yaw_of(data.quaternion.tolist()) == pytest.approx(before, abs=1e-12)


def test_a_device_without_an_orientation_says_so(imu):
    _, endpoint = imu(orientation=False, orientation_stddev=[1, 1, 1])
    data = endpoint.read()
    assert data.quaternion is None
    assert data.orientation_covariance[0, 0] == -1.0


def series(engine, endpoint, count: int) -> tuple[np.ndarray, np.ndarray]:
    endpoint.has_subscribers = True
    found = []
    for _ in range(count):
        engine.advance(endpoint.rate.every_steps)
        data = endpoint.read()
        found.append((data.angular_velocity, data.linear_acceleration))
    rates, forces = zip(*found, strict=True)
    return np.array(rates), np.array(forces)


@pytest.mark.parametrize("rate_hz", [50, 250])
def test_white_noise_has_the_density_of_the_data_sheet_at_every_rate(imu, rate_hz):
    engine, endpoint = imu(rate_hz=rate_hz, gyro_noise_density=0.002, accel_noise_density=0.01)
    rates, forces = series(engine, endpoint, 1500)
    assert rates.std(axis=0) == pytest.approx([0.002 * math.sqrt(rate_hz)] * 3, rel=0.08)
    assert forces.std(axis=0) == pytest.approx([0.01 * math.sqrt(rate_hz)] * 3, rel=0.08)
    correlation = np.corrcoef(np.hstack([rates, forces]).T) - np.eye(6)
    assert np.abs(correlation).max() < 0.12
    data = endpoint.read()
    assert np.diag(data.angular_velocity_covariance) == pytest.approx([0.002**2 * rate_hz] * 3)
    assert np.diag(data.linear_acceleration_covariance) == pytest.approx([0.01**2 * rate_hz] * 3)


def test_the_bias_walks_with_the_stated_strength(imu):
    """Steps between measurements are independent, with the variance of the strength squared times the period."""
    engine, endpoint = imu(rate_hz=100, gyro_random_walk=0.1, accel_random_walk=0.5)
    rates, forces = series(engine, endpoint, 2000)
    for values, strength in ((rates, 0.1), (forces, 0.5)):
        steps = np.diff(values, axis=0)
        assert steps.std(axis=0) == pytest.approx([strength * 0.1] * 3, rel=0.06)
        assert abs(np.corrcoef(steps[1:, 0], steps[:-1, 0])[0, 1]) < 0.07


def test_a_late_reader_finds_the_same_bias_as_one_that_read_all_along(imu):
    values = []
    for watched in (True, False):
        engine, endpoint = imu(gyro_random_walk=0.1, accel_bias_instability=0.2)
        endpoint.has_subscribers = watched
        engine.advance(2000)
        data = endpoint.read()
        values.append((data.angular_velocity.tolist(), data.linear_acceleration.tolist()))
    assert values[0] == values[1]


def test_errors_of_scale_alignment_range_and_resolution_are_made(imu):
    _, endpoint = imu(
        accel_scale_error=[0, 0, 0.01],
        accel_misalignment=[0.02, 0, 0],
        accel_bias=[0.5, 0, 0],
        gyro_bias=[0.013, -9.0, 0],
        gyro_range=4.0,
        gyro_resolution=0.005,
    )
    data = endpoint.read()
    assert data.linear_acceleration == pytest.approx([0.5, G * math.sin(0.02), 1.01 * G * math.cos(0.02)])
    assert data.angular_velocity == pytest.approx([0.015, -4.0, 0])


def test_an_estimated_orientation_has_the_stated_errors(imu):
    engine, endpoint = imu(orientation_stddev=[0.01, 0.02, 0.1], rate_hz=250)
    endpoint.has_subscribers = True
    angles = []
    for _ in range(1500):
        engine.advance(2)
        angles.append(poses.to_euler(endpoint.read().quaternion.tolist()))
    assert np.std(angles, axis=0) == pytest.approx([0.01, 0.02, 0.1], rel=0.08)
    assert np.diag(endpoint.read().orientation_covariance) == pytest.approx([1e-4, 4e-4, 1e-2])


def test_unwatched_it_costs_mujoco_no_sensor_and_draws_nothing(imu):
    engine, endpoint = imu(TUMBLER, motion="physics", pose=drop(), gyro_random_walk=0.1)
    own = [
        index for index in range(engine.ctx.model.nsensor) if engine.ctx.model.sensor(index).name.startswith("bot.imu")
    ]
    assert len(own) == 4
    stages = engine.ctx.model.sensor_needstage
    assert not stages[own].any()
    endpoint.has_subscribers = True
    engine.advance(10)
    assert stages[own].all()
    endpoint.has_subscribers = False
    engine.advance(10)
    assert not stages[own].any()


def test_measuring_leaves_the_trajectory_as_it_is(imu):
    states = []
    for watched in (False, True):
        engine, endpoint = imu(TUMBLER, motion="physics", pose=drop(0.5))
        endpoint.has_subscribers = watched
        engine.ctx.data.qvel[3:6] = [3.0, -5.0, 2.0]
        engine.advance(400)
        states.append(engine.ctx.data.qpos.tobytes() + engine.ctx.data.qvel.tobytes())
    assert states[0] == states[1]


def test_a_command_between_two_steps_is_measured_from_a_solve_of_the_new_state(imu):
    engine, endpoint = imu(motion="physics", pose={"position": [0, 0, 0.1]})
    engine.advance(500)
    assert endpoint.read().linear_acceleration[2] == pytest.approx(G, abs=1e-3)
    engine.ctx.post(lambda ctx: ctx.data.qpos.__setitem__(2, 5.0))
    engine.idle()
    data = endpoint.read()
    assert data.linear_acceleration == pytest.approx([0, 0, 0], abs=1e-6)
    assert data.stamp_ns == engine.ctx.time_ns


def test_a_delay_counts_from_the_time_of_the_solve(imu):
    engine, endpoint = imu(TURNTABLE, pose=drop(1.0), body="disc", rate_hz=50, delay=0.006)
    stamps = []
    for _ in range(35):
        data = endpoint.read()
        stamps.append(None if data is None else round(data.stamp_ns / 2e6))
        engine.step()
    # The first measurement is of the state at tick 10, those after it of the solve one step before the due tick.
    assert stamps == [None] * 13 + [10] * 9 + [19] * 10 + [29] * 3


def test_a_fault_adds_a_bias_while_it_is_active(imu):
    engine, endpoint = imu(fault={"gyro_bias": [0.5, 0, 0]})
    switch = engine.ctx.blackboard.require("sensor_fault:bot.imu")
    switch.set_active(True)
    engine.advance(5)
    assert endpoint.read().angular_velocity == pytest.approx([0.5, 0, 0], abs=1e-9)
    engine.reset()
    assert endpoint.read().angular_velocity == pytest.approx([0, 0, 0], abs=1e-9)


def test_a_rotation_vector_turns_about_itself():
    assert rotation([0.0, 0.0, 0.0]) == (1.0, 0.0, 0.0, 0.0)
    assert poses.to_euler(rotation([0.0, 0.0, 0.4])) == pytest.approx((0, 0, 0.4))
    assert poses.to_euler(rotation([0.3, 0.0, 0.0])) == pytest.approx((0.3, 0, 0))


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{gyro_noise_density: -1}", r"imu\.gyro_noise_density: expected float >= 0 \(rad/s/√Hz\), got -1"),
        ("{accel_bias: [1, 2]}", r"imu\.accel_bias: expected a list of 3 float \(m/s²\), got"),
        ("{accel_scale_error: [2, 0, 0]}", r"imu\.accel_scale_error\[0\]: expected float > -1 and < 1, got 2"),
        ("{bias_correlation_time: 0}", r"imu\.bias_correlation_time: expected float > 0 \(s\), got 0"),
        ("{gyro_range: 0}", r"imu\.gyro_range: expected float > 0 \(rad/s\), got 0"),
        ("{fault: {gyro_random_walk: 1}}", r"imu\.fault\.gyro_random_walk: expected a key that a fault may change"),
    ],
)
def test_a_wrong_value_is_named_with_its_rule(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(ImuConfig, loads(config, "w.yaml"), "imu")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"body": "bse"}, r"bot\.imu\.body: expected the name of a body, got 'bse'; did you mean 'base'\?"),
        ({"site": "tip"}, r"bot\.imu\.site: expected the name of a site, got 'tip'"),
        ({"rate_hz": 1000}, r"bot\.imu\.post_step: expected a rate <= 500 Hz"),
    ],
)
def test_what_the_entity_does_not_have_is_named(imu, config, expected):
    with pytest.raises(RoqsimError, match=expected):
        imu(**config)


def test_two_units_of_one_robot_have_names_and_noise_of_their_own(imu):
    engine, endpoint = imu(BLOCK, {"imu": {"gyro_noise_density": 0.1}, "name": "spare"}, gyro_noise_density=0.1)
    spare = engine.ctx.interface.get("bot", "spare")
    assert Imu.message == spare.backend["ros2"]["type"] == "sensor_msgs.msg.Imu"
    assert endpoint.read().angular_velocity.tolist() != spare.read().angular_velocity.tolist()


def test_on_a_single_box_of_a_population_that_falls_it_feels_no_weight(world):
    box = {"name": "crate", "pose": {"position": {"z": 3.0}}}
    pile = {"boxes": {"size": [0.2, 0.2, 0.2], "instances": [box]}, "components": [{"imu": {"rate_hz": 100}}]}
    engine = world({"components": [pile]})
    engine.advance(200)
    assert engine.ctx.interface.get("crate", "imu").read().linear_acceleration == pytest.approx([0, 0, 0], abs=1e-9)
