"""The message types that are written, as ROS 2 and Foxglove define them: fields and their order, without comments."""

from __future__ import annotations

TEXT = """
builtin_interfaces/Time: int32 sec, uint32 nanosec
builtin_interfaces/Duration: int32 sec, uint32 nanosec
std_msgs/Header: builtin_interfaces/Time stamp, string frame_id
std_msgs/Bool: bool data
std_msgs/Float64: float64 data
std_msgs/UInt32: uint32 data
std_msgs/UInt64: uint64 data
std_msgs/String: string data
rosgraph_msgs/Clock: builtin_interfaces/Time clock
geometry_msgs/Vector3: float64 x, float64 y, float64 z
geometry_msgs/Point: float64 x, float64 y, float64 z
geometry_msgs/Quaternion: float64 x, float64 y, float64 z, float64 w
geometry_msgs/Pose: geometry_msgs/Point position, geometry_msgs/Quaternion orientation
geometry_msgs/PoseStamped: std_msgs/Header header, geometry_msgs/Pose pose
geometry_msgs/PoseWithCovariance: geometry_msgs/Pose pose, float64[36] covariance
geometry_msgs/Twist: geometry_msgs/Vector3 linear, geometry_msgs/Vector3 angular
geometry_msgs/TwistStamped: std_msgs/Header header, geometry_msgs/Twist twist
geometry_msgs/TwistWithCovariance: geometry_msgs/Twist twist, float64[36] covariance
geometry_msgs/Wrench: geometry_msgs/Vector3 force, geometry_msgs/Vector3 torque
geometry_msgs/WrenchStamped: std_msgs/Header header, geometry_msgs/Wrench wrench
geometry_msgs/Transform: geometry_msgs/Vector3 translation, geometry_msgs/Quaternion rotation
geometry_msgs/TransformStamped: std_msgs/Header header, string child_frame_id, geometry_msgs/Transform transform
tf2_msgs/TFMessage: geometry_msgs/TransformStamped[] transforms
nav_msgs/Odometry: std_msgs/Header header, string child_frame_id, geometry_msgs/PoseWithCovariance pose,\
 geometry_msgs/TwistWithCovariance twist
sensor_msgs/JointState: std_msgs/Header header, string[] name, float64[] position, float64[] velocity, float64[] effort
sensor_msgs/LaserScan: std_msgs/Header header, float32 angle_min, float32 angle_max, float32 angle_increment,\
 float32 time_increment, float32 scan_time, float32 range_min, float32 range_max, float32[] ranges,\
 float32[] intensities
sensor_msgs/Range: std_msgs/Header header, uint8 radiation_type, float32 field_of_view, float32 min_range,\
 float32 max_range, float32 range, float32 variance
sensor_msgs/PointField: string name, uint32 offset, uint8 datatype, uint32 count
sensor_msgs/PointCloud2: std_msgs/Header header, uint32 height, uint32 width, sensor_msgs/PointField[] fields,\
 bool is_bigendian, uint32 point_step, uint32 row_step, uint8[] data, bool is_dense
sensor_msgs/Image: std_msgs/Header header, uint32 height, uint32 width, string encoding, uint8 is_bigendian,\
 uint32 step, uint8[] data
sensor_msgs/CompressedImage: std_msgs/Header header, string format, uint8[] data
sensor_msgs/RegionOfInterest: uint32 x_offset, uint32 y_offset, uint32 height, uint32 width, bool do_rectify
sensor_msgs/CameraInfo: std_msgs/Header header, uint32 height, uint32 width, string distortion_model, float64[] d,\
 float64[9] k, float64[9] r, float64[12] p, uint32 binning_x, uint32 binning_y, sensor_msgs/RegionOfInterest roi
sensor_msgs/Imu: std_msgs/Header header, geometry_msgs/Quaternion orientation, float64[9] orientation_covariance,\
 geometry_msgs/Vector3 angular_velocity, float64[9] angular_velocity_covariance,\
 geometry_msgs/Vector3 linear_acceleration, float64[9] linear_acceleration_covariance
sensor_msgs/NavSatStatus: int8 status, uint16 service
sensor_msgs/NavSatFix: std_msgs/Header header, sensor_msgs/NavSatStatus status, float64 latitude, float64 longitude,\
 float64 altitude, float64[9] position_covariance, uint8 position_covariance_type
sensor_msgs/MagneticField: std_msgs/Header header, geometry_msgs/Vector3 magnetic_field,\
 float64[9] magnetic_field_covariance
sensor_msgs/FluidPressure: std_msgs/Header header, float64 fluid_pressure, float64 variance
sensor_msgs/BatteryState: std_msgs/Header header, float32 voltage, float32 temperature, float32 current,\
 float32 charge, float32 capacity, float32 design_capacity, float32 percentage, uint8 power_supply_status,\
 uint8 power_supply_health, uint8 power_supply_technology, bool present, float32[] cell_voltage,\
 float32[] cell_temperature, string location, string serial_number
foxglove_msgs/Color: float64 r, float64 g, float64 b, float64 a
foxglove_msgs/KeyValuePair: string key, string value
foxglove_msgs/ArrowPrimitive: geometry_msgs/Pose pose, float64 shaft_length, float64 shaft_diameter,\
 float64 head_length, float64 head_diameter, foxglove_msgs/Color color
foxglove_msgs/CubePrimitive: geometry_msgs/Pose pose, geometry_msgs/Vector3 size, foxglove_msgs/Color color
foxglove_msgs/SpherePrimitive: geometry_msgs/Pose pose, geometry_msgs/Vector3 size, foxglove_msgs/Color color
foxglove_msgs/CylinderPrimitive: geometry_msgs/Pose pose, geometry_msgs/Vector3 size, float64 bottom_scale,\
 float64 top_scale, foxglove_msgs/Color color
foxglove_msgs/LinePrimitive: uint8 type, geometry_msgs/Pose pose, float64 thickness, bool scale_invariant,\
 geometry_msgs/Point[] points, foxglove_msgs/Color color, foxglove_msgs/Color[] colors, uint32[] indices
foxglove_msgs/TriangleListPrimitive: geometry_msgs/Pose pose, geometry_msgs/Point[] points,\
 foxglove_msgs/Color color, foxglove_msgs/Color[] colors, uint32[] indices
foxglove_msgs/TextPrimitive: geometry_msgs/Pose pose, bool billboard, float64 font_size, bool scale_invariant,\
 foxglove_msgs/Color color, string text
foxglove_msgs/ModelPrimitive: geometry_msgs/Pose pose, geometry_msgs/Vector3 scale, foxglove_msgs/Color color,\
 bool override_color, string url, string media_type, uint8[] data
foxglove_msgs/SceneEntity: builtin_interfaces/Time timestamp, string frame_id, string id,\
 builtin_interfaces/Duration lifetime, bool frame_locked, foxglove_msgs/KeyValuePair[] metadata,\
 foxglove_msgs/ArrowPrimitive[] arrows, foxglove_msgs/CubePrimitive[] cubes, foxglove_msgs/SpherePrimitive[] spheres,\
 foxglove_msgs/CylinderPrimitive[] cylinders, foxglove_msgs/LinePrimitive[] lines,\
 foxglove_msgs/TriangleListPrimitive[] triangles, foxglove_msgs/TextPrimitive[] texts,\
 foxglove_msgs/ModelPrimitive[] models
foxglove_msgs/SceneEntityDeletion: builtin_interfaces/Time timestamp, uint8 type, string id
foxglove_msgs/SceneUpdate: foxglove_msgs/SceneEntityDeletion[] deletions, foxglove_msgs/SceneEntity[] entities
"""

Fields = tuple[tuple[str, str], ...]
"""Type and name of each field."""


def _read(text: str) -> dict[str, Fields]:
    found = {}
    for line in text.strip().splitlines():
        name, _, fields = line.partition(": ")
        found[name] = tuple(tuple(field.split()) for field in fields.split(", "))
    return found


FIELDS: dict[str, Fields] = _read(TEXT)
"""The fields by type, ``package/Type``."""


def full_name(name: str) -> str:
    """A type's name as ROS 2 writes it: ``package/msg/Type``."""
    return name.replace("/", "/msg/")


def definition(name: str) -> str:
    """A type with all that it is made of, in the form of the schema encoding ``ros2msg``."""
    parts = [_lines(name)]
    parts += [f"{'=' * 80}\nMSG: {other}\n{_lines(other)}" for other in _made_of(name)]
    return "".join(parts)


def _lines(name: str) -> str:
    return "".join(f"{kind} {field}\n" for kind, field in FIELDS[name])


def _made_of(name: str) -> list[str]:
    """The types of a type's fields, and of theirs, each once."""
    found: dict[str, None] = {}
    waiting = [name]
    while waiting:
        for kind, _ in FIELDS[waiting.pop(0)]:
            bare = kind.partition("[")[0]
            if bare in FIELDS and bare not in found:
                found[bare] = None
                waiting.append(bare)
    return list(found)
