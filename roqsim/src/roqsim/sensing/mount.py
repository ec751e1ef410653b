"""Where a sensor is fixed: the body or site of its entity that carries it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roqsim.config.pose import Pose
from roqsim.context import Entity, SimContext
from roqsim.mj import names, poses


@dataclass(frozen=True, eq=False)
class Mount:
    """The frame F that a sensor's ``pose`` is given in.

    Attributes:
        kind: ``body`` or ``site``.
        index: Its id in the model.
        body: The id of the body that it is part of.
        frame_id: The frame that data are stamped with.
        p_WF: ``(3,)`` live view of its position in the world in metres, as of the last kinematics.
        R_WF: ``(3, 3)`` live view of its axes in the world.
    """

    kind: str
    index: int
    body: int
    frame_id: str
    p_WF: np.ndarray
    R_WF: np.ndarray

    def place(self, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
        """Where a frame S of a pose in F stands in the world: ``(3,)`` metres and ``(3, 3)`` axes."""
        return self.p_WF + self.R_WF @ np.array(pose.position), self.R_WF @ poses.to_matrix(pose.quaternion)


def find_mount(
    ctx: SimContext, entity: Entity | None, *, body: str | None, site: str | None, frame_id: str | None, where: str
) -> Mount:
    """Finds the carrier of a sensor.

    Args:
        ctx: A simulation with model and data.
        entity: The entity that the sensor belongs to, or None for the world.
        body: The body's name without the entity's prefix; the entity's root body where neither is named.
        site: The site's name without the entity's prefix.
        frame_id: What the configuration says about the frame of the data; the entity's, else the carrier's name.
        where: The component's address.

    Raises:
        NotFoundError: If nothing has the name.
    """
    model, data = ctx.model, ctx.data
    prefix = entity.prefix if entity is not None else ""
    kind = "site" if site is not None else "body"
    name = site if site is not None else body
    if name is not None:
        index = names.object_id(model, kind, name, where=f"{where}.{kind}", prefix=prefix)
    else:
        index = (entity.body or 0) if entity is not None else 0
        name = names.name_of(model, "body", index).removeprefix(prefix)
    declared = entity.meta.get("frame_id") if entity is not None else None
    position, matrix = (data.xpos, data.xmat) if kind == "body" else (data.site_xpos, data.site_xmat)
    carrier = index if kind == "body" else int(model.site_bodyid[index])
    return Mount(kind, index, carrier, frame_id or declared or name, position[index], matrix[index].reshape(3, 3))
