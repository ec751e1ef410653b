"""Mass, friction and colour of a whole model, before it is attached."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco

from roqsim.mj.log import compile_to_measure

Friction = float | Sequence[float]


def total_mass(spec: mujoco.MjSpec, where: str) -> float:
    """The mass of a model in kilograms; compiles it.

    Raises:
        BuildError: If it does not compile; the text begins with ``where``.
    """
    return float(compile_to_measure(spec, where).body_mass.sum())


def colliding_geoms(spec: mujoco.MjSpec) -> list[object]:
    """The geoms of a model that can touch others."""
    return [geom for geom in spec.geoms if geom.contype or geom.conaffinity]


def set_friction(spec: mujoco.MjSpec, friction: Friction) -> int:
    """Sets the friction of every geom that can touch others.

    Args:
        spec: The model.
        friction: Sliding (no unit), or one to three of sliding, torsional and rolling (metres); the others stay.

    Returns:
        How many geoms were changed.
    """
    geoms = colliding_geoms(spec)
    for geom in geoms:
        set_geom_friction(geom, friction)
    return len(geoms)


def set_geom_friction(geom: object, friction: Friction) -> None:
    """Sets the friction of one geom; what is left out stays."""
    values = (friction,) if isinstance(friction, int | float) else friction
    geom.friction[: len(values)] = values


VISIBLE_GROUPS = 3
"""MuJoCo draws the geom groups below this one unless told otherwise."""


def set_colour(spec: mujoco.MjSpec, rgba: Sequence[float]) -> None:
    """Paints every visible geom in one colour, red, green, blue and opacity from 0 to 1."""
    for geom in spec.geoms:
        if geom.group < VISIBLE_GROUPS:
            geom.rgba = rgba
            geom.material = ""
