"""Cylinders: posts, bins, pipes, table legs."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from roqsim.config.schema import need, opt
from roqsim.context import SimContext
from roqsim.plugin import Plugin
from roqsim.spawning.population import Instance, Matter, check_names, populate


@dataclass(frozen=True, kw_only=True)
class CylinderConfig(Instance):
    """One cylinder; its axis is its own z axis."""

    radius: float | None = opt(None, gt=0, unit="m")
    """Radius; the population's where nothing is said."""
    height: float | None = opt(None, gt=0, unit="m")
    """Length along its axis; the population's where nothing is said."""


@dataclass(frozen=True, kw_only=True)
class CylindersConfig(Matter):
    """Cylinders of one kind."""

    instances: tuple[CylinderConfig, ...] = need(length=(1, 20_000))
    """The cylinders."""
    radius: float | None = opt(None, gt=0, unit="m")
    """Radius of a cylinder that has none of its own."""
    height: float | None = opt(None, gt=0, unit="m")
    """Height of a cylinder that has none of its own."""

    def __post_init__(self) -> None:
        check_names(self.instances)
        for index, cylinder in enumerate(self.instances):
            for key in ("radius", "height"):
                if getattr(cylinder, key) is None and getattr(self, key) is None:
                    raise ValueError(f"instances: expected a {key} for cylinder {index}, got none; add '{key}: …'")


class Cylinders(Plugin):
    """A population of upright cylinders, each an entity of its own.

    What is nested under it and needs an entity, such as a sensor, needs a population of one.
    """

    Config = CylindersConfig
    provides_entity = True

    def build(self, spec: mujoco.MjSpec, ctx: SimContext) -> None:
        """Adds the cylinders."""
        populate(ctx, self, self.config, self.config.instances, self._shape)

    def _shape(self, cylinder: CylinderConfig) -> dict[str, object]:
        radius = cylinder.radius or self.config.radius
        height = cylinder.height or self.config.height
        return {"type": mujoco.mjtGeom.mjGEOM_CYLINDER, "size": [radius, height / 2.0, 0.0]}
