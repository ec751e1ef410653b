"""Xacro is a language that URDF is written in; it has to be expanded before anybody can read it."""

from __future__ import annotations

from roqsim.models import XACRO_HINT
from roqsim.urdf.complaints import Complaints
from roqsim.urdf.source import Element

PREFIX = "xacro:"

MARKS = ("${", "$(")
"""What begins an expression of xacro's."""


def refuse_xacro(source: Element, complaints: Complaints) -> None:
    """Complains of the first thing that only xacro understands.

    Raises:
        ConfigError: There is one.
    """
    for element in source.iter():
        if element.tag.startswith(PREFIX):
            complaints.add("", "URDF", f"xacro's <{element.tag}>", element, XACRO_HINT)
            break
        marked = [value for value in element.attrib.values() if any(mark in value for mark in MARKS)]
        if marked:
            complaints.add("", "URDF", f"xacro's expression {marked[0]!r}", element, XACRO_HINT)
            break
    complaints.check()
