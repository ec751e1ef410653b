"""Which entity a geom belongs to, as a label for every geom."""

from __future__ import annotations

import mujoco
import numpy as np
from roqsim.context import Entity

LARGEST_LABEL = 65535
"""What a 16 bit picture holds."""


def label_geoms(model: mujoco.MjModel, entities: list[Entity]) -> tuple[np.ndarray, dict[int, str]]:
    """Numbers the entities from 1 in their order, and gives each geom the number of the nearest one above it.

    Args:
        model: The compiled model.
        entities: All entities, absent ones included, so that a label means the same for the whole run.

    Returns:
        ``(ngeom + 1,)`` uint16 by geom id, 0 for a geom that belongs to nobody and, last, for no geom at all; and the
        names by label.

    Raises:
        ValueError: If there are more entities than labels.
    """
    if len(entities) > LARGEST_LABEL:
        raise ValueError(f"expected at most {LARGEST_LABEL} entities, got {len(entities)}")
    bodies = np.zeros(model.nbody, np.uint16)
    own = np.zeros(model.nbody, bool)
    names = {}
    for label, entity in enumerate(entities, start=1):
        names[label] = entity.name
        if entity.body:
            bodies[entity.body], own[entity.body] = label, True
    for body in range(1, model.nbody):
        if not own[body]:
            bodies[body] = bodies[model.body_parentid[body]]
    return np.append(bodies[model.geom_bodyid], np.uint16(0)), names
