"""The common part of every drive: commands in, wheel speeds out, odometry back."""

from __future__ import annotations

from math import inf, isfinite
from typing import ClassVar

from roqsim.context import Endpoint, Entity, JointStates, Odometry, RobotHandle, SimContext, Twist
from roqsim.errors import RoqsimError
from roqsim.plugin import Plugin

from roqsim_mobile.drive_config import DriveConfig
from roqsim_mobile.kinematics import Kinematics, saturate
from roqsim_mobile.limits import AxisLimits
from roqsim_mobile.odometry import Odometer
from roqsim_mobile.wheels import Wheels

STOP = (0.0, 0.0, 0.0)
"""The command to stand."""

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
        ctx.schedule(self, "post_step", config.control_rate_hz)
        self._period = rate.period
        self._gain = min(config.speed_loop_gain * rate.period, MOST_GAIN)
        self._timeout = config.command_timeout / ctx.dt + 1e-9 if config.command_timeout else inf
        self._script = [
            (round(entry.at / ctx.dt), inf if entry.until is None else round(entry.until / ctx.dt), entry.velocity())
            for entry in config.test_cmd
        ]
        self._noise = config.odom_noise.noise() if config.odom_noise is not None else None
        self._odometer = Odometer(self._noise, self._kinematics.is_holonomic)
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
        self._last = STOP
        self._wheels.reset()
        self._odometer.reset()
        self._angles = self._wheels.angles()
        self._odom_ns = self._ctx.time_ns

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
        self.command(float(payload.linear[0]), float(payload.linear[1]), float(payload.angular[2]))

    def _target(self, tick: int) -> tuple[float, float, float]:
        """What is to be done at a tick: the script's command, else the last one, else nothing."""
        scripted = None
        for begin, end, velocity in self._script:
            if tick < begin:
                break
            scripted = velocity if tick < end else None
        if scripted is not None:
            return scripted
        if self._command_tick is None or tick - self._command_tick > self._timeout:
            return STOP
        return self._command

    def pre_step(self, ctx: SimContext) -> None:
        """Sends the limited command to the wheels."""
        if not ctx.entities.is_present(self._entity):
            return
        if ctx.manual_control:
            self._last = self._odometer.velocity
            self._wheels.reset()
            return
        period, (last_x, last_y, last_w), (along, aside, about) = self._period, self._last, self._limits
        vx, vy, w = self._target(ctx.tick)
        vx, vy, w = along.next(vx, last_x, period), aside.next(vy, last_y, period), about.next(w, last_w, period)
        speeds = self._kinematics.wheel_speeds(vx, vy, w)
        share = saturate(speeds, self._wheels.limits)
        if share < 1.0:
            vx, vy, w = vx * share, vy * share, w * share
            speeds = [speed * share for speed in speeds]
        self._last = (vx, vy, w)
        self._wheels.drive(speeds, self._gain)

    # Odometry

    def post_step(self, ctx: SimContext) -> None:
        """Adds what the encoders counted."""
        if not ctx.entities.is_present(self._entity):
            return
        angles = self._wheels.angles()
        turned = [now - before for now, before in zip(angles, self._angles, strict=True)]
        self._angles = angles
        noise = self._noise
        rng = ctx.rng_for(f"{self.address}.odom") if noise is not None and noise.is_random else None
        self._odometer.add(*self._kinematics.body_motion(turned), self._period, rng)
        self._odom_ns = ctx.time_ns

    def _read_odometer(self) -> tuple[float, float, float, float, float, float]:
        return *self._odometer.pose, *self._odometer.velocity

    def _odometry(self) -> Odometry:
        odometer, config = self._odometer, self.config
        vx, vy, w = odometer.velocity
        return Odometry(
            self._odom_ns,
            config.odom_frame,
            config.base_frame,
            *odometer.pose,
            Twist((vx, vy, 0.0), (0.0, 0.0, w)),
            odometer.pose_covariance(),
            odometer.twist_covariance(),
        )

    def _joint_states(self) -> JointStates:
        return JointStates(self._ctx.time_ns, self._wheels.joints, *self._wheels.state())
