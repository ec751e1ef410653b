"""The numbers of a URDF: how many stand in which attribute, and which of them have to be above zero."""

from __future__ import annotations

import math

from roqsim.urdf.complaints import Complaints
from roqsim.urdf.source import Element

INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")

COUNTS: dict[str, dict[str, int]] = {
    "origin": {"xyz": 3, "rpy": 3},
    "axis": {"xyz": 3},
    "mass": {"value": 1},
    "inertia": dict.fromkeys(INERTIA, 1),
    "limit": {"lower": 1, "upper": 1, "effort": 1, "velocity": 1},
    "dynamics": {"damping": 1, "friction": 1},
    "mimic": {"multiplier": 1, "offset": 1},
    "box": {"size": 3},
    "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1},
    "sphere": {"radius": 1},
    "mesh": {"scale": 3},
    "color": {"rgba": 4},
}
"""By element and attribute, how many numbers it holds."""

REQUIRED = {
    "axis": ("xyz",),
    "mass": ("value",),
    "inertia": INERTIA,
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "sphere": ("radius",),
    "color": ("rgba",),
}
"""The attributes that must be there, by element."""

SIZED = ("box", "cylinder", "capsule", "sphere")
"""Elements whose numbers are lengths above zero."""

NOT_NEGATIVE = {("mass", "value"), ("dynamics", "damping"), ("dynamics", "friction"), ("color", "rgba")}


def numbers(element: Element | None, attribute: str, default: tuple[float, ...]) -> tuple[float, ...]:
    """The numbers of an attribute that was checked; the default where element or attribute are missing."""
    text = element.get(attribute) if element is not None else None
    return default if text is None else tuple(float(word) for word in text.split())


def number(element: Element | None, attribute: str, default: float = 0.0) -> float:
    """The one number of an attribute that was checked."""
    return numbers(element, attribute, (default,))[0]


def check_numbers(about: str, element: Element, complaints: Complaints) -> None:
    """Checks every number in a link, joint or material.

    Args:
        about: Which one, such as ``link 'tool'``.
        element: The link, joint or material.
        complaints: Takes what is wrong.
    """
    for each in element.iter():
        for attribute, count in COUNTS.get(each.tag, {}).items():
            text = each.get(attribute)
            if text is None:
                if attribute in REQUIRED.get(each.tag, ()):
                    complaints.add(about, f"{attribute} in <{each.tag}>", "none", each, f'add {attribute}="…"')
                continue
            rule = _broken_rule(each.tag, attribute, text, count)
            if rule:
                complaints.add(about, f"{rule} for {attribute} in <{each.tag}>", repr(text), each)


def _broken_rule(tag: str, attribute: str, text: str, count: int) -> str | None:
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) != count or not all(math.isfinite(value) for value in values):
        return "a number" if count == 1 else f"{count} numbers"
    if tag in SIZED and min(values) <= 0.0:
        return "a length above 0" if count == 1 else f"{count} lengths above 0"
    if (tag, attribute) in NOT_NEGATIVE and min(values) < 0.0:
        return "0 or more"
    if tag == "axis" and not any(values):
        return "3 numbers that are not all 0"
    if (tag, attribute) == ("mesh", "scale") and 0.0 in values:
        return "3 numbers other than 0"
    return None
