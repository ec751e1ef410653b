"""The URDF that MuJoCo is given: the file's links and joints in the form that MuJoCo's reader takes no liberties with.

Its reader drops visuals and fuses links unless told otherwise, takes two meshes of one file name for the same, gives a
shape the colour of the one before, and leaves out a limit that is not written.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from xml.etree import ElementTree

from roqsim.urdf.description import WORLD, Description
from roqsim.urdf.limits import Limits
from roqsim.urdf.masses import has_mass
from roqsim.urdf.shapes import Shape

COMPILER = {"discardvisual": "false", "fusestatic": "false", "strippath": "false", "autolimits": "true"}
"""What the import decides, whatever the file's own ``<mujoco>`` block says."""

SECTIONS = ("option", "size")
"""Sections of the file's ``<mujoco>`` block that are kept."""


def urdf_text(
    robot: Description, shapes: Sequence[Shape], limits: Mapping[str, Limits], root: str, light: Collection[str] = ()
) -> str:
    """Writes the description for MuJoCo.

    Args:
        robot: The description, checked.
        shapes: The shapes of its links; their meshes are called by their aliases.
        limits: The limits of its joints.
        root: What the root link is called: its name, or ``world``.
        light: Links whose masses are left out.
    """
    made = ElementTree.Element("robot", name=robot.name)
    block = ElementTree.SubElement(made, "mujoco")
    ElementTree.SubElement(block, "compiler", COMPILER)
    for section in SECTIONS:
        block.extend(deepcopy(found) for found in robot.source.findall(f"mujoco/{section}"))
    names = {robot.base: root}
    for name, link in robot.links.items():
        element = ElementTree.SubElement(made, "link", name=names.get(name, name))
        if has_mass(link) and names.get(name) != WORLD and name not in light:
            element.append(deepcopy(link.find("inertial")))
        element.extend(_shape(shape) for shape in shapes if shape.link == name)
    for joint in robot.joints.values():
        made.append(_joint(joint.element, limits[joint.name], names))
    return ElementTree.tostring(made, encoding="unicode")


def _shape(shape: Shape) -> ElementTree.Element:
    element = deepcopy(shape.element)
    element.set("name", shape.name)
    for material in element.findall("material"):
        element.remove(material)
    mesh = element.find("geometry/mesh")
    if mesh is not None:
        mesh.set("filename", shape.alias)
    return element


def _joint(source: ElementTree.Element, limits: Limits, names: Mapping[str, str]) -> ElementTree.Element:
    element = ElementTree.Element("joint", name=source.get("name"), type=source.get("type"))
    for tag in ("origin", "parent", "child", "axis", "dynamics"):
        element.extend(deepcopy(found) for found in source.findall(tag)[:1])
    for end in (element.find("parent"), element.find("child")):
        end.set("link", names.get(end.get("link"), end.get("link")))
    bounds = {}
    if limits.range is not None:
        bounds |= dict(zip(("lower", "upper"), map(repr, limits.range), strict=True))
    if limits.effort is not None:
        bounds["effort"] = repr(limits.effort)
    if bounds:
        ElementTree.SubElement(element, "limit", bounds)
    return element
