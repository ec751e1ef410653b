"""What endpoints carry: plain data with one stamp, free of every transport's types.

Stamps are nanoseconds of simulated time since the last reset. Quaternions are ``wxyz``. Units are SI.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Twist:
    """A velocity.

    Attributes:
        linear: ``(3,)`` m/s along the axes of the frame.
        angular: ``(3,)`` rad/s about the axes of the frame.
    """

    linear: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angular: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class PoseStamped:
    """A pose and velocity of a body.

    Attributes:
        stamp_ns: The time of the state in nanoseconds.
        frame_id: The frame of position and quaternion.
        child_frame_id: The frame that is placed, in whose axes the twist is given.
        position: ``(3,)`` metres.
        quaternion: ``(4,)`` wxyz.
        twist: The velocity of the child frame's origin, in its own axes.
    """

    stamp_ns: int
    frame_id: str
    child_frame_id: str
    position: np.ndarray
    quaternion: np.ndarray
    twist: Twist


@dataclass(frozen=True)
class Odometry:
    """A pose as the robot reckons it (REP-105).

    Attributes:
        stamp_ns: The time of the state in nanoseconds.
        frame_id: The frame of the pose, usually ``odom``.
        child_frame_id: The frame that is placed and in which the twist is given, usually ``base_link``.
        x: Metres along the frame's x axis.
        y: Metres along the frame's y axis.
        yaw: Radians about the frame's z axis, in (-pi, pi].
        twist: The velocity in the child frame.
        pose_covariance: ``(6, 6)`` covariance of x, y, z, roll, pitch, yaw in metres and radians.
        twist_covariance: ``(6, 6)`` covariance of the twist in m/s and rad/s.
    """

    stamp_ns: int
    frame_id: str
    child_frame_id: str
    x: float
    y: float
    yaw: float
    twist: Twist
    pose_covariance: np.ndarray
    twist_covariance: np.ndarray


@dataclass(frozen=True)
class JointStates:
    """Positions, velocities and efforts of joints.

    Attributes:
        stamp_ns: The time of positions and velocities in nanoseconds; the efforts belong to the solve one step earlier.
        names: The joints, without the entity's prefix.
        position: ``(n,)`` radians or metres.
        velocity: ``(n,)`` rad/s or m/s.
        effort: ``(n,)`` Nm or N of the actuators.
    """

    stamp_ns: int
    names: tuple[str, ...]
    position: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray


@dataclass(frozen=True)
class LaserScan:
    """One sweep of a planar scanner, as ``sensor_msgs/LaserScan`` means it.

    Attributes:
        stamp_ns: The time of the first ray in nanoseconds.
        frame_id: The frame whose x axis is angle zero and about whose z axis angles grow.
        angle_min: The first ray's angle in radians.
        angle_max: The last ray's angle in radians.
        angle_increment: Radians between two rays.
        time_increment: Seconds between two rays.
        scan_time: Seconds between two sweeps.
        range_min: The shortest measurable distance in metres.
        range_max: The longest measurable distance in metres.
        ranges: ``(n,)`` float32 metres; ``inf`` where nothing was hit, ``-inf`` for something too close to measure.
        intensities: ``(n,)`` float32, or empty where the device reports none.
    """

    stamp_ns: int
    frame_id: str
    angle_min: float
    angle_max: float
    angle_increment: float
    time_increment: float
    scan_time: float
    range_min: float
    range_max: float
    ranges: np.ndarray
    intensities: np.ndarray


@dataclass(frozen=True)
class Transform:
    """Where one frame stands in another.

    Attributes:
        frame_id: The parent frame.
        child_frame_id: The frame that is placed.
        position: ``(3,)`` metres in the parent.
        quaternion: ``(4,)`` wxyz.
    """

    frame_id: str
    child_frame_id: str
    position: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]


@dataclass(frozen=True)
class Transforms:
    """Transforms of one time.

    Attributes:
        stamp_ns: The time in nanoseconds.
        transforms: Each child frame at most once.
    """

    stamp_ns: int
    transforms: tuple[Transform, ...]
