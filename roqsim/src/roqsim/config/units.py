"""Numbers that a document gives with a unit, such as ``10 cm``: what they are in the unit of the field."""

from __future__ import annotations

import re

from roqsim.config.fields import Rule

_QUANTITY = re.compile(r"(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(?P<unit>[^\d\s.].*)")

PREFIXES = {"n": 1e-9, "u": 1e-6, "µ": 1e-6, "m": 1e-3, "c": 1e-2, "h": 1e2, "k": 1e3, "M": 1e6}
"""Prefixes of the SI that people write in world files."""

OTHER_WORDS = {
    "m": {"metre": 1.0, "metres": 1.0, "meter": 1.0, "meters": 1.0},
    "s": {"sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0, "min": 60.0},
    "Hz": {"hz": 1.0, "HZ": 1.0},
    "kg": {"g": 1e-3},
    "deg": {"°": 1.0, "degree": 1.0, "degrees": 1.0},
    "%": {"percent": 1.0},
}
"""By unit, other words for it and for its kind, with what one of them is in that unit."""


def unit_hint(value: object, rule: Rule) -> str:
    """What to write instead of a text with a number and its unit, such as ``write 0.1`` for ``10 cm`` in metres.

    Args:
        value: What the document has.
        rule: The field's rule.

    Returns:
        A text; empty where the value is none of that, where the unit is another kind, and where the number would break
        the rule too.
    """
    match = _QUANTITY.fullmatch(value.strip()) if isinstance(value, str) and rule.unit else None
    if match is None:
        return ""
    unit = match["unit"]
    words = {rule.unit: 1.0, **OTHER_WORDS.get(rule.unit, {})}
    factor = words.get(unit)
    if factor is None and unit[1:] == rule.unit:
        factor = PREFIXES.get(unit[0])
    if factor is None:
        return ""
    number = float(f"{float(match['number']) * factor:.6g}")
    return f"write {number:g}" if rule.allows(number) else ""
