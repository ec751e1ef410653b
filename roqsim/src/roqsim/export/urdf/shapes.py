"""The geoms of a body as visuals and collisions of a link."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np

from roqsim.export.urdf.names import Names, file_name
from roqsim.export.urdf.part import Part
from roqsim.export.urdf.robot import Link, Robot, Shape
from roqsim.export.urdf.solids import mesh_file, unit_sphere
from roqsim.mj.matter import VISIBLE_GROUPS
from roqsim.mj.names import name_of
from roqsim.mj.poses import IDENTITY, Transform, compose

SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF = (
    int(getattr(mujoco.mjtGeom, f"mjGEOM_{kind}"))
    for kind in ("SPHERE", "CAPSULE", "ELLIPSOID", "CYLINDER", "BOX", "MESH", "SDF")
)

UNSAYABLE = {int(mujoco.mjtGeom.mjGEOM_PLANE): "plane", int(mujoco.mjtGeom.mjGEOM_HFIELD): "height field"}
"""Geoms that URDF has no shape for."""

SPHERE_MESH = "unit_sphere.stl"

DEFAULT_RGBA = (0.5, 0.5, 0.5, 1.0)
"""A geom of this colour takes its material's."""


class Shapes:
    """Adds the shapes of geoms to links.

    Args:
        part: The part of the world.
        robot: Takes materials, meshes and what can't be said.
        suffix: The kind of mesh files, ``.stl`` or ``.obj``.
    """

    def __init__(self, part: Part, robot: Robot, suffix: str = ".stl") -> None:
        self._part, self._robot, self._suffix = part, robot, suffix
        self._files: dict[int, str] = {}
        self._taken = Names()
        self._taken.reserve([Path(SPHERE_MESH).stem])
        model = part.model
        self._paired = set(model.pair_geom1.tolist()) | set(model.pair_geom2.tolist())
        self._names = Names(part.prefix, *part.others)

    def add(self, body: int, link: Link) -> None:
        """Adds the shapes of a body."""
        model = self._part.model
        for geom in self._part.geoms_of(body):
            touches = bool(model.geom_contype[geom] or model.geom_conaffinity[geom] or geom in self._paired)
            is_drawn = int(model.geom_group[geom]) < VISIBLE_GROUPS and self._colour(geom)[3] > 0.0
            if not touches and not is_drawn:
                self._robot.lose(f"geoms of link {link.name!r} that neither touch nor are drawn are left out")
                continue
            kind = UNSAYABLE.get(int(model.geom_type[geom]))
            if kind is not None:
                self._robot.lose(f"a {kind} of link {link.name!r} is left out: URDF has no shape for it")
                continue
            shapes = self._shapes(geom, link)
            if touches:
                link.collisions += shapes
            if is_drawn:
                material = self._material(geom)
                # MuJoCo's reader wants names of visuals and collisions that differ.
                end = "_visual" if touches else ""
                link.visuals += [replace(s, name=s.name and s.name + end, material=material) for s in shapes]

    def _shapes(self, geom: int, link: Link) -> list[Shape]:
        model = self._part.model
        kind = int(model.geom_type[geom])
        size = model.geom_size[geom].tolist()
        X = (tuple(model.geom_pos[geom].tolist()), tuple(model.geom_quat[geom].tolist()))
        own = self._names.plain(name_of(model, "geom", geom))
        if kind == BOX:
            return [Shape("box", {"size": tuple(2.0 * half for half in size)}, X, own)]
        if kind == CYLINDER:
            return [_cylinder(size, X, own)]
        if kind == SPHERE or (kind == ELLIPSOID and size[0] == size[1] == size[2]):
            return [_sphere(size[0], X, own)]
        if kind == CAPSULE:
            return _capsule(size, X, own)
        if kind == ELLIPSOID:
            self._robot.meshes.setdefault(SPHERE_MESH, unit_sphere())
            self._robot.lose(f"ellipsoids of link {link.name!r} are meshes: URDF has no shape for them")
            return [Shape("mesh", {"scale": tuple(size)}, X, own, SPHERE_MESH)]
        if kind == SDF:
            self._robot.lose(f"a signed distance field of link {link.name!r} is its mesh: URDF has no shape for it")
        return [Shape("mesh", {}, X, own, self._mesh(int(model.geom_dataid[geom])))]

    def _mesh(self, mesh: int) -> str:
        if mesh not in self._files:
            model = self._part.model
            stem = self._taken.take(file_name(self._names.plain(name_of(model, "mesh", mesh)) or f"mesh_{mesh}"))
            suffix, content = mesh_file(model, mesh, self._suffix)
            self._files[mesh] = stem + suffix
            self._robot.meshes[stem + suffix] = content
        return self._files[mesh]

    def _colour(self, geom: int) -> tuple[float, ...]:
        """A geom's colour; its own wins over its material's unless it is MuJoCo's default."""
        model, material = self._part.model, int(self._part.model.geom_matid[geom])
        own = tuple(model.geom_rgba[geom].tolist())
        return tuple(model.mat_rgba[material].tolist()) if material >= 0 and own == DEFAULT_RGBA else own

    def _material(self, geom: int) -> str:
        model, index = self._part.model, int(self._part.model.geom_matid[geom])
        rgba = tuple(float(f"{part:.7g}") for part in self._colour(geom))
        name = self._names.plain(name_of(model, "material", index)) if index >= 0 else ""
        if index >= 0 and np.any(model.mat_texid[index] >= 0):
            self._robot.lose(f"the texture of material {name!r} is its colour alone")
        if not name or self._robot.materials.get(name, rgba) != rgba:
            name = "rgba_" + "_".join(f"{part:.3g}" for part in rgba)
        wanted, number = name, 1
        while self._robot.materials.get(name, rgba) != rgba:
            name, number = f"{wanted}_{number}", number + 1
        self._robot.materials[name] = rgba
        return name


def _cylinder(size: list[float], X: Transform, name: str) -> Shape:
    return Shape("cylinder", {"radius": (size[0],), "length": (2.0 * size[1],)}, X, name)


def _sphere(radius: float, X: Transform, name: str) -> Shape:
    return Shape("sphere", {"radius": (radius,)}, X, name)


def _capsule(size: list[float], X: Transform, name: str) -> list[Shape]:
    """A capsule as the same solid of three shapes, which every reader of URDF knows."""
    ends = [compose(X, ((0.0, 0.0, z), IDENTITY[1])) for z in (size[1], -size[1])]
    names = [f"{name}_{end}" if name else "" for end in ("top", "bottom")]
    caps = [_sphere(size[0], end, each) for end, each in zip(ends, names, strict=True)]
    return [_cylinder(size, X, name), *caps]
