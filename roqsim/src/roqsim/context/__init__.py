"""What a hook is given: the simulation's state, its entities and endpoints, and the ways to reach them from outside."""

from roqsim.context.blackboard import Blackboard
from roqsim.context.commands import CommandQueue
from roqsim.context.control import RunControl
from roqsim.context.endpoint import Endpoint, StreamCounters
from roqsim.context.entity import Entity, EntityRegistry
from roqsim.context.gates import Gate
from roqsim.context.images import CameraInfo, CompressedImage, Image, LabelImage, PointCloud
from roqsim.context.interface import Interface
from roqsim.context.measurements import (
    FluidPressure,
    Imu,
    MagneticField,
    NavSatFix,
    VelocityStamped,
    WrenchStamped,
)
from roqsim.context.payloads import (
    JointStates,
    LaserScan,
    Odometry,
    PoseStamped,
    Transform,
    Transforms,
    Twist,
)
from roqsim.context.ranging import Range
from roqsim.context.reports import (
    Approach,
    BatteryState,
    BumperReport,
    BumperZone,
    ClearanceReport,
    ContactReport,
    EnergyReport,
    Part,
    Touch,
    UprightReport,
)
from roqsim.context.robot import RobotHandle
from roqsim.context.simulation import SimContext, Snapshot

__all__ = [
    "Approach",
    "BatteryState",
    "Blackboard",
    "BumperReport",
    "BumperZone",
    "CameraInfo",
    "ClearanceReport",
    "CommandQueue",
    "CompressedImage",
    "ContactReport",
    "Endpoint",
    "EnergyReport",
    "Entity",
    "EntityRegistry",
    "FluidPressure",
    "Gate",
    "Image",
    "Imu",
    "Interface",
    "JointStates",
    "LabelImage",
    "LaserScan",
    "MagneticField",
    "NavSatFix",
    "Odometry",
    "Part",
    "PointCloud",
    "PoseStamped",
    "Range",
    "RobotHandle",
    "RunControl",
    "SimContext",
    "Snapshot",
    "StreamCounters",
    "Touch",
    "Transform",
    "Transforms",
    "Twist",
    "UprightReport",
    "VelocityStamped",
    "WrenchStamped",
]
