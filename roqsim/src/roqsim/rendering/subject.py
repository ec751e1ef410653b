"""What a picture of a simulation is about: named entities, else the whole scene, else what stands in a vast one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

import mujoco
import numpy as np

from roqsim.context import Entity, SimContext
from roqsim.errors import NotFoundError, suggest
from roqsim.mj.poses import yaw_of
from roqsim.rendering.bounds import Boxes, box_around, boxes_of, carried_geoms, drawn_geoms

ROOM = 30.0
"""The diagonal in metres up to which a scene is shown as a whole."""

SMALL = 0.05
"""Half the edge in metres of the cube that stands for an entity without geoms."""

ANGLES = (125.0, -35.0)
"""Azimuth and elevation in degrees from which a world is looked at, where neither it nor the caller says."""

FRONT = (140.0, -22.0)
"""The same for one thing, against its own heading: its front and its right side."""

MUJOCO_ANGLES = (90.0, -45.0)
"""What MuJoCo takes where a model says nothing."""


def find_entity(ctx: SimContext, name: str, option: str) -> Entity:
    """The present entity of a name.

    Raises:
        NotFoundError: There is none, or it is absent; the option is named.
    """
    entity = ctx.entities.get(name)
    if entity is None:
        hint = suggest(name, ctx.entities.names())
        raise NotFoundError(f"{option}: expected the name of an entity, got {name!r}; {hint}")
    if not ctx.entities.is_present(entity):
        hint = suggest("", ctx.entities.names())
        raise NotFoundError(f"{option}: expected an entity that is present, got {name!r}, which is absent; {hint}")
    return entity


def boxes_of_entity(ctx: SimContext, entity: Entity) -> Boxes:
    """The boxes around what is drawn of an entity and of all that it carries; one small cube where that is nothing."""
    model, data = ctx.model, ctx.data
    body = int(entity.body or 0)
    geoms = np.intersect1d(carried_geoms(model, body), drawn_geoms(model)) if body else np.zeros(0, dtype=int)
    boxes = boxes_of(model, data, geoms)
    return boxes if len(boxes) else box_around(data.xpos[body], SMALL)


def subject_boxes(ctx: SimContext, focus: Sequence[str] = ()) -> Boxes:
    """The boxes around the subject, in the current state.

    Args:
        ctx: A simulation with a model.
        focus: Names of entities; none for the scene.

    Raises:
        NotFoundError: An entity does not exist or is absent.
    """
    ctx.refresh()
    if focus:
        named = [find_entity(ctx, name, "--focus") for name in focus]
        return _joined([boxes_of_entity(ctx, entity) for entity in named])
    scene = boxes_of(ctx.model, ctx.data, drawn_geoms(ctx.model))
    entities = [entity for entity in ctx.entities.all() if entity.body]
    if entities and (not len(scene) or scene.diagonal > ROOM):
        return _joined([boxes_of_entity(ctx, entity) for entity in entities])
    if not len(scene):
        return box_around(ctx.model.stat.center, float(ctx.model.stat.extent) / 2.0)
    return scene


def _joined(boxes: list[Boxes]) -> Boxes:
    return reduce(Boxes.__or__, boxes)


def preferred_angles(model: mujoco.MjModel) -> tuple[float, float]:
    """Azimuth and elevation in degrees: what the model states for MuJoCo's own viewer, else a view from a corner."""
    stated = (float(model.vis.global_.azimuth), float(model.vis.global_.elevation))
    return ANGLES if stated == MUJOCO_ANGLES else stated


def facing(ctx: SimContext, entity: Entity) -> tuple[float, float]:
    """Azimuth and elevation in degrees from which an entity shows its front."""
    yaw = yaw_of(tuple(ctx.data.xquat[int(entity.body or 0)].tolist()))
    return (FRONT[0] + math.degrees(yaw)) % 360.0, FRONT[1]
