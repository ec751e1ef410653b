"""Many things of one shape from one entry: each instance is an entity of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from roqsim.config.pose import Pose
from roqsim.config.schema import opt
from roqsim.context import Entity, SimContext
from roqsim.mj.attach import mark
from roqsim.mj.matter import set_geom_friction
from roqsim.spawning.placement import place_body

if TYPE_CHECKING:
    from roqsim.plugin import Plugin

Motion = Literal["physics", "static", "driven"]
Colour = tuple[float, float, float, float]
Friction = float | tuple[float, ...]

DENSITY = 300.0
"""Of what is given no mass, kg/m^3: a loaded parcel, or dry softwood (about 350 kg/m^3)."""

COLOUR: Colour = (0.76, 0.60, 0.42, 1.0)
"""Cardboard."""


@dataclass(frozen=True, kw_only=True)
class Matter:
    """What an instance is made of; one that leaves a key out takes the population's."""

    mass: float | None = opt(None, gt=0, unit="kg")
    """Mass; 300 kg/m^3 times the volume where nothing is said."""
    friction: Friction | None = opt(None, ge=0, length=(1, 3))
    """Friction: sliding, or a list of sliding, torsional (m) and rolling (m); MuJoCo's values for what is left out."""
    rgba: Colour | None = opt(None, ge=0, le=1)
    """Colour: red, green, blue, opacity."""
    motion: Motion | None = opt(None)
    """How it moves: physics (the default) moves it by forces, static not at all, driven only by being placed."""


@dataclass(frozen=True, kw_only=True)
class Instance(Matter):
    """One member of a population."""

    name: str | None = opt(None)
    """Name of its entity and body; the population's label and its number where nothing is said."""
    pose: Pose = opt(Pose())
    """Pose of its centre in the world."""


class Population(Protocol):
    """What a population's configuration has beside its shape."""

    mass: float | None
    friction: Friction | None
    rgba: Colour | None
    motion: Motion | None


def check_names(instances: tuple[Instance, ...]) -> None:
    """Refuses two instances of one name.

    Raises:
        ValueError: In the form that the configuration's reader turns into an error with its line.
    """
    seen: set[str] = set()
    for instance in instances:
        if instance.name in seen:
            raise ValueError(f"instances: expected names of their own, got {instance.name!r} twice; rename one of them")
        if instance.name is not None:
            seen.add(instance.name)


def populate(
    ctx: SimContext,
    plugin: Plugin,
    config: Population,
    instances: tuple[Instance, ...],
    shape: Callable[[Instance], Mapping[str, object]],
) -> list[Entity]:
    """Adds every instance to the world, as an entity named after it under the address ``<population>.<name>``.

    Args:
        ctx: The simulation that is being built.
        plugin: The population's component; its ``present`` holds for every instance.
        config: What an instance that leaves a key out takes.
        instances: The members.
        shape: The geom's ``type`` and ``size`` of an instance.
    """
    entities = []
    for index, instance in enumerate(instances):
        name = instance.name or f"{plugin.name}_{index}"
        motion = instance.motion or config.motion or "physics"
        entity, body = place_body(ctx, plugin=plugin, kind="object", name=name, pose=instance.pose, motion=motion)
        geom = body.add_geom(name=name, rgba=_first(instance.rgba, config.rgba, COLOUR), **shape(instance))
        mark(geom, entity.address)
        _set_matter(geom, instance, config)
        entities.append(entity)
    return entities


def _set_matter(geom: object, instance: Instance, config: Population) -> None:
    mass = _first(instance.mass, config.mass)
    if mass is None:
        geom.density = DENSITY
    else:
        geom.mass = mass
    friction = _first(instance.friction, config.friction)
    if friction is not None:
        set_geom_friction(geom, friction)


def _first(*values: object) -> object:
    return next((value for value in values if value is not None), None)
