"""What sensors other than scanners and cameras measure. Plain data with one stamp, as all payloads.

Accelerations and forces belong to the last solve, as a rule one step before the current state, and are stamped with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NO_FIX = -1
"""``NavSatFix.status``: no position is known."""

FIX = 0
"""``NavSatFix.status``: satellites alone."""

SBAS_FIX = 1
"""``NavSatFix.status``: with corrections from a satellite."""

GBAS_FIX = 2
"""``NavSatFix.status``: with corrections from the ground, such as RTK."""

UNKNOWN = -1.0
"""First element of the covariance of what a device does not measure (``sensor_msgs/Imu``)."""


@dataclass(frozen=True)
class Imu:
    """What an inertial unit measures (REP-145).

    Attributes:
        stamp_ns: The time of the state in nanoseconds.
        frame_id: The frame of the vectors.
        quaternion: ``(4,)`` wxyz, the frame's orientation in the world (x east, y north, z up); None where the device
            does not estimate it.
        angular_velocity: ``(3,)`` rad/s about the frame's axes.
        linear_acceleration: ``(3,)`` m/s² along the frame's axes, gravity included: 9.81 up at rest, 0 in free fall.
        orientation_covariance: ``(3, 3)`` rad² about x, y, z; its first element is ``UNKNOWN`` without an orientation.
        angular_velocity_covariance: ``(3, 3)`` rad²/s².
        linear_acceleration_covariance: ``(3, 3)`` m²/s⁴.
    """

    stamp_ns: int
    frame_id: str
    quaternion: np.ndarray | None
    angular_velocity: np.ndarray
    linear_acceleration: np.ndarray
    orientation_covariance: np.ndarray
    angular_velocity_covariance: np.ndarray
    linear_acceleration_covariance: np.ndarray


@dataclass(frozen=True)
class NavSatFix:
    """A position on the WGS-84 ellipsoid, as ``sensor_msgs/NavSatFix`` means it.

    Attributes:
        stamp_ns: The time of the state in nanoseconds.
        frame_id: The antenna's frame.
        status: ``NO_FIX``, ``FIX``, ``SBAS_FIX`` or ``GBAS_FIX``.
        latitude: Degrees, positive north; NaN without a fix.
        longitude: Degrees in [-180, 180], positive east; NaN without a fix.
        altitude: Metres above the ellipsoid; NaN without a fix.
        position_covariance: ``(3, 3)`` m² along east, north, up.
    """

    stamp_ns: int
    frame_id: str
    status: int
    latitude: float
    longitude: float
    altitude: float
    position_covariance: np.ndarray


@dataclass(frozen=True)
class VelocityStamped:
    """A velocity at one time.

    Attributes:
        stamp_ns: The time of the state in nanoseconds.
        frame_id: The frame of the axes.
        linear: ``(3,)`` m/s.
        angular: ``(3,)`` rad/s; zeros where it is not measured.
        covariance: ``(6, 6)`` of linear and angular velocity in m/s and rad/s.
    """

    stamp_ns: int
    frame_id: str
    linear: np.ndarray
    angular: np.ndarray
    covariance: np.ndarray


@dataclass(frozen=True)
class MagneticField:
    """A magnetic field.

    Attributes:
        stamp_ns: The time of the state in nanoseconds.
        frame_id: The frame of the vector.
        field: ``(3,)`` tesla along the frame's axes.
        covariance: ``(3, 3)`` tesla².
    """

    stamp_ns: int
    frame_id: str
    field: np.ndarray
    covariance: np.ndarray


@dataclass(frozen=True)
class FluidPressure:
    """The pressure of the air.

    Attributes:
        stamp_ns: The time of the state in nanoseconds.
        frame_id: The sensor's frame.
        pressure: Pa, absolute.
        variance: Pa².
    """

    stamp_ns: int
    frame_id: str
    pressure: float
    variance: float


@dataclass(frozen=True)
class WrenchStamped:
    """A force and a torque at one point.

    Attributes:
        stamp_ns: The time of the solve in nanoseconds.
        frame_id: The frame whose origin the torque is about, and along whose axes both are given.
        force: ``(3,)`` N.
        torque: ``(3,)`` Nm.
    """

    stamp_ns: int
    frame_id: str
    force: np.ndarray
    torque: np.ndarray
