"""What is drawn of a model: its geoms, skins and flexes, with the triangles that a browser cannot make by itself."""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np

from roqsim.export.surfaces import Surface, hfield_surface, mesh_surface, plane_surface
from roqsim.export.web.binary import BONES, FLOATS, INDICES, Binary
from roqsim.export.web.deformables import Deformable, flex_deformable, skin_deformable
from roqsim.export.web.paint import Paint, Palette, paint_of

SHAPES = {
    int(mujoco.mjtGeom.mjGEOM_PLANE): "plane",
    int(mujoco.mjtGeom.mjGEOM_SPHERE): "sphere",
    int(mujoco.mjtGeom.mjGEOM_ELLIPSOID): "ellipsoid",
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): "capsule",
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): "cylinder",
    int(mujoco.mjtGeom.mjGEOM_BOX): "box",
}
"""The shapes that a browser makes by itself from their size."""

MESHES = (int(mujoco.mjtGeom.mjGEOM_MESH), int(mujoco.mjtGeom.mjGEOM_SDF))
HFIELD = int(mujoco.mjtGeom.mjGEOM_HFIELD)
PLANE = int(mujoco.mjtGeom.mjGEOM_PLANE)

UPRIGHT = 0.99
"""The least z of the normal of a plane that counts as ground, and is drawn from both sides."""


@dataclass
class Drawing:
    """Collects what is drawn, as a scene lists it.

    Attributes:
        model: The compiled model.
        data: A state whose kinematics are current.
        bodies: A name for every body.
        palette: The materials and textures.
        binary: The numbers.
        meshes: Triangles.
        skins: How the vertices of some meshes follow bodies.
        geoms: What is drawn.
    """

    model: mujoco.MjModel
    data: mujoco.MjData
    bodies: list[str]
    palette: Palette
    binary: Binary = field(default_factory=Binary)
    meshes: list[dict[str, object]] = field(default_factory=list)
    skins: list[dict[str, object]] = field(default_factory=list)
    geoms: list[dict[str, object]] = field(default_factory=list)
    _known: dict[tuple[int, int, bool], int] = field(default_factory=dict)

    def add_skin(self, skin: int) -> None:
        """Draws a skin."""
        model = self.model
        paint = paint_of(model, model.skin_rgba[skin], int(model.skin_matid[skin]))
        self._add_deformable(paint, skin_deformable(model, skin))

    def add_flex(self, flex: int) -> None:
        """Draws a flex."""
        model = self.model
        paint = paint_of(model, model.flex_rgba[flex], int(model.flex_matid[flex]))
        self._add_deformable(paint, flex_deformable(model, self.data, flex))

    def add_geom(self, geom: int) -> None:
        """Draws a geom, unless it is wholly transparent."""
        model = self.model
        paint = paint_of(model, model.geom_rgba[geom], int(model.geom_matid[geom]))
        kind = int(model.geom_type[geom])
        if paint.rgba[3] <= 0.0:
            return
        told = {
            "body": int(model.geom_bodyid[geom]),
            "type": SHAPES.get(kind, "mesh"),
            "pos": model.geom_pos[geom].tolist(),
            "quat": model.geom_quat[geom].tolist(),
            "size": model.geom_size[geom].tolist(),
            "matid": self.palette.material(paint),
            "rgba": list(paint.rgba),
        }
        size = tuple(told["size"][:2])
        is_wall = kind == PLANE and min(size) > 0.0 and self.data.geom_xmat[geom][8] < UPRIGHT
        if kind in MESHES or kind == HFIELD:
            told["mesh"] = self._mesh(kind, int(model.geom_dataid[geom]), paint)
        elif is_wall:
            # A browser's plane is seen from both sides, which would hide a room from a camera outside.
            told["type"] = "mesh"
            told["mesh"] = self._surface(_repeated(plane_surface(*size), paint, size))
        elif kind not in SHAPES:
            return
        self.geoms.append(told)

    def _mesh(self, kind: int, index: int, paint: Paint) -> int:
        model, textured = self.model, paint.texture >= 0
        if kind == HFIELD:
            half = tuple(model.hfield_size[index, :2].tolist())
            return self._surface(_repeated(hfield_surface(model, index), paint, half))
        key = (kind, index, textured)
        if key not in self._known:
            surface = mesh_surface(model, index)
            self._known[key] = self._surface(surface if textured else _plain(surface))
        return self._known[key]

    def _surface(self, surface: Surface) -> int:
        told = {
            "vert": self.binary.add(surface.vertices, FLOATS),
            "index": self.binary.add(surface.triangles, INDICES),
        }
        if surface.uv is not None:
            told["uv"] = self.binary.add(surface.uv, FLOATS)
        self.meshes.append(told)
        return len(self.meshes) - 1

    def _add_deformable(self, paint: Paint, bent: Deformable) -> None:
        if paint.rgba[3] <= 0.0 or not len(bent.surface.triangles):
            return
        surface = bent.surface if paint.texture >= 0 else _plain(bent.surface)
        self.skins.append(
            {
                "bones": [self.bodies[body] for body in bent.bodies.tolist()],
                "bindpos": bent.bind_positions.tolist(),
                "bindquat": bent.bind_quaternions.tolist(),
                "skinIndex": self.binary.add(bent.followed, BONES),
                "skinWeight": self.binary.add(bent.weights, FLOATS),
            }
        )
        self.geoms.append(
            {
                "body": 0,
                "type": "mesh",
                "pos": [0.0] * 3,
                "quat": [1.0, 0.0, 0.0, 0.0],
                "size": [0.0] * 3,
                "matid": self.palette.material(paint),
                "rgba": list(paint.rgba),
                "mesh": self._surface(surface),
                "skin": len(self.skins) - 1,
            }
        )


def _plain(surface: Surface) -> Surface:
    return Surface(surface.vertices, surface.triangles)


def _repeated(surface: Surface, paint: Paint, half: tuple[float, ...]) -> Surface:
    """A surface whose texture coordinates count the repetitions of a paint over ``2 * half`` metres."""
    if paint.texture < 0 or surface.uv is None:
        return _plain(surface)
    metres = np.array([2.0 * length for length in half]) if paint.per_metre else 1.0
    return Surface(surface.vertices, surface.triangles, surface.uv * np.array(paint.repeat) * metres)
