"""Boxes: crates, shelves, blocks, anything with six sides."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from roqsim.config.schema import need, opt
from roqsim.context import SimContext
from roqsim.plugin import Plugin
from roqsim.spawning.population import Instance, Matter, check_names, populate

Size = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class BoxConfig(Instance):
    """One box."""

    size: Size | None = opt(None, gt=0, unit="m")
    """Edge lengths along its own x, y and z; the population's where nothing is said."""


@dataclass(frozen=True, kw_only=True)
class BoxesConfig(Matter):
    """Boxes of one kind."""

    instances: tuple[BoxConfig, ...] = need(length=(1, 20_000))
    """The boxes."""
    size: Size | None = opt(None, gt=0, unit="m")
    """Edge lengths of a box that has none of its own."""

    def __post_init__(self) -> None:
        check_names(self.instances)
        for index, box in enumerate(self.instances):
            if box.size is None and self.size is None:
                raise ValueError(f"instances: expected a size for box {index}, got none; add 'size: [x, y, z]'")


class Boxes(Plugin):
    """A population of boxes, each an entity of its own.

    What is nested under it and needs an entity, such as a sensor, needs a population of one.
    """

    Config = BoxesConfig
    provides_entity = True

    def build(self, spec: mujoco.MjSpec, ctx: SimContext) -> None:
        """Adds the boxes."""
        populate(ctx, self, self.config, self.config.instances, self._shape)

    def _shape(self, box: BoxConfig) -> dict[str, object]:
        size = box.size or self.config.size
        return {"type": mujoco.mjtGeom.mjGEOM_BOX, "size": [edge / 2.0 for edge in size]}
