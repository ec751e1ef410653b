"""A robot as the text of a URDF."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from xml.etree import ElementTree

from roqsim.export.urdf.robot import Joint, Link, Robot, Shape
from roqsim.export.urdf.rotation import to_rpy
from roqsim.mj.poses import IDENTITY, Transform
from roqsim.urdf.options import NO_LIMIT

MUJOCO = {"discardvisual": "false", "fusestatic": "false"}
"""What lets MuJoCo read the file as it is."""

INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")

TINY = 1e-300
"""What is smaller is written as zero."""


def to_urdf(robot: Robot, uri: Callable[[str], str], compiler: dict[str, str] | None = None) -> str:
    """Writes a robot.

    Args:
        robot: The robot.
        uri: Gives the URI of a mesh's file name.
        compiler: Further settings for MuJoCo's reader.

    Returns:
        The text of the file.
    """
    root = ElementTree.Element("robot", name=robot.name)
    ElementTree.SubElement(ElementTree.SubElement(root, "mujoco"), "compiler", {**MUJOCO, **(compiler or {})})
    for name, rgba in robot.materials.items():
        ElementTree.SubElement(ElementTree.SubElement(root, "material", name=name), "color", rgba=_numbers(rgba))
    for link in robot.links:
        _add_link(root, link, uri)
    for joint in robot.joints:
        _add_joint(root, joint)
    ElementTree.indent(root)
    return f'<?xml version="1.0"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _add_link(root: ElementTree.Element, link: Link, uri: Callable[[str], str]) -> None:
    element = ElementTree.SubElement(root, "link", name=link.name)
    if link.mass is not None:
        inertial = ElementTree.SubElement(element, "inertial")
        _add_origin(inertial, (link.mass.center, IDENTITY[1]))
        ElementTree.SubElement(inertial, "mass", value=_number(link.mass.mass))
        xx, xy, xz, _, yy, yz, _, _, zz = link.mass.tensor.ravel().tolist()
        values = (xx, xy, xz, yy, yz, zz)
        ElementTree.SubElement(inertial, "inertia", dict(zip(INERTIA, map(_number, values), strict=True)))
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        for shape in shapes:
            _add_shape(element, tag, shape, uri)


def _add_shape(link: ElementTree.Element, tag: str, shape: Shape, uri: Callable[[str], str]) -> None:
    element = ElementTree.SubElement(link, tag, {"name": shape.name} if shape.name else {})
    _add_origin(element, shape.X_LS)
    numbers = {key: _numbers(values) for key, values in shape.numbers.items()}
    if shape.mesh:
        numbers = {"filename": uri(shape.mesh), **numbers}
    ElementTree.SubElement(ElementTree.SubElement(element, "geometry"), shape.tag, numbers)
    if tag == "visual" and shape.material:
        ElementTree.SubElement(element, "material", name=shape.material)


def _add_joint(root: ElementTree.Element, joint: Joint) -> None:
    element = ElementTree.SubElement(root, "joint", name=joint.name, type=joint.type)
    _add_origin(element, joint.X_PJ)
    ElementTree.SubElement(element, "parent", link=joint.parent)
    ElementTree.SubElement(element, "child", link=joint.child)
    if joint.type == "fixed":
        return
    ElementTree.SubElement(element, "axis", xyz=_numbers(joint.axis))
    limits = _limits(joint)
    if limits:
        ElementTree.SubElement(element, "limit", {key: _number(value) for key, value in limits.items()})
    if joint.damping or joint.friction:
        ElementTree.SubElement(element, "dynamics", damping=_number(joint.damping), friction=_number(joint.friction))
    if joint.mimic is not None:
        numbers = {"multiplier": _number(joint.mimic.multiplier), "offset": _number(joint.mimic.offset)}
        ElementTree.SubElement(element, "mimic", {"joint": joint.mimic.joint, **numbers})


def _limits(joint: Joint) -> dict[str, float]:
    """The attributes of a joint's limit; a continuous joint without any limit has none."""
    if joint.type == "continuous" and joint.effort is None and joint.velocity is None:
        return {}
    limits = {}
    if joint.type != "continuous":
        limits["lower"], limits["upper"] = joint.range if joint.range is not None else (-NO_LIMIT, NO_LIMIT)
    limits["effort"] = NO_LIMIT if joint.effort is None else joint.effort
    limits["velocity"] = NO_LIMIT if joint.velocity is None else joint.velocity
    return limits


def _add_origin(element: ElementTree.Element, X: Transform) -> None:
    position, quaternion = X
    if X != IDENTITY:
        ElementTree.SubElement(element, "origin", xyz=_numbers(position), rpy=_numbers(to_rpy(quaternion)))


def _numbers(values: Iterable[float]) -> str:
    return " ".join(_number(value) for value in values)


def _number(value: float) -> str:
    """15 digits, so that 0.1 + 0.2 is 0.3; without the numbers so small that readers take them for an error."""
    return f"{value:.15g}" if abs(value) > TINY else "0"
