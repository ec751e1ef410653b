"""Actuators for the joints of a URDF, made from the limits in it."""

from __future__ import annotations

from collections.abc import Container, Mapping

import mujoco

from roqsim.mj.actuators import RATIO, Law, write_law
from roqsim.urdf.complaints import Complaints
from roqsim.urdf.description import Description
from roqsim.urdf.limits import AXES, Limits
from roqsim.urdf.report import Report, count

POSITION_ERROR = {"revolute": 0.05, "continuous": 0.05, "prismatic": 0.01}
"""The error in rad or m at which a position actuator gives all of its effort; an assumption, for URDF has no gains."""

VELOCITY_ERROR = 0.1
"""The error, as a part of the greatest speed, at which a velocity actuator gives all of its effort; an assumption."""


def add_drives(
    spec: mujoco.MjSpec,
    robot: Description,
    limits: Mapping[str, Limits],
    following: Container[str],
    control: str,
    complaints: Complaints,
    report: Report,
) -> None:
    """Adds an actuator of its joint's name for every joint whose limits are enough for one.

    Args:
        spec: The model.
        robot: The description.
        limits: The limits of its joints.
        following: Joints that mimic others, which get none.
        control: ``position``, ``velocity`` or ``effort``.
        complaints: Takes that no joint can get one.
        report: Takes what was made and assumed.
    """
    made, without = [], []
    for joint in robot.joints.values():
        if joint.type not in AXES or joint.name in following:
            continue
        law = _law(joint.type, limits[joint.name], control)
        if law is None:
            without.append(joint.name)
            continue
        write_law(spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT), law)
        made.append(joint.name)
    needed = "effort and a velocity" if control == "velocity" else "effort"
    if not made:
        rule = f"a joint whose <limit> has an {needed} for {control} actuators"
        complaints.add("", rule, "none", robot.source, "leave the actuators out, or add the limits")
        return
    report.add("made", f"{count(len(made), f'{control} actuator')} of the names of their joints: {', '.join(made)}")
    if control != "effort":
        report.add(
            "assumed", f"the gains of the {control} actuators, from their efforts; state them under 'actuators:'"
        )
    if without:
        report.add("dropped", f"actuators of {', '.join(without)}, whose <limit> has no {needed}")


def _law(kind: str, limits: Limits, control: str) -> Law | None:
    effort, velocity = limits.effort, limits.velocity
    if effort is None:
        return None
    efforts = (-effort, effort)
    if control == "effort":
        return Law(control, {}, efforts, efforts)
    if control == "velocity":
        if velocity is None:
            return None
        return Law(control, {"d": effort / (VELOCITY_ERROR * velocity)}, efforts, (-velocity, velocity))
    return Law(control, {"p": effort / POSITION_ERROR[kind], RATIO: 1.0}, efforts, limits.range)
