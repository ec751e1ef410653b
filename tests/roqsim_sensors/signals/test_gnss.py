from __future__ import annotations

import math

import numpy as np
import pymap3d
import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import read
from roqsim.errors import ConfigError
from roqsim_sensors.plugins.gnss import GnssConfig

DATUM = {"latitude": 48.1374, "longitude": 11.5755, "altitude": 565.0}
CAR = """<worldbody><body name='base'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/>
<geom type='box' size='.1 .1 .1' mass='0'/><site name='antenna' pos='0.5 0 1'/></body></worldbody>"""


@pytest.fixture
def receiver(carrier):
    def make(*, motion="static", at=(0, 0, 0.1), yaw=0.0, seed=None, **config):
        entry = {"gnss": {"rate_hz": 10, "datum": DATUM, **config}}
        mjcf = CAR.replace("<freejoint/>", "")
        pose = {"position": list(at), "orientation": {"yaw": yaw}}
        engine = carrier(mjcf, entry, motion=motion, pose=pose, seed=seed)
        return engine, engine.ctx.interface.get("bot", "fix"), engine.ctx.interface.get("bot", "vel")

    return make


def enu(fix, datum=DATUM) -> np.ndarray:
    """``(3,)`` where a fix lies from the datum, by the library."""
    position = pymap3d.geodetic2enu(fix.latitude, fix.longitude, fix.altitude, *datum.values())
    return np.array([float(value) for value in position])


@pytest.mark.parametrize("at", [(0, 0, 0), (100, 250, 3), (-1000, 20, 50)])
def test_a_perfect_receiver_knows_where_it_is(receiver, at):
    _, endpoint, _ = receiver(at=at)
    fix = endpoint.read()
    assert enu(fix) == pytest.approx(at, abs=1e-6)
    assert (fix.status, fix.stamp_ns, fix.frame_id) == (0, 0, "base")
    assert not fix.position_covariance.any()


def test_the_antenna_is_where_its_site_and_pose_are(receiver):
    _, endpoint, _ = receiver(at=(10, 20, 0), yaw=math.pi / 2, site="antenna", pose={"position": [0, 0.2, 0]})
    assert enu(endpoint.read()) == pytest.approx([10 - 0.2, 20.5, 1.0], abs=1e-6)


def test_a_world_may_be_turned_against_the_north(receiver):
    """The world's x axis points north, its y axis west."""
    _, endpoint, _ = receiver(at=(100, 30, 0), datum={**DATUM, "yaw": math.pi / 2})
    assert enu(endpoint.read()) == pytest.approx([-30, 100, 0], abs=1e-6)


@pytest.mark.parametrize("yaw", [0.0, 1.1])
def test_the_velocity_is_that_of_the_antenna_to_east_north_and_up(receiver, yaw):
    engine, _, velocity = receiver(motion="physics", at=(0, 0, 50), site="antenna", datum={**DATUM, "yaw": yaw})
    engine.ctx.data.qvel[:] = [3.0, 1.0, 2.0, 0, 0, 4.0]
    engine.ctx.state_changed()
    data = velocity.read()
    vx, vy = 3.0, 1.0 + 4.0 * 0.5
    expected = [math.cos(yaw) * vx - math.sin(yaw) * vy, math.sin(yaw) * vx + math.cos(yaw) * vy, 2.0]
    assert data.linear == pytest.approx(expected)
    assert data.frame_id == "enu"
    assert velocity.backend["ros2"] == {"type": "geometry_msgs.msg.TwistStamped", "topic": "vel", "frame_id": "enu"}


def test_fix_and_velocity_are_one_measurement(receiver):
    engine, endpoint, velocity = receiver(motion="physics", at=(0, 0, 50))
    engine.advance(50)
    fix, twist = endpoint.read(), velocity.read()
    assert fix.stamp_ns == twist.stamp_ns == engine.ctx.time_ns
    engine.advance(7)
    assert endpoint.read() is fix
    assert velocity.read() is twist


def test_a_fall_is_seen_in_position_and_velocity_of_one_state(receiver):
    engine, endpoint, velocity = receiver(motion="physics", at=(0, 0, 50))
    engine.advance(100)
    n = engine.ctx.tick
    assert enu(endpoint.read())[2] == pytest.approx(50 - 0.5 * 9.81 * 0.002**2 * n * (n + 1), abs=1e-6)
    assert velocity.read().linear[2] == pytest.approx(-9.81 * 0.002 * n, rel=1e-9)


def samples(engine, endpoint, count: int) -> list:
    endpoint.has_subscribers = True
    found = []
    for _ in range(count):
        engine.advance(endpoint.rate.every_steps)
        found.append(endpoint.read())
    return found


def test_white_noise_and_covariance_are_those_of_the_configuration(receiver):
    engine, endpoint, velocity = receiver(
        rate_hz=250,
        horizontal_stddev=0.4,
        vertical_stddev=0.9,
        horizontal_velocity_stddev=0.05,
        vertical_velocity_stddev=0.1,
    )
    fixes = np.array([enu(fix) for fix in samples(engine, endpoint, 1200)])
    assert fixes.std(axis=0) == pytest.approx([0.4, 0.4, 0.9], rel=0.08)
    assert fixes.mean(axis=0) == pytest.approx([0, 0, 0.1], abs=0.08)
    assert abs(np.corrcoef(fixes[1:, 0], fixes[:-1, 0])[0, 1]) < 0.1
    assert np.diag(endpoint.read().position_covariance) == pytest.approx([0.16, 0.16, 0.81])
    speeds = np.array([sample.linear for sample in samples(engine, velocity, 1200)])
    assert speeds.std(axis=0) == pytest.approx([0.05, 0.05, 0.1], rel=0.08)
    assert np.diag(velocity.read().covariance) == pytest.approx([0.0025, 0.0025, 0.01, 0, 0, 0])


def test_a_slow_error_stays_for_its_correlation_time(receiver):
    engine, endpoint, _ = receiver(rate_hz=50, horizontal_drift=2.0, vertical_drift=3.0, drift_correlation_time=0.2)
    fixes = np.array([enu(fix) for fix in samples(engine, endpoint, 4000)])
    assert fixes.std(axis=0) == pytest.approx([2.0, 2.0, 3.0], rel=0.15)
    assert np.corrcoef(fixes[10:, 0], fixes[:-10, 0])[0, 1] == pytest.approx(math.exp(-1), abs=0.1)
    assert np.diag(endpoint.read().position_covariance) == pytest.approx([4.0, 4.0, 9.0])


def test_lost_fixes_say_so_and_carry_no_numbers(receiver):
    engine, endpoint, velocity = receiver(rate_hz=250, dropout_percent=30)
    fixes = samples(engine, endpoint, 1500)
    lost = [fix for fix in fixes if fix.status == -1]
    assert len(lost) / len(fixes) == pytest.approx(0.3, abs=0.04)
    assert all(math.isnan(value) for fix in lost for value in (fix.latitude, fix.longitude, fix.altitude))
    assert velocity.read() is None or fixes[-1].status == 0


def test_a_fault_takes_the_fix_away_and_gives_it_back(receiver):
    engine, endpoint, velocity = receiver(fix="gbas", fault={"no_fix": True})
    command = engine.ctx.interface.get("bot", "fault", "in")
    found = []
    for active in (False, True, False):
        command.write(active)
        engine.advance(50)
        found.append((endpoint.read().status, velocity.read() is None))
    assert found == [(2, False), (-1, True), (2, False)]


def test_a_delayed_fix_is_one_of_earlier(receiver):
    engine, endpoint, velocity = receiver(motion="physics", at=(0, 0, 50), delay=0.15)
    engine.advance(274)
    assert endpoint.read().stamp_ns == velocity.read().stamp_ns == 150 * 2_000_000
    engine.advance(1)
    fix = endpoint.read()
    assert fix.stamp_ns == 200 * 2_000_000
    assert enu(fix)[2] == pytest.approx(50 - 0.5 * 9.81 * 0.002**2 * 200 * 201, abs=1e-6)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{}", r"gnss\.datum: expected a mapping, got nothing"),
        (
            "{datum: {latitude: 91, longitude: 0}}",
            r"gnss\.datum\.latitude: expected float >= -90 and <= 90 \(deg\), got 91",
        ),
        ("{datum: {latitude: 1}}", r"gnss\.datum\.longitude: expected float >= -180 and <= 180 \(deg\), got nothing"),
        ("{datum: {latitude: 1, longitude: 2}, fix: rtk}", r"gnss\.fix: expected 'fix', 'sbas', 'gbas', got 'rtk'"),
        ("{datum: {latitude: 1, longitude: 2}, dropout_percent: 101}", r"gnss\.dropout_percent: expected float"),
        (
            "{datum: {latitude: 1, longitude: 2}, fault: {datum: {latitude: 3, longitude: 4}}}",
            r"gnss\.fault\.datum: expected a key that a fault may change, got 'datum'",
        ),
    ],
)
def test_a_wrong_value_is_named_with_its_rule(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(GnssConfig, loads(config, "w.yaml"), "gnss")
