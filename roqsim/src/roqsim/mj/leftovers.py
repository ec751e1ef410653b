"""What MuJoCo leaves behind when it attaches a model: elements that refer to something the model does not have.

Compiled alone, such a model is refused; attached, it just lacks a motor or a sensor. So the two models are counted.
"""

from __future__ import annotations

import logging

import mujoco

from roqsim.errors import BuildError

LOG = logging.getLogger("roqsim")

GROUPS = {
    "actuators": "actuator",
    "sensors": "sensor",
    "equalities": "equality constraint",
    "tendons": "tendon",
    "pairs": "contact pair",
    "excludes": "contact exclusion",
}
"""The lists of a spec whose elements refer to others by name, and what one of them is called."""

REFERENCES = "target refsite slidersite objname refname name1 name2 geomname1 geomname2 bodyname1 bodyname2".split()
"""The attributes that hold such names."""


def counts(spec: mujoco.MjSpec) -> dict[str, int]:
    """How many elements each of these lists has."""
    return {group: len(getattr(spec, group)) for group in GROUPS}


def check_nothing_left(
    parent: mujoco.MjSpec, child: mujoco.MjSpec, before: dict[str, int], prefix: str, owner: str
) -> None:
    """Refuses a model of which something did not arrive.

    An element that refers to the world, which is no part of a model, is only warned about.

    Args:
        parent: The world, after the attach.
        child: The model that was attached.
        before: What ``counts`` said of the world before it.
        prefix: What the model's names begin with in the world.
        owner: Whose error it is.

    Raises:
        BuildError: Naming each element and what it refers to.
    """
    now, wanted = counts(parent), counts(child)
    short = [group for group in GROUPS if now[group] - before[group] < wanted[group]]
    if not short:
        return
    known = {element.name.removeprefix(prefix) for element in _named(child)}
    problems: list[str] = []
    for group in short:
        arrived = {element.name for element in getattr(parent, group)}
        for element in getattr(child, group):
            if not element.name or (element.name not in arrived and prefix + element.name not in arrived):
                problems += _problems(element, group, known, owner)
    if problems:
        raise BuildError("\n".join(problems))
    LOG.warning("%s: %s left out, because the world is no part of a model", owner, " and ".join(map(_many, short)))


def _named(spec: mujoco.MjSpec) -> list[object]:
    lists = "bodies joints geoms sites cameras tendons actuators sensors equalities flexes skins".split()
    return [element for name in lists for element in getattr(spec, name)]


def _many(group: str) -> str:
    return f"{GROUPS[group]} elements"


def _problems(element: object, group: str, known: set[str], owner: str) -> list[str]:
    kind, name = GROUPS[group], element.name
    subject = f"the {kind} {name!r}" if name else f"every {kind}"
    if group == "tendons":
        return [f"{owner}: expected {subject} to run over what the model has, got something else; correct its names"]
    found = {attribute: str(getattr(element, attribute, "") or "") for attribute in REFERENCES}
    return [
        f"{owner}: expected {subject} to refer to what the model has, got {value!r}; correct the name"
        for value in found.values()
        if value and value not in known
    ]
