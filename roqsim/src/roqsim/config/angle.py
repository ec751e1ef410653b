"""Angles in documents are radians: the bound of an orientation, and what a value in degrees should have been."""

from __future__ import annotations

import math
import re

from roqsim.config.fields import Rule

TURN = 6.2832
"""Radians of a full turn, rounded up, so that a full turn that a document rounds is still one."""

HALF_TURN = 3.1416
"""Radians of half a turn, rounded up."""

RIGHT_ANGLE = 1.5708
"""Radians of a quarter of a turn, rounded up."""

ORIENTATION = Rule(ge=-TURN, le=TURN, unit="rad")
"""The rule of an angle that says how something stands: more than a full turn is none that somebody means."""

MOST_DEGREES = 720.0
"""Numbers beyond two full turns are not taken for degrees."""

_IN_DEGREES = re.compile(r"(?P<number>[-+]?[\d.]+(?:e[-+]?\d+)?)\s*(?:deg|degs|degrees?|°)", re.IGNORECASE)
_IN_RADIANS = re.compile(r"(?P<number>[-+]?[\d.]+(?:e[-+]?\d+)?)\s*(?:rad|rads|radians?)", re.IGNORECASE)
_PART_OF_PI = re.compile(r"(?P<sign>[-+]?)(?:(?P<times>[\d.]+)\s*\*?\s*)?(?:pi|π)(?:\s*/\s*(?P<parts>[\d.]+))?")


def radians_hint(value: object, rule: Rule) -> str:
    """What to write instead of an angle that was given in degrees, with its unit, or as a part of pi.

    Args:
        value: What the document has.
        rule: The field's rule.

    Returns:
        A text such as ``90 degrees are 1.5708``; empty where the value is nothing of that, where the field is no angle,
        and where the angle would break the rule too.
    """
    if rule.unit != "rad" or isinstance(value, bool):
        return ""
    if isinstance(value, int | float):
        is_degrees = math.isfinite(value) and abs(value) <= MOST_DEGREES
        return _degrees(value, rule) if is_degrees else ""
    if not isinstance(value, str):
        return ""
    text = value.strip()
    try:
        if match := _IN_DEGREES.fullmatch(text):
            return _degrees(float(match["number"]), rule)
        if match := _IN_RADIANS.fullmatch(text):
            return _advice(float(match["number"]), rule)
        if match := _PART_OF_PI.fullmatch(text):
            angle = math.pi * float(match["times"] or 1.0) / float(match["parts"] or 1.0)
            return _advice(-angle if match["sign"] == "-" else angle, rule)
    except (ValueError, ZeroDivisionError, OverflowError):
        return ""
    return ""


def _degrees(angle: float, rule: Rule) -> str:
    number = _rounded(math.radians(angle))
    return f"{angle:g} degrees are {number:g}" if rule.allows(number) else ""


def _advice(angle: float, rule: Rule) -> str:
    number = _rounded(angle)
    return f"write {number:g}" if rule.allows(number) else ""


def _rounded(angle: float) -> float:
    """The angle to five digits, as the text shows it."""
    return float(f"{angle:.5g}")
