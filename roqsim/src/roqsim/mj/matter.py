"""Mass, friction and colour of a whole model, before it is attached."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco


def total_mass(spec: mujoco.MjSpec) -> float:
    """The mass of a model in kilograms; compiles it."""
    return float(spec.compile().body_mass.sum())


def colliding_geoms(spec: mujoco.MjSpec) -> list[object]:
    """The geoms of a model that can touch others."""
    return [geom for geom in spec.geoms if geom.contype or geom.conaffinity]


def set_friction(spec: mujoco.MjSpec, friction: Sequence[float]) -> int:
    """Sets the friction of every geom that can touch others.

    Args:
        spec: The model.
        friction: One to three of sliding (no unit), torsional and rolling (metres); what is left out stays.

    Returns:
        How many geoms were changed.
    """
    geoms = colliding_geoms(spec)
    for geom in geoms:
        geom.friction[: len(friction)] = friction
    return len(geoms)


VISIBLE_GROUPS = 3
"""MuJoCo draws the geom groups below this one unless told otherwise."""


def set_colour(spec: mujoco.MjSpec, rgba: Sequence[float]) -> None:
    """Paints every visible geom in one colour, red, green, blue and opacity from 0 to 1."""
    for geom in spec.geoms:
        if geom.group < VISIBLE_GROUPS:
            geom.rgba = rgba
            geom.material = ""
