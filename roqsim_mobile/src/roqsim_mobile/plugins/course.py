"""A course: waypoints that a robot is driven along, with a report at the end."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, degrees, hypot, remainder, tau
from typing import Literal

from roqsim.config.angle import TURN
from roqsim.config.nodes import Node
from roqsim.config.schema import need, opt, read, read_value
from roqsim.context import Endpoint, Entity, RobotHandle, SimContext
from roqsim.errors import ConfigError, RoqsimError
from roqsim.plugin import Plugin

from roqsim_mobile.pursuit import Follower, Path, Pose, compose, relative, turn_to

HEADING_TOLERANCE = 0.05
"""How near the last waypoint's heading has to be met, rad."""

STANDING = 0.005
"""The speed in m/s and rad/s below which a robot stands, and the odometry can be compared with the truth."""

LONGEST_STOP = 2.0
"""How long a robot may take to stand before it is compared anyway, s."""


@dataclass(frozen=True, kw_only=True)
class _Mapping:
    x: float = need(unit="m")
    """East of the origin."""
    y: float = need(unit="m")
    """North of the origin."""
    yaw: float | None = opt(None, ge=-TURN, le=TURN, unit="rad")
    """Heading."""


@dataclass(frozen=True)
class Waypoint:
    """A place to pass.

    Attributes:
        x: In the world, m.
        y: In the world, m.
        yaw: Heading in rad: to be met at the last waypoint, to be kept on the way there while strafing. None for any.
    """

    x: float
    y: float
    yaw: float | None = None

    expected = "[x, y] or a mapping with 'x', 'y' and 'yaw'"

    @classmethod
    def from_node(cls, node: Node, where: str) -> Waypoint:
        """Reads ``[x, y]`` or ``{x: …, y: …, yaw: …}``.

        Raises:
            ConfigError: For anything else.
        """
        if node.is_mapping:
            place = read(_Mapping, node, where)
            return cls(place.x, place.y, place.yaw)
        return cls(*read_value(tuple[float, float], node, where))

    @staticmethod
    def json_schema() -> dict[str, object]:
        """The JSON Schema of what ``from_node`` reads."""
        number = {"type": "number"}
        pair = {"type": "array", "prefixItems": [number, number], "minItems": 2, "maxItems": 2}
        keys = {"x": number, "y": number, "yaw": {**number, "minimum": -TURN, "maximum": TURN}}
        mapping = {"type": "object", "properties": keys, "required": ["x", "y"], "additionalProperties": False}
        return {"anyOf": [pair, mapping]}


@dataclass(frozen=True, kw_only=True)
class CourseConfig:
    """A course and how it is driven."""

    waypoints: tuple[Waypoint, ...] = need(length=(1, 10_000))
    """Places in the world frame, in their order; the way begins where the robot stands."""
    robot: str | None = opt(None)
    """Robot that is driven; the one the course is nested under where nothing is said."""
    speed: float = opt(0.2, gt=0, unit="m/s")
    """Speed on a straight line."""
    lookahead: float = opt(0.3, gt=0, unit="m")
    """How far ahead the robot aims; corners are cut by about a quarter of it."""
    goal_tolerance: float = opt(0.05, gt=0, unit="m")
    """How near the last waypoint has to be met."""
    laps: int = opt(1, gt=0)
    """How often the waypoints are passed."""
    strafe: bool = opt(False)
    """Whether a holonomic robot moves sideways instead of turning."""
    localization: Literal["ground_truth", "odom"] = opt("ground_truth")
    """What the robot steers by: where it really is, or what its wheels count."""
    rate_hz: float = opt(10.0, gt=0, unit="Hz")
    """How often it steers."""
    max_time: float = opt(300.0, gt=0, unit="s")
    """Simulated time after which the course counts as failed and the run ends."""
    on_complete: Literal["stop", "hold"] = opt("stop")
    """Whether the run ends with the course, or goes on with the robot standing."""
    topics: dict[str, str] = opt(factory=dict)
    """Topic by endpoint name, where a transport should use another one."""


@dataclass(frozen=True)
class CourseStatus:
    """How far a course has come.

    Attributes:
        stamp_ns: The time of the state in nanoseconds.
        travelled: How far along the path the robot is, m.
        length: The whole path, m.
        path_length: How far the robot really went, m.
        is_complete: Whether it has arrived.
    """

    stamp_ns: int
    travelled: float
    length: float
    path_length: float
    is_complete: bool


class Course(Plugin):
    """Drives a robot along waypoints through its ``RobotHandle``, whatever its drive.

    At the end it reports the time, how far the robot really went, and by how much its odometry is wrong.
    """

    Config = CourseConfig

    def configure(self, ctx: SimContext) -> None:
        """Finds the robot and offers the endpoint ``course_status``."""
        self._ctx = ctx
        self._entity = self._robot(ctx)
        ctx.schedule(self, "pre_step", self.config.rate_hz)
        self._handle: RobotHandle | None = None
        self._begin(ctx)
        ctx.blackboard.set(f"course:{self.name}", self.status)
        ctx.interface.add(
            Endpoint(
                "course_status",
                "out",
                self._entity.name,
                read=self.status,
                rate_hz=self.config.rate_hz,
                namespace=self._entity.namespace,
                doc="How far the course has come.",
            )
        )

    def _robot(self, ctx: SimContext) -> Entity:
        if self.config.robot is not None:
            return ctx.entities.require(self.config.robot, f"{self.address}.robot")
        owner = ctx.owner_of(self)
        if owner is None:
            raise RoqsimError(
                f"{self.address}: expected a robot to drive, got none; nest the course under one or add 'robot: …'"
            )
        return owner

    def status(self) -> CourseStatus:
        """How far the course has come; on the physics thread."""
        travelled, length = self._station, self._follower.path.length
        return CourseStatus(self._ctx.time_ns, travelled, length, self._way, self._is_complete)

    def on_reset(self, ctx: SimContext) -> None:
        """Begins the course anew, from where the robot stands."""
        self._handle = ctx.blackboard.get(f"robot:{self._entity.name}")
        if self._handle is None:
            raise ConfigError(
                f"{self.address}: expected a robot with a drive, got {self._entity.name!r} without; "
                "add a diff_drive or omni_drive"
            )
        self._begin(ctx)

    def _begin(self, ctx: SimContext) -> None:
        config = self.config
        self._start = self._place = self._true_pose(ctx)
        places = [(point.x, point.y) for point in config.waypoints] * config.laps
        path = Path([(self._start[0], self._start[1]), *places])
        self._follower = Follower(path, config.lookahead, config.speed, config.strafe)
        self._station = self._way = 0.0
        self._is_complete = self._is_over = False
        self._arrival: float | None = None

    def _true_pose(self, ctx: SimContext) -> Pose:
        x, y, _ = ctx.data.xpos[self._entity.body].tolist()
        w, qx, qy, qz = ctx.data.xquat[self._entity.body].tolist()
        return x, y, atan2(2.0 * (w * qz + qx * qy), 1.0 - 2.0 * (qy * qy + qz * qz))

    def pre_step(self, ctx: SimContext) -> None:
        """Steers."""
        if self._is_over or not ctx.entities.is_present(self._entity):
            return
        place = self._true_pose(ctx)
        self._way += hypot(place[0] - self._place[0], place[1] - self._place[1])
        self._place = place
        pose = (
            place if self.config.localization == "ground_truth" else compose(self._start, self._handle.read_odom()[:3])
        )
        self._station = self._follower.advance(pose, self._station)
        if self._arrival is not None:
            self._report_standing(ctx, place)
        elif self._has_arrived(pose):
            self._arrival = ctx.sim_time
            self._handle.drive(0.0, 0.0, 0.0)
        elif ctx.sim_time > self.config.max_time:
            self._give_up(ctx)
        else:
            self._handle.drive(*self._velocity(pose))

    def _is_near(self, pose: Pose) -> bool:
        path, goal = self._follower.path, self.config.waypoints[-1]
        near = hypot(goal.x - pose[0], goal.y - pose[1]) <= self.config.goal_tolerance
        return near and path.length - self._station <= self.config.goal_tolerance + self.config.lookahead

    def _has_arrived(self, pose: Pose) -> bool:
        yaw = self.config.waypoints[-1].yaw
        return self._is_near(pose) and (
            yaw is None or abs(turn_to(pose[2], yaw)) <= abs(turn_to(0.0, HEADING_TOLERANCE))
        )

    def _velocity(self, pose: Pose) -> tuple[float, float, float]:
        yaw = self.config.waypoints[-1].yaw
        if yaw is not None and self._is_near(pose):
            return 0.0, 0.0, turn_to(pose[2], yaw)
        return self._follower.steer(pose, self._station, self._heading())

    def _heading(self) -> float | None:
        """The heading of the waypoint that the robot is on its way to, for strafing."""
        if not self.config.strafe:
            return None
        path, waypoints = self._follower.path, self.config.waypoints
        passed = sum(station <= self._station for station in path.stations) - 1
        return waypoints[min(passed, len(path.points) - 2) % len(waypoints)].yaw

    def _report_standing(self, ctx: SimContext, place: Pose) -> None:
        counted = self._handle.read_odom()
        is_standing = all(abs(speed) < STANDING for speed in counted[3:])
        if not is_standing and ctx.sim_time - self._arrival < LONGEST_STOP:
            self._handle.drive(0.0, 0.0, 0.0)
            return
        self._is_complete = self._is_over = True
        truth = relative(self._start, place)
        error = hypot(counted[0] - truth[0], counted[1] - truth[1])
        turned = degrees(abs(remainder(counted[2] - truth[2], tau)))
        text = f"course complete: {self._arrival:.1f} s, {self._way:.2f} m path"
        text = f"{text}, odometry error {error:.3f} m / {turned:.1f} deg"
        ctx.log.info("%s: %s", self.address, text)
        if self.config.on_complete == "stop":
            ctx.request_stop(text)

    def _give_up(self, ctx: SimContext) -> None:
        self._is_over = True
        self._handle.drive(0.0, 0.0, 0.0)
        path = self._follower.path
        text = f"course not complete after {ctx.sim_time:.1f} s, at {self._station:.2f} of {path.length:.2f} m"
        ctx.log.warning("%s: %s", self.address, text)
        ctx.request_stop(text, failed=True)
