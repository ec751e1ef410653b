"""The one place where rays are cast, so that every sensor sees the same world.

Absent entities are never hit, nor is render-only geometry (group 2, by convention of MuJoCo's model collections), nor
what is welded to the sensor's own carrier. Rays are unit vectors, distances metres, and nothing lies beyond the far
limit, which MuJoCo's own ``cutoff`` only uses to cull.
"""

from __future__ import annotations

from roqsim.raycast.caster import GROUPS, VISUAL_GROUP, RayCaster, cast, unit, visible_groups, welded_geoms

__all__ = ["GROUPS", "VISUAL_GROUP", "RayCaster", "cast", "unit", "visible_groups", "welded_geoms"]
