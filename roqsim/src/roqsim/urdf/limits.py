"""The limits of URDF's joints, as far as they limit anything."""

from __future__ import annotations

from dataclasses import dataclass

from roqsim.urdf.complaints import Complaints
from roqsim.urdf.description import Joint
from roqsim.urdf.options import NO_LIMIT
from roqsim.urdf.report import Report
from roqsim.urdf.values import number

AXES = ("revolute", "continuous", "prismatic")
"""Joints with one coordinate."""


@dataclass(frozen=True)
class Limits:
    """What limits a joint; None for what doesn't.

    Attributes:
        range: The least and the greatest position in rad or m.
        effort: The greatest force in N or torque in N m.
        velocity: The greatest speed in rad/s or m/s.
    """

    range: tuple[float, float] | None = None
    effort: float | None = None
    velocity: float | None = None


def read_limits(joint: Joint, complaints: Complaints, report: Report) -> Limits:
    """Reads the limits of a joint whose numbers were checked."""
    if joint.type not in AXES:
        return Limits()
    element = joint.element.find("limit")
    about = f"joint {joint.name!r}"
    if element is None:
        if joint.type != "continuous":
            report.add("assumed", f"no limits for {about}: a {joint.type} joint without <limit>", joint.element)
        return Limits()
    bounds = {}
    for key in ("effort", "velocity"):
        value = number(element, key)
        if value < 0.0:
            complaints.add(about, f"0 or more for {key} in <limit>", repr(element.get(key)), element)
        bounds[key] = value if 0.0 < value < NO_LIMIT else None
    return Limits(_range(joint, complaints, report), **bounds)


def _range(joint: Joint, complaints: Complaints, report: Report) -> tuple[float, float] | None:
    element = joint.element.find("limit")
    about = f"joint {joint.name!r}"
    lower, upper = number(element, "lower"), number(element, "upper")
    if joint.type == "continuous":
        if lower or upper:
            report.add("dropped", f"lower and upper of {about}, which is continuous", element)
        return None
    if lower == upper == 0.0:
        report.add("assumed", f"no limits for {about}: its <limit> leaves no room from 0 to 0", element)
        return None
    if lower >= upper:
        got = f"{element.get('lower', '0')!r} and {element.get('upper', '0')!r}"
        complaints.add(about, "lower below upper in <limit>", got, element, "swap them, or make it a fixed joint")
        return None
    if lower <= -NO_LIMIT and upper >= NO_LIMIT:
        return None
    return lower, upper
