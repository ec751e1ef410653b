"""What a URDF holds that MuJoCo has no use for."""

from __future__ import annotations

from collections.abc import Iterable

from roqsim.urdf.description import Description
from roqsim.urdf.limits import Limits
from roqsim.urdf.report import Report, count
from roqsim.urdf.source import Element

READ = ("link", "joint", "material", "mujoco")
READ_IN_LINK = ("inertial", "visual", "collision")
READ_IN_JOINT = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
READ_IN_BLOCK = ("compiler", "option", "size")

SETTINGS = ("balanceinertia", "meshdir", "strippath")
"""Attributes of ``<mujoco><compiler>`` that the import reads."""

DECIDED = ("angle", "autolimits", "discardvisual", "fusestatic")
"""Attributes of ``<mujoco><compiler>`` that the import decides, as everybody who writes one in a URDF wants it."""


def report_remnants(robot: Description, limits: dict[str, Limits], report: Report) -> None:
    """Reports the elements and attributes that are left out, once for each kind of them.

    Args:
        robot: The robot.
        limits: The limits of joints whose greatest speed nothing holds.
        report: Takes what was found.
    """
    _report("of the robot", robot.source, READ, report)
    _report("of a link", (each for link in robot.links.values() for each in link), READ_IN_LINK, report)
    joints = (each for joint in robot.joints.values() for each in joint.element)
    _report("of a joint", joints, READ_IN_JOINT, report)
    blocks = robot.source.findall("mujoco")
    _report("of the <mujoco> block", (each for block in blocks for each in block), READ_IN_BLOCK, report)
    for compiler in robot.source.findall("mujoco/compiler"):
        for key, value in compiler.attrib.items():
            if key not in (*SETTINGS, *DECIDED):
                report.add("dropped", f'{key}="{value}" of <compiler>, which the import does not read', compiler)
            elif key in ("discardvisual", "fusestatic") and value == "true":
                report.add("dropped", f'{key}="true" of <compiler>: links and visuals are kept', compiler)
    fast = [name for name, limit in limits.items() if limit.velocity is not None]
    if fast:
        text = f"the velocity limits of {count(len(fast), 'joint')}: MuJoCo has none, but for velocity actuators"
        report.add("dropped", text, robot.joints[fast[0]].element.find("limit"))


def _report(of: str, elements: Iterable[Element], read: tuple[str, ...], report: Report) -> None:
    found: dict[str, list[Element]] = {}
    for element in elements:
        if element.tag not in read:
            found.setdefault(element.tag, []).append(element)
    for tag, each in found.items():
        count = f"{len(each)} " if len(each) > 1 else ""
        report.add("dropped", f"{count}<{tag}> {of}", each[0])
