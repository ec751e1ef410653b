"""What a hook is given: the simulation's state, its entities and endpoints, and the ways to reach them from outside."""

from roqsim.context.blackboard import Blackboard
from roqsim.context.commands import CommandQueue
from roqsim.context.control import RunControl
from roqsim.context.endpoint import Endpoint, StreamCounters
from roqsim.context.entity import Entity, EntityRegistry
from roqsim.context.gates import Gate
from roqsim.context.interface import Interface
from roqsim.context.payloads import (
    JointStates,
    LaserScan,
    Odometry,
    PoseStamped,
    Transform,
    Transforms,
    Twist,
)
from roqsim.context.robot import RobotHandle
from roqsim.context.simulation import SimContext, Snapshot

__all__ = [
    "Blackboard",
    "CommandQueue",
    "Endpoint",
    "Entity",
    "EntityRegistry",
    "Gate",
    "Interface",
    "JointStates",
    "LaserScan",
    "Odometry",
    "PoseStamped",
    "RobotHandle",
    "RunControl",
    "SimContext",
    "Snapshot",
    "StreamCounters",
    "Transform",
    "Transforms",
    "Twist",
]
