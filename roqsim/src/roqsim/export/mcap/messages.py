"""From what an endpoint carries to the message of its ROS 2 type."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from roqsim.context.images import LabelImage

Message = dict[str, object]
Scope = Callable[[str], str]
"""Gives a frame the name that it has among all frames."""

UNKNOWN_COVARIANCE, KNOWN_COVARIANCE = 0, 3
"""``NavSatFix.position_covariance_type``."""

GPS = 1
"""``NavSatStatus.SERVICE_GPS``."""

POINT_TYPES = {"uint8": 2, "uint16": 4, "int32": 5, "uint32": 6, "float32": 7, "float64": 8}
"""``PointField.datatype`` by the name of a numpy type."""


def time_of(stamp_ns: int) -> Message:
    """``builtin_interfaces/Time`` of nanoseconds."""
    return {"sec": stamp_ns // 1_000_000_000, "nanosec": stamp_ns % 1_000_000_000}


def vector_of(values: Sequence[float]) -> Message:
    """``geometry_msgs/Vector3`` or ``Point`` of three numbers."""
    return {"x": float(values[0]), "y": float(values[1]), "z": float(values[2])}


def quaternion_of(wxyz: Sequence[float]) -> Message:
    """``geometry_msgs/Quaternion``."""
    return {"w": float(wxyz[0]), "x": float(wxyz[1]), "y": float(wxyz[2]), "z": float(wxyz[3])}


def pose_of(position: Sequence[float], wxyz: Sequence[float]) -> Message:
    """``geometry_msgs/Pose``."""
    return {"position": vector_of(position), "orientation": quaternion_of(wxyz)}


def header_of(stamp_ns: int, frame_id: str) -> Message:
    """``std_msgs/Header``."""
    return {"stamp": time_of(stamp_ns), "frame_id": frame_id}


def transform_of(stamp_ns: int, parent: str, child: str, position: Sequence[float], wxyz: Sequence[float]) -> Message:
    """``geometry_msgs/TransformStamped``."""
    transform = {"translation": vector_of(position), "rotation": quaternion_of(wxyz)}
    return {"header": header_of(stamp_ns, parent), "child_frame_id": child, "transform": transform}


def _header(payload: object, scope: Scope) -> Message:
    frame = getattr(payload, "frame_id", "")
    return header_of(payload.stamp_ns, scope(frame) if frame else "")


def _pose(payload: object, scope: Scope) -> Message:
    return {"header": _header(payload, scope), "pose": pose_of(payload.position, payload.quaternion)}


def _twist(payload: object, scope: Scope) -> Message:
    twist = {"linear": vector_of(payload.linear), "angular": vector_of(payload.angular)}
    return {"header": _header(payload, scope), "twist": twist}


def _wrench(payload: object, scope: Scope) -> Message:
    wrench = {"force": vector_of(payload.force), "torque": vector_of(payload.torque)}
    return {"header": _header(payload, scope), "wrench": wrench}


def _odometry(payload: object, scope: Scope) -> Message:
    half = payload.yaw / 2.0
    pose = pose_of((payload.x, payload.y, 0.0), (math.cos(half), 0.0, 0.0, math.sin(half)))
    twist = {"linear": vector_of(payload.twist.linear), "angular": vector_of(payload.twist.angular)}
    return {
        "header": _header(payload, scope),
        "child_frame_id": scope(payload.child_frame_id),
        "pose": {"pose": pose, "covariance": payload.pose_covariance},
        "twist": {"twist": twist, "covariance": payload.twist_covariance},
    }


def _joints(payload: object, scope: Scope) -> Message:
    return {
        "header": _header(payload, scope),
        "name": payload.names,
        "position": payload.position,
        "velocity": payload.velocity,
        "effort": payload.effort,
    }


def _same_names(payload: object, scope: Scope) -> Message:
    """A message whose fields are called like the payload's."""
    fields = {field.name: getattr(payload, field.name) for field in dataclasses.fields(payload)}
    return {**fields, "header": _header(payload, scope)}


def _image(payload: object, scope: Scope) -> Message:
    is_labels = isinstance(payload, LabelImage)
    data = np.ascontiguousarray(payload.data)
    data = data.astype(data.dtype.newbyteorder("<"), copy=False)
    height, width = data.shape[:2]
    return {
        "header": _header(payload, scope),
        "height": height,
        "width": width,
        "encoding": "mono16" if is_labels else payload.encoding,
        "step": data.nbytes // max(height, 1),
        "data": data.tobytes(),
    }


def _cloud(payload: object, scope: Scope) -> Message:
    """Points as packed rows of x, y, z and the further fields; a colour is packed into 32 bits, as PCL reads it."""
    columns = [(name, payload.points[:, axis].astype("<f4")) for axis, name in enumerate("xyz")]
    for name, values in payload.fields.items():
        if name == "rgb":
            red, green, blue = (values[:, channel].astype("<u4") for channel in range(3))
            values = ((red << 16) | (green << 8) | blue).view("<f4")
        columns.append((name, values))
    packed = np.empty(len(payload.points), dtype=[(name, values.dtype.newbyteorder("<")) for name, values in columns])
    for name, values in columns:
        packed[name] = values
    fields = [
        {"name": name, "offset": offset, "datatype": POINT_TYPES[kind.name], "count": 1}
        for name, (kind, offset) in packed.dtype.fields.items()
    ]
    return {
        "header": _header(payload, scope),
        "height": payload.height,
        "width": payload.width,
        "fields": fields,
        "point_step": packed.dtype.itemsize,
        "row_step": packed.dtype.itemsize * payload.width,
        "data": packed.tobytes(),
        "is_dense": payload.is_dense,
    }


def _imu(payload: object, scope: Scope) -> Message:
    return {
        "header": _header(payload, scope),
        "orientation": None if payload.quaternion is None else quaternion_of(payload.quaternion),
        "orientation_covariance": payload.orientation_covariance,
        "angular_velocity": vector_of(payload.angular_velocity),
        "angular_velocity_covariance": payload.angular_velocity_covariance,
        "linear_acceleration": vector_of(payload.linear_acceleration),
        "linear_acceleration_covariance": payload.linear_acceleration_covariance,
    }


def _fix(payload: object, scope: Scope) -> Message:
    message = _same_names(payload, scope)
    is_known = bool(np.any(payload.position_covariance))
    message["status"] = {"status": payload.status, "service": GPS}
    message["position_covariance_type"] = KNOWN_COVARIANCE if is_known else UNKNOWN_COVARIANCE
    return message


def _field_strength(payload: object, scope: Scope) -> Message:
    return {
        "header": _header(payload, scope),
        "magnetic_field": vector_of(payload.field),
        "magnetic_field_covariance": payload.covariance,
    }


def _pressure(payload: object, scope: Scope) -> Message:
    header = _header(payload, scope)
    return {"header": header, "fluid_pressure": payload.pressure, "variance": payload.variance}


MAKERS: Mapping[str, Callable[[object, Scope], Message]] = {
    "geometry_msgs/PoseStamped": _pose,
    "geometry_msgs/TwistStamped": _twist,
    "geometry_msgs/WrenchStamped": _wrench,
    "nav_msgs/Odometry": _odometry,
    "sensor_msgs/JointState": _joints,
    "sensor_msgs/LaserScan": _same_names,
    "sensor_msgs/Range": _same_names,
    "sensor_msgs/CameraInfo": _same_names,
    "sensor_msgs/CompressedImage": _same_names,
    "sensor_msgs/BatteryState": _same_names,
    "sensor_msgs/Image": _image,
    "sensor_msgs/PointCloud2": _cloud,
    "sensor_msgs/Imu": _imu,
    "sensor_msgs/NavSatFix": _fix,
    "sensor_msgs/MagneticField": _field_strength,
    "sensor_msgs/FluidPressure": _pressure,
}
"""What makes the message of a payload, by its type."""

SCALARS = ("std_msgs/Bool", "std_msgs/Float64", "std_msgs/UInt32", "std_msgs/UInt64", "std_msgs/String")
"""The types that carry one value: a field of the payload, or the payload itself."""


STAMP = ("stamp_ns", "frame_id")
"""The fields of a payload that say when and where."""


def scalar_of(payload: object, field: str | None) -> object:
    """The one value of a payload: the field that a transport is told, the only one there is, or the payload itself.

    Raises:
        ValueError: There are several.
    """
    if field is not None:
        return getattr(payload, field)
    if not dataclasses.is_dataclass(payload):
        return payload
    names = [each.name for each in dataclasses.fields(payload) if each.name not in STAMP]
    if len(names) != 1:
        raise ValueError(f"expected one value, got {', '.join(names)}")
    return getattr(payload, names[0])
