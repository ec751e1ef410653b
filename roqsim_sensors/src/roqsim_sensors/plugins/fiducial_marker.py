"""A marker that cameras find: an AprilTag or ArUco code on a plate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import mujoco
from roqsim.config.pose import Pose
from roqsim.config.schema import need, opt
from roqsim.context import SimContext
from roqsim.plugin import Plugin
from roqsim.spawning.placement import place

from roqsim_sensors.cameras.fiducials import Family, modules, plate


@dataclass(frozen=True, kw_only=True)
class FiducialMarkerConfig:
    """A code, the plate that it is printed on, and where that is."""

    id: int = need(ge=0)
    """Number of the marker in its family."""
    family: Family = opt("apriltag_36h11")
    """Family of codes."""
    size: float = opt(0.2, gt=0, unit="m")
    """Edge of the plate, white margin included; `meta` of the entity has the edge of the black square."""
    border: int = opt(1, ge=1, le=10)
    """Width of the white margin around the black square in modules, the squares that the code is made of."""
    thickness: float = opt(0.003, gt=0, unit="m")
    """Thickness of the plate, behind the printed face."""
    mass: float | None = opt(None, gt=0, unit="kg")
    """Mass; that of a plate of 600 kg/m^3 (plywood) where nothing is said."""
    pose: Pose = opt(Pose())
    """Pose in the world or in `parent` of the middle of the printed face: x right, y up, z out of it."""
    parent: str | None = opt(None, empty=True)
    """Body or site of the owning entity that it is fixed to, without the owner's prefix; its root body by default."""
    motion: Literal["physics", "static", "driven"] = opt("static")
    """How it moves where it is fixed to nothing: static not at all, physics by forces, driven by being placed."""


DENSITY = 600.0
"""Of plywood, in kg/m^3."""


class FiducialMarker(Plugin):
    """Puts a marker into the world, or onto the entity that it is nested under.

    It is an entity of kind ``marker``; its ``meta`` has ``family``, ``id``, ``size`` and ``marker_length``: the edge of
    the black square in metres, which detectors ask for.
    """

    Config = FiducialMarkerConfig
    provides_entity = True

    def build(self, spec: mujoco.MjSpec, ctx: SimContext) -> None:
        """Adds the plate."""
        config = self.config
        pattern = modules(config.family, config.id, config.border, f"{self.address}.id")
        child = plate(f"{config.family}_{config.id}", pattern, config.size, config.thickness)
        solid = child.geoms[-1]
        solid.density = DENSITY
        if config.mass is not None:
            solid.mass = config.mass
        carrier = ctx.owner_of(self)
        entity = place(
            ctx,
            child,
            plugin=self,
            kind="marker",
            pose=config.pose,
            parent=None if carrier is None else config.parent or "",
            motion=config.motion,
        )
        entity.meta |= {
            "family": config.family,
            "id": config.id,
            "size": config.size,
            "marker_length": config.size * (1.0 - 2.0 * config.border / len(pattern)),
        }
