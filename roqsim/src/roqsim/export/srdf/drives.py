"""Which joints of a robot something drives, and which of them are wheels."""

from __future__ import annotations

import mujoco

from roqsim.export.urdf.limits import DIRECT, drives_of, velocity_of
from roqsim.export.urdf.part import Part
from roqsim.export.urdf.robot import Joint, Robot

AFFINE = int(mujoco.mjtBias.mjBIAS_AFFINE)


def moving_joints(robot: Robot) -> list[Joint]:
    """The joints that move, those that follow others included."""
    return [joint for joint in robot.joints if joint.type != "fixed"]


def passive_joints(part: Part, robot: Robot) -> list[str]:
    """The joints that nothing drives and that follow no other; none of a robot without actuators."""
    on_tendons = _joints_on_tendons(part.model)
    moving = moving_joints(robot)
    if not any(joint.index in on_tendons or drives_of(part.model, joint.index) for joint in moving):
        return []
    return [
        joint.name
        for joint in moving
        if joint.mimic is None and joint.index not in on_tendons and not drives_of(part.model, joint.index)
    ]


def is_wheel(part: Part, robot: Robot, joint: Joint) -> bool:
    """Whether a joint turns without end, by velocity or by nothing, and carries no other joint."""
    if joint.type != "continuous" or any(below_link(robot, joint.child)):
        return False
    drives = drives_of(part.model, joint.index)
    return (
        all(_is_velocity(part.model, actuator) for actuator in drives)
        or velocity_of(part.model, joint.index) is not None
    )


def below_link(robot: Robot, link: str) -> list[Joint]:
    """The joints that move below a link, in the order of the robot, however deep."""
    reached = {link}
    found = []
    for joint in robot.joints:
        if joint.parent in reached:
            reached.add(joint.child)
            if joint.type != "fixed":
                found.append(joint)
    return found


def _is_velocity(model: mujoco.MjModel, actuator: int) -> bool:
    bias = model.actuator_biasprm[actuator]
    return int(model.actuator_biastype[actuator]) == AFFINE and bias[1] == 0.0 and bias[2] != 0.0


def _joints_on_tendons(model: mujoco.MjModel) -> set[int]:
    """The joints of every tendon that an actuator pulls."""
    found: set[int] = set()
    for actuator in range(model.nactuator):
        if int(model.actuator_trntype[actuator]) in DIRECT:
            continue
        if int(model.actuator_trntype[actuator]) == int(mujoco.mjtTrn.mjTRN_TENDON):
            tendon = int(model.actuator_trnid[actuator, 0])
            first = int(model.tendon_adr[tendon])
            for wrap in range(first, first + int(model.tendon_num[tendon])):
                if int(model.wrap_type[wrap]) == int(mujoco.mjtWrap.mjWRAP_JOINT):
                    found.add(int(model.wrap_objid[wrap]))
    return found
