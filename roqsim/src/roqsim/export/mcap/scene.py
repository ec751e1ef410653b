"""What there is to see, as a Foxglove scene: an entity for each body, fixed to the body's frame."""

from __future__ import annotations

import mujoco
import numpy as np

from roqsim.context import SimContext
from roqsim.export.mcap.messages import Message, pose_of, time_of, vector_of
from roqsim.export.motion import absent_bodies
from roqsim.export.surfaces import Surface, hfield_surface, mesh_surface, plane_surface
from roqsim.export.web.paint import paint_of
from roqsim.mj.poses import rotate
from roqsim.presence import Presence
from roqsim.rendering.scene import DRAWN_GROUPS

GROUND = 25.0
"""Half the length in metres of a plane without end."""

THROUGH = 0.15
"""The opacity of planes that are no ground: MuJoCo draws them from one side only, as this format cannot."""

UPRIGHT = 0.99
"""The least z of the normal of a plane that counts as ground."""

GEOM = mujoco.mjtGeom


class Scene:
    """The bodies with something to see, by their frames.

    Args:
        ctx: A simulation after a reset.
        frames: The name of every body's frame.
    """

    def __init__(self, ctx: SimContext, frames: list[str]) -> None:
        self._ctx, self._frames = ctx, frames
        groups = ctx.blackboard.require("presence", Presence).values("geom_group")
        self._entities: dict[int, Message] = {}
        for geom in np.flatnonzero(np.isin(groups, DRAWN_GROUPS)).tolist():
            body = int(ctx.model.geom_bodyid[geom])
            for kind, primitive in _primitives(ctx, geom):
                entity = self._entities.setdefault(body, {"frame_id": frames[body], "id": frames[body]})
                entity.setdefault(kind, []).append(primitive)
        self._shown: set[int] = set()

    def update(self, stamp_ns: int) -> Message | None:
        """What appeared and what went since the last time; None where nothing did."""
        absent = absent_bodies(self._ctx)
        wanted = {body for body in self._entities if not absent[body]}
        came, went = sorted(wanted - self._shown), sorted(self._shown - wanted)
        self._shown = wanted
        if not came and not went:
            return None
        time = time_of(stamp_ns)
        entities = [{**self._entities[body], "timestamp": time, "frame_locked": True} for body in came]
        # A deletion takes what is older than itself.
        deletions = [{"timestamp": time, "type": 0, "id": self._frames[body]} for body in went]
        return {"entities": entities, "deletions": deletions}


def _primitives(ctx: SimContext, geom: int) -> list[tuple[str, Message]]:
    """The field of a scene entity and the primitive in it, for each part of a geom."""
    model = ctx.model
    paint = paint_of(model, model.geom_rgba[geom], int(model.geom_matid[geom]))
    kind = int(model.geom_type[geom])
    position, quaternion = tuple(model.geom_pos[geom].tolist()), tuple(model.geom_quat[geom].tolist())
    a, b, c = model.geom_size[geom].tolist()
    is_wall = kind == GEOM.mjGEOM_PLANE and float(ctx.data.geom_xmat[geom][8]) < UPRIGHT
    red, green, blue, alpha = paint.rgba
    if alpha <= 0.0:
        return []
    common = {
        "pose": pose_of(position, quaternion),
        "color": {"r": red, "g": green, "b": blue, "a": alpha * THROUGH if is_wall else alpha},
    }
    if kind == GEOM.mjGEOM_BOX:
        return [("cubes", {**common, "size": vector_of((2 * a, 2 * b, 2 * c))})]
    if kind in (GEOM.mjGEOM_SPHERE, GEOM.mjGEOM_ELLIPSOID):
        radii = (a, a, a) if kind == GEOM.mjGEOM_SPHERE else (a, b, c)
        return [("spheres", {**common, "size": vector_of([2 * radius for radius in radii])})]
    if kind in (GEOM.mjGEOM_CYLINDER, GEOM.mjGEOM_CAPSULE):
        tube = {**common, "size": vector_of((2 * a, 2 * a, 2 * b)), "bottom_scale": 1.0, "top_scale": 1.0}
        ends = (-b, b) if kind == GEOM.mjGEOM_CAPSULE else ()
        caps = []
        for end in ends:
            offset = rotate(quaternion, (0.0, 0.0, end))
            place = tuple(p + o for p, o in zip(position, offset, strict=True))
            caps.append(("spheres", {**common, "pose": pose_of(place, quaternion), "size": vector_of([2 * a] * 3)}))
        return [("cylinders", tube), *caps]
    surface = _surface(model, geom, kind)
    if surface is None:
        return []
    return [("triangles", {**common, "points": surface.vertices, "indices": surface.triangles})]


def _surface(model: mujoco.MjModel, geom: int, kind: int) -> Surface | None:
    index = int(model.geom_dataid[geom])
    if kind == GEOM.mjGEOM_PLANE:
        half_x, half_y, _ = model.geom_size[geom].tolist()
        return plane_surface(half_x or GROUND, half_y or GROUND)
    if kind in (GEOM.mjGEOM_MESH, GEOM.mjGEOM_SDF):
        return mesh_surface(model, index)
    return hfield_surface(model, index) if kind == GEOM.mjGEOM_HFIELD else None
