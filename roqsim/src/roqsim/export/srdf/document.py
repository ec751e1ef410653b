"""An SRDF's text."""

from __future__ import annotations

from xml.etree import ElementTree

from roqsim.export.srdf.description import Semantics

SUFFIX = ".srdf"

STATE = "home"
"""What the state is called in which a robot starts."""


def to_srdf(semantics: Semantics) -> str:
    """Writes what MoveIt wants to know."""
    root = ElementTree.Element("robot", name=semantics.robot)
    for group in semantics.groups:
        element = ElementTree.SubElement(root, "group", name=group.name)
        if group.chain is not None:
            base, tip = group.chain
            ElementTree.SubElement(element, "chain", base_link=base, tip_link=tip)
        else:
            for joint in group.joints:
                ElementTree.SubElement(element, "joint", name=joint)
    for group, positions in semantics.states.items():
        element = ElementTree.SubElement(root, "group_state", name=STATE, group=group)
        for joint, position in positions.items():
            ElementTree.SubElement(element, "joint", name=joint, value=f"{position:.15g}")
    for tool in semantics.end_effectors:
        keys = {"name": tool.name, "parent_link": tool.parent_link, "group": tool.group}
        ElementTree.SubElement(root, "end_effector", {**keys, "parent_group": tool.parent_group})
    keys = {"type": semantics.base_joint, "parent_frame": semantics.base_frame, "child_link": semantics.base}
    ElementTree.SubElement(root, "virtual_joint", {"name": "virtual_joint", **keys})
    for joint in semantics.passive:
        ElementTree.SubElement(root, "passive_joint", name=joint)
    for first, second, reason in semantics.disabled:
        ElementTree.SubElement(root, "disable_collisions", link1=first, link2=second, reason=reason)
    ElementTree.indent(root)
    return f'<?xml version="1.0"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
