"""What every drive can be told: limits, rates, frames, odometry noise, scripted commands."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from roqsim.config.schema import need, opt

from roqsim_mobile.limits import AxisLimits
from roqsim_mobile.odometry import VelocityNoise


@dataclass(frozen=True, kw_only=True)
class OdomNoiseConfig:
    """How the wheels' velocities are misread before they are integrated; the robot itself moves as physics says."""

    linear_scale: float = opt(1.0, gt=0)
    """Factor on linear velocities, such as a worn wheel's."""
    angular_scale: float = opt(1.0, gt=0)
    """Factor on the angular velocity, such as a wrong wheel separation's."""
    linear_stddev: float = opt(0.0, ge=0, unit="m/s")
    """Standard deviation of white noise on each linear velocity; above zero the run needs a seed."""
    angular_stddev: float = opt(0.0, ge=0, unit="rad/s")
    """Standard deviation of white noise on the angular velocity; above zero the run needs a seed."""

    def noise(self) -> VelocityNoise:
        """The noise as the odometer takes it."""
        return VelocityNoise(self.linear_scale, self.angular_scale, self.linear_stddev, self.angular_stddev)


@dataclass(frozen=True, kw_only=True)
class TestCommand:
    """A command of a script."""

    __test__ = False

    at: float = need(ge=0, unit="s")
    """When it begins, in simulated time."""
    linear: float = opt(0.0, unit="m/s")
    """Speed forward."""
    lateral: float = opt(0.0, unit="m/s")
    """Speed to the left; for holonomic drives."""
    angular: float = opt(0.0, unit="rad/s")
    """Angular velocity about z."""
    until: float | None = opt(None, unit="s")
    """When the robot is told to stop; the next command's beginning, else never, where nothing is said."""

    def __post_init__(self) -> None:
        if self.until is not None and self.until <= self.at:
            raise ValueError(f"until: expected a time > {self.at:g} s, when the command begins, got {self.until!r}")

    def velocity(self) -> tuple[float, float, float]:
        """What it commands: m/s along x and y, rad/s about z."""
        return self.linear, self.lateral, self.angular


@dataclass(frozen=True, kw_only=True)
class DriveConfig:
    """What every drive can be told."""

    max_linear_speed: float = need(gt=0, unit="m/s")
    """Greatest speed forward."""
    min_linear_speed: float | None = opt(None, le=0, unit="m/s")
    """Greatest speed backward, as a negative number; that of `max_linear_speed` where nothing is said."""
    max_linear_acceleration: float | None = opt(None, gt=0, unit="m/s^2")
    """Greatest increase of linear speed; unlimited where nothing is said."""
    max_linear_deceleration: float | None = opt(None, gt=0, unit="m/s^2")
    """Greatest decrease of linear speed; that of `max_linear_acceleration` where nothing is said."""
    max_angular_speed: float = need(gt=0, unit="rad/s")
    """Greatest angular velocity to the left."""
    min_angular_speed: float | None = opt(None, le=0, unit="rad/s")
    """Greatest angular velocity to the right, as a negative number; that to the left where nothing is said."""
    max_angular_acceleration: float | None = opt(None, gt=0, unit="rad/s^2")
    """Greatest increase of angular velocity; unlimited where nothing is said."""
    max_angular_deceleration: float | None = opt(None, gt=0, unit="rad/s^2")
    """Greatest decrease of angular velocity; that of `max_angular_acceleration` where nothing is said."""
    command_timeout: float = opt(0.5, ge=0, unit="s")
    """Simulated time after which a command that is not renewed becomes a stop; 0 for never."""
    control_rate_hz: float = opt(50.0, gt=0, unit="Hz")
    """How often commands reach the wheels and encoders are read."""
    speed_loop_gain: float = opt(15.0, ge=0, unit="1/s")
    """Integral gain of the wheels' speed loops; 0 leaves the actuators' own law alone."""
    odom_rate_hz: float | None = opt(None, gt=0, unit="Hz")
    """How often odometry and joint states are published; `control_rate_hz` where nothing is said."""
    odom_frame: str = opt("odom")
    """Frame of the odometry's pose."""
    base_frame: str = opt("base_link")
    """Frame that the odometry places."""
    publish_odom_tf: bool = opt(True)
    """Whether a transport also publishes the odometry as a transform."""
    odom_noise: OdomNoiseConfig | None = opt(None)
    """How the odometry is wrong; exact encoders where nothing is said."""
    stamped: bool = opt(False)
    """Whether ROS commands are TwistStamped instead of Twist."""
    test_cmd: tuple[TestCommand, ...] = opt(())
    """A script of commands that goes before any other while it lasts."""
    topics: dict[str, str] = opt(factory=dict)
    """Topic by endpoint name, where a transport should use another one."""

    def __post_init__(self) -> None:
        starts = [command.at for command in self.test_cmd]
        if starts != sorted(set(starts)):
            raise ValueError(f"test_cmd: expected commands in the order of 'at', got {starts}; sort them")

    def linear_limits(self) -> AxisLimits:
        """The limits along x."""
        lowest = -self.max_linear_speed if self.min_linear_speed is None else self.min_linear_speed
        return axis_limits(lowest, self.max_linear_speed, self.max_linear_acceleration, self.max_linear_deceleration)

    def angular_limits(self) -> AxisLimits:
        """The limits about z."""
        lowest = -self.max_angular_speed if self.min_angular_speed is None else self.min_angular_speed
        return axis_limits(lowest, self.max_angular_speed, self.max_angular_acceleration, self.max_angular_deceleration)


def axis_limits(lowest: float, highest: float, acceleration: float | None, deceleration: float | None) -> AxisLimits:
    """Limits in which None means none, and a missing deceleration is the acceleration's."""
    acceleration = inf if acceleration is None else acceleration
    return AxisLimits(lowest, highest, acceleration, acceleration if deceleration is None else deceleration)
