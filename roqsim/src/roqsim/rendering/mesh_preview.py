"""The component that shows a bare mesh: ``roqsim.rendering.mesh_preview:MeshPreview``, in the world ``studio``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import mujoco

from roqsim.config.pose import Pose
from roqsim.config.schema import need, opt
from roqsim.context import Entity, SimContext
from roqsim.errors import NotFoundError
from roqsim.plugin import Plugin

MESHES = (".stl", ".obj")
"""The suffixes of the files that MuJoCo reads."""

CLAY = (0.55, 0.62, 0.70, 1.0)


@dataclass(frozen=True, kw_only=True)
class MeshPreviewConfig:
    """A mesh."""

    file: str = need()
    """Path of an STL or OBJ file."""
    pose: Pose = opt(Pose())
    """Pose of the mesh's own frame in the world."""
    rgba: tuple[float, float, float, float] = opt(CLAY, ge=0, le=1)
    """Colour: red, green, blue, opacity."""


class MeshPreview(Plugin):
    """A mesh to look at: it weighs nothing and touches nothing."""

    Config = MeshPreviewConfig
    provides_entity = True

    def sources(self) -> list[Path]:
        """The mesh."""
        return [self.base_dir / self.config.file]

    def build(self, spec: mujoco.MjSpec, ctx: SimContext) -> None:
        """Adds the mesh."""
        path = self.base_dir / self.config.file
        if not path.is_file():
            raise NotFoundError(f"{self.address}.file: expected a mesh, got no such file {str(path)!r}; check the path")
        # As a shell, it need not be closed.
        spec.add_mesh(name=self.name, file=str(path.absolute()), inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)
        pose = self.config.pose
        body = spec.worldbody.add_body(name=self.name, pos=pose.position, quat=pose.quaternion)
        material = spec.add_material(name=self.name, rgba=self.config.rgba)
        material.specular, material.shininess = 0.3, 0.3
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=self.name, material=self.name, contype=0, conaffinity=0)
        starts_present = self.present is not False
        ctx.entities.add(
            Entity(
                self.name,
                "object",
                address=self.address,
                body_name=self.name,
                present=starts_present,
                starts_present=starts_present,
            )
        )
