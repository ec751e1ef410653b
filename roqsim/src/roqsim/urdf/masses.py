"""The masses of a URDF: inertias that a body can have, and something to move behind every joint."""

from __future__ import annotations

import numpy as np

from roqsim.urdf.complaints import Complaints
from roqsim.urdf.description import Description
from roqsim.urdf.options import UrdfConfig
from roqsim.urdf.report import Report
from roqsim.urdf.source import Element
from roqsim.urdf.values import INERTIA, number

ROUNDING = 1e-6
"""How much, in proportion, a flat body's inertias may miss the triangle inequality by the rounding of its numbers."""

ROOM = 1e-9
"""How much, in proportion, its inertias keep from that inequality, so that MuJoCo's rounding does not break it."""

LEAST = 1e-15
"""MuJoCo's mjMINVAL: the least mass in kg and inertia in kg m² of a body that moves."""


def check_masses(
    robot: Description, options: UrdfConfig, roots: list[str], complaints: Complaints, report: Report
) -> tuple[set[str], set[str]]:
    """Checks the masses of all links, and corrects inertias where that was asked for.

    Args:
        robot: The description; the inertias in it may be changed.
        options: What was asked for.
        roots: The links that become root bodies.
        complaints: Takes what is wrong.
        report: Takes what is assumed, and whether the root bodies have a mass.

    Returns:
        The links whose mass comes from their collision shapes, and those whose mass is stated and whose moments of
        inertia come from them.
    """
    unturned = {name for name, link in robot.links.items() if _takes_moments(name, link, options, report)}
    for name, link in robot.links.items():
        _check_inertial(name, link, options, complaints, report)
    complaints.check()
    shaped: set[str] = set()
    for joint in robot.joints.values():
        if joint.type != "fixed":
            shaped.update(_mass_of_group(robot, joint.child, joint.name, options, complaints, report))
    for root in roots:
        shaped.update(_mass_of_group(robot, root, None, options, complaints, report))
    groups = [[robot.links[name] for name in robot.welded(root)] for root in roots]
    report.base_has_mass = all(any(_can_move(link) or link.get("name") in shaped for link in group) for group in groups)
    return shaped, unturned


def has_mass(link: Element) -> bool:
    """Whether a link states a mass."""
    return number(link.find("inertial/mass"), "value") > 0.0


def _mass_of_group(
    robot: Description, root: str, joint: str | None, options: UrdfConfig, complaints: Complaints, report: Report
) -> list[str]:
    """Makes sure that a link and what is fixed to it has a mass; returns those that get theirs from their shapes."""
    group = [robot.links[name] for name in robot.welded(root)]
    if any(has_mass(link) for link in group):
        if joint is not None and not any(_can_move(link) for link in group):
            heavy = next(link for link in group if has_mass(link))
            text = "<inertia> of zeros" if heavy.find("inertial/inertia").line else "no <inertia> and no shape"
            hint = "write its moments of inertia"
            complaints.add(f"link {heavy.get('name')!r}", f"an inertia to turn with joint {joint!r}", text, heavy, hint)
        return []
    shaped = [link.get("name") for link in group if link.find("collision") is not None and options.collision]
    if shaped:
        names = ", ".join(repr(name) for name in shaped)
        text = f"{options.density:g} kg/m³ for the collision shapes of {names}, which state no mass"
        report.add("assumed", text, robot.links[shaped[0]])
    elif joint is not None:
        link = robot.links[root]
        mass = link.find("inertial/mass")
        got = "none" if mass is None else repr(mass.get("value"))
        hint = "add an <inertial>, or make the joint fixed"
        complaints.add(
            f"link {root!r}", f"a mass above 0 to move by joint {joint!r}", got, link if mass is None else mass, hint
        )
    return shaped


def _can_move(link: Element) -> bool:
    inertia = link.find("inertial/inertia")
    if not has_mass(link) or inertia is None or number(link.find("inertial/mass"), "value") < LEAST:
        return False
    return bool(np.linalg.eigvalsh(_tensor(inertia)).min() >= LEAST)


def _takes_moments(name: str, link: Element, options: UrdfConfig, report: Report) -> bool:
    """Writes an ``<inertia>`` where a mass has none; whether its shapes are to give it better ones."""
    inertial = link.find("inertial")
    if inertial is None or inertial.find("mass") is None or inertial.find("inertia") is not None:
        return False
    made = Element("inertia", dict.fromkeys(INERTIA, "0"))
    inertial.append(made)
    if not has_mass(link):
        return False
    has_shape = options.collision and link.find("collision") is not None
    if has_shape:
        mass = inertial.find("mass").get("value")
        made.attrib |= {"ixx": mass, "iyy": mass, "izz": mass}
    how = "those of its collision shapes" if has_shape else "none, as of a point"
    report.add("assumed", f"moments of inertia of link {name!r}, which states a mass and no <inertia>: {how}", inertial)
    return has_shape


def _check_inertial(name: str, link: Element, options: UrdfConfig, complaints: Complaints, report: Report) -> None:
    inertial = link.find("inertial")
    if inertial is None:
        return
    about = f"link {name!r}"
    if inertial.find("mass") is None:
        complaints.add(about, "<mass> in <inertial>", "none", inertial, "add <mass …/>")
        return
    mass, inertia = number(inertial.find("mass"), "value"), inertial.find("inertia")
    tensor = _tensor(inertia)
    if mass == 0.0:
        if tensor.any():
            report.add("dropped", f"the inertia of {about}, whose mass is 0", inertia)
        return
    _check_inertia(about, inertia, tensor, options, complaints, report)


def _check_inertia(
    about: str, inertia: Element, tensor: np.ndarray, options: UrdfConfig, complaints: Complaints, report: Report
) -> None:
    moments, axes = np.linalg.eigh(tensor)
    hint = "correct it, or have it balanced: --balance-inertia, in a world 'urdf: {balance_inertia: true}'"
    shown = ", ".join(f"{moment:.6g}" for moment in moments)
    slack = moments[0] + moments[1] - moments[2]
    if moments[0] >= 0.0 and slack > ROOM * moments[2]:
        return
    if moments[0] >= -ROUNDING * moments[2] and slack >= -ROUNDING * moments[2]:
        # The largest moment may be the sum of the others, as a flat plate's is, but not the last digit more.
        moments = np.maximum(moments, 0.0)
        moments[:2] += 0.5 * max((1.0 + ROOM) * moments[2] - moments[0] - moments[1], 0.0)
    elif options.balance_inertia:
        moments = np.full(3, moments.mean())
        report.add("assumed", f"{moments[0]:.6g} kg m² about every axis of {about}, not {shown}", inertia)
    else:
        rule = "an inertia whose principal moments are above 0, none larger than the other two together"
        complaints.add(about, rule, shown, inertia, hint)
        return
    _write(inertia, axes @ np.diag(moments) @ axes.T)


def _tensor(inertia: Element) -> np.ndarray:
    """``(3, 3)`` inertia about the centre of mass, along the axes of the inertial frame, in kg m²."""
    xx, xy, xz, yy, yz, zz = (number(inertia, key) for key in INERTIA)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _write(inertia: Element, tensor: np.ndarray) -> None:
    rows, columns = np.triu_indices(3)
    for key, value in zip(INERTIA, tensor[rows, columns].tolist(), strict=True):
        inertia.set(key, repr(value))
