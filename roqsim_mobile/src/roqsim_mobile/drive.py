"""The common part of every drive: commands in, wheel speeds out, odometry back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf, isfinite
from typing import ClassVar

from roqsim.context import Endpoint, Entity, JointStates, Odometry, RobotHandle, SimContext, Twist
from roqsim.errors import RoqsimError
from roqsim.plugin import Plugin

from roqsim_mobile.drive_config import DriveConfig, TestCommand
from roqsim_mobile.kinematics import Kinematics, saturate
from roqsim_mobile.limits import AxisLimits
from roqsim_mobile.odometry import Odometer
from roqsim_mobile.wheels import Wheels

STOP = (0.0, 0.0, 0.0)
"""The command to stand."""

MOST_READINGS = 256
"""How many readings of the encoders wait to be added up."""

MOST_GAIN = 0.5
"""The greatest share of a missing speed that a speed loop adds at once; more makes it swing."""


class Drive(Plugin):
    """Drives the robot it is nested under.

    A command is limited in speed and acceleration by axis, then, if a wheel would turn too fast, as a whole, so that
    its curve stays. Odometry is what the encoders mean, integrated from the beginning of the episode.
    """

    Config: ClassVar[type[DriveConfig]]
    reads_derived = False

    def wheel_joints(self) -> list[str]:
        """The wheel joints in the order of the kinematics' rows."""
        raise NotImplementedError

    def kinematics(self) -> Kinematics:
        """How wheels and body go together."""
        raise NotImplementedError

    def lateral_limits(self) -> AxisLimits:
        """The limits along y."""
        return AxisLimits(0.0, 0.0)

    def configure(self, ctx: SimContext) -> None:
        """Finds the wheels and offers command, odometry, joint states and a ``RobotHandle``."""
        config = self.config
        entity = ctx.owner_of(self)
        if entity is None:
            raise RoqsimError(
                f"{self.address}: expected to be nested under a robot, got no owner; move it into its `components:`"
            )
        self._ctx, self._entity = ctx, entity
        self._wheels = Wheels(ctx, entity, self.wheel_joints(), self.address)
        self._kinematics = self.kinematics()
        self._limits = (config.linear_limits(), self.lateral_limits(), config.angular_limits())
        rate = ctx.schedule(self, "pre_step", config.control_rate_hz)
        self._period, self._every = rate.period, rate.every_steps
        self._gain = min(config.speed_loop_gain * rate.period, MOST_GAIN)
        self._timeout_ticks = config.command_timeout / ctx.dt + 1e-9 if config.command_timeout else inf
        self._script = _script(config.test_cmd, ctx.dt)
        noise = config.odom_noise.noise() if config.odom_noise is not None else None
        self._is_random = noise is not None and noise.is_random
        self._odometer = Odometer(noise, self._kinematics.is_holonomic)
        self._is_warned = False
        self._restart()
        entity.meta["base_frame"], entity.meta["odom_frame"] = config.base_frame, config.odom_frame
        ctx.blackboard.set(f"robot:{entity.name}", RobotHandle(entity.name, self.command, self._read_odometer))
        self._offer_endpoints(ctx, entity)

    def _offer_endpoints(self, ctx: SimContext, entity: Entity) -> None:
        config = self.config
        rate_hz = config.odom_rate_hz or config.control_rate_hz
        twist = "geometry_msgs.msg.TwistStamped" if config.stamped else "geometry_msgs.msg.Twist"
        frames = {"frame_id": config.odom_frame, "child_frame_id": config.base_frame, "tf": config.publish_odom_tf}
        ports = (
            ("cmd_vel", {"write": self._receive, "doc": "Velocity to drive with, in the base's frame."},
             {"type": twist}),
            ("odom", {"read": self._odometry, "doc": "Pose and velocity as the wheels count them."},
             {"type": "nav_msgs.msg.Odometry", **frames}),
            ("joint_states", {"read": self._joint_states, "doc": "Angles, speeds and torques of the wheels."},
             {"type": "sensor_msgs.msg.JointState"}),
        )  # fmt: skip
        for name, call, hints in ports:
            is_out = "read" in call
            ctx.interface.add(
                Endpoint(
                    name,
                    "out" if is_out else "in",
                    entity.name,
                    rate_hz=rate_hz if is_out else None,
                    namespace=entity.namespace,
                    backend={"ros2": {**hints, "topic": self.topic_override(name) or name}},
                    reads_derived=False,
                    **call,
                )
            )

    def on_reset(self, ctx: SimContext) -> None:
        """Forgets commands and begins the odometry anew."""
        self._restart()

    def _restart(self) -> None:
        self._command, self._command_tick = STOP, None
        self._last, self._reached = STOP, STOP
        self._speeds = [0.0] * len(self._wheels.joints)
        self._wheels.reset()
        self._odometer.reset()
        self._readings = [self._wheels.angles()]
        self._counted_tick = self._ctx.tick

    # Commands

    def command(self, vx: float, vy: float, w: float) -> None:
        """Commands a body velocity; on the physics thread only.

        Args:
            vx: Forward, m/s.
            vy: To the left, m/s; a drive that can't move sideways leaves it out and says so once.
            w: About z, rad/s.

        Raises:
            RoqsimError: If one of them is NaN or infinite; the command before stays in force.
        """
        if not (isfinite(vx) and isfinite(vy) and isfinite(w)):
            raise RoqsimError(
                f"{self.address}.cmd_vel: expected finite velocities, got {(vx, vy, w)}; the command is dropped"
            )
        if vy and not self._kinematics.is_holonomic and not self._is_warned:
            self._is_warned = True
            self._ctx.log.warning(
                "%s.cmd_vel: expected no sideways velocity, got %g m/s; it is left out", self.address, vy
            )
        self._command, self._command_tick = (vx, vy, w), self._ctx.tick

    def _receive(self, payload: Twist) -> None:
        try:
            velocity = (float(payload.linear[0]), float(payload.linear[1]), float(payload.angular[2]))
        except (AttributeError, IndexError, TypeError, ValueError):
            raise RoqsimError(f"{self.address}.cmd_vel: expected a Twist, got {payload!r}") from None
        self.command(*velocity)

    def _target(self, tick: int) -> tuple[float, float, float]:
        """What is to be done at a tick: the script's command, else the last one, else nothing."""
        for begin, end, command in self._script:
            if begin <= tick < end:
                return command
        if self._command_tick is None or tick - self._command_tick > self._timeout_ticks:
            return STOP
        return self._command

    def pre_step(self, ctx: SimContext) -> None:
        """Counts what the wheels did and sends the limited command to them."""
        entity, tick = self._entity, ctx.tick
        if not entity.present or (entity.carrier is not None and not ctx.entities.is_present(entity)):
            return
        if tick != self._counted_tick:
            self._count(tick)
        if ctx.manual_control:
            self._integrate()
            self._last, self._reached = self._odometer.velocity, None
            self._wheels.reset()
            return
        target = self._target(tick)
        if target != self._reached:
            self._approach(target)
        self._wheels.drive(self._speeds, self._gain)

    def _approach(self, target: tuple[float, float, float]) -> None:
        """Sets the wheel speeds for this period: as near to the target as the limits allow."""
        last = self._last
        vx, vy, w = (
            limits.next(wanted, before, self._period)
            for limits, wanted, before in zip(self._limits, target, last, strict=True)
        )
        speeds = self._kinematics.wheel_speeds(vx, vy, w)
        share = saturate(speeds, self._wheels.limits)
        if share < 1.0:
            vx, vy, w = vx * share, vy * share, w * share
            speeds = [speed * share for speed in speeds]
        self._last, self._speeds = (vx, vy, w), speeds
        # A velocity that stays is the target, or what the limits leave of it.
        self._reached = target if self._last == last else None

    # Odometry

    def _count(self, tick: int) -> None:
        """Takes down what the encoders say at a control tick; a reader or the next noise adds it up."""
        self._readings.append(self._wheels.angles())
        self._counted_tick = tick
        if self._is_random or len(self._readings) >= MOST_READINGS:
            self._integrate()

    def _integrate(self) -> None:
        """Adds what the encoders counted from one control tick to the next."""
        readings, self._readings = self._readings, self._readings[-1:]
        rng = self._ctx.rng_for(f"{self.address}.odom") if self._is_random and len(readings) > 1 else None
        for before, angles in pairwise(readings):
            dx, dy, turn = self._kinematics.body_motion(angles, before)
            self._odometer.add(dx, dy, turn, self._period, rng)

    def _catch_up(self) -> None:
        """Counts for a reader who comes between a control tick's physics and its ``pre_step``."""
        tick = self._ctx.tick
        if tick != self._counted_tick and not tick % self._every and self._ctx.entities.is_present(self._entity):
            self._count(tick)
        self._integrate()

    def _read_odometer(self) -> tuple[float, float, float, float, float, float]:
        self._catch_up()
        return *self._odometer.pose, *self._odometer.velocity

    def _odometry(self) -> Odometry:
        self._catch_up()
        odometer, config = self._odometer, self.config
        vx, vy, w = odometer.velocity
        return Odometry(
            round(self._counted_tick * self._ctx.dt * 1e9),
            config.odom_frame,
            config.base_frame,
            *odometer.pose,
            Twist((vx, vy, 0.0), (0.0, 0.0, w)),
            odometer.pose_covariance(),
            odometer.twist_covariance(),
        )

    def _joint_states(self) -> JointStates:
        return JointStates(self._ctx.time_ns, self._wheels.joints, *self._wheels.state())


def _script(commands: Sequence[TestCommand], dt: float) -> list[tuple[float, float, tuple[float, float, float]]]:
    """By command: the tick at which it begins, the one at which it is over, and its velocity."""
    begins = [round(each.at / dt) for each in commands]
    ends = [inf if each.until is None else round(each.until / dt) for each in commands]
    following = [*begins[1:], inf]
    return [
        (begin, min(end, after), each.velocity())
        for each, begin, end, after in zip(commands, begins, ends, following, strict=False)
    ]
