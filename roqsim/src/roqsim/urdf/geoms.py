"""The geoms that MuJoCo's reader made, with the colours, groups, meshes and masses that it leaves open."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import mujoco

from roqsim.urdf.shapes import COLLISION, VISUAL, Shape

VISUAL_GROUP, COLLISION_GROUP, BOTH_GROUP = 2, 3, 0
"""Geom groups: what is only drawn, what only touches, and what is drawn because its link has nothing else to draw."""


def finish_geoms(spec: mujoco.MjSpec, shapes: Sequence[Shape], shaped: Collection[str], density: float) -> None:
    """Completes the geoms and meshes of a model.

    Args:
        spec: The model, in which each geom has the name of its shape and each mesh the file name of its alias.
        shapes: The shapes.
        shaped: The links whose mass comes from their collision shapes.
        density: Its density in kg/m³.
    """
    drawn = {shape.link for shape in shapes if shape.kind == VISUAL}
    _finish_materials(spec, shapes)
    for shape in shapes:
        geom = spec.geom(shape.name)
        if shape.kind == VISUAL:
            geom.group = VISUAL_GROUP
        else:
            geom.group = COLLISION_GROUP if shape.link in drawn else BOTH_GROUP
        if shape.kind == COLLISION and shape.link in shaped:
            geom.density = density
        else:
            geom.mass = 0.0
    _finish_meshes(spec, shapes, shaped)


def _finish_materials(spec: mujoco.MjSpec, shapes: Sequence[Shape]) -> None:
    """Gives named colours a material, so that they can be recognized, and the others to their geoms."""
    made: dict[str, tuple[float, ...]] = {}
    for shape in shapes:
        if shape.rgba is None:
            continue
        geom, name = spec.geom(shape.name), shape.material
        if name and name not in made:
            spec.add_material(name=name, rgba=shape.rgba)
            made[name] = shape.rgba
        if name and made[name] == shape.rgba:
            geom.material = name
        else:
            geom.rgba = shape.rgba


def _finish_meshes(spec: mujoco.MjSpec, shapes: Sequence[Shape], shaped: Collection[str]) -> None:
    first: dict[str, Shape] = {}
    weighs: set[str] = set()
    for shape in shapes:
        if shape.file is not None:
            first.setdefault(shape.alias, shape)
            if shape.kind == COLLISION and shape.link in shaped:
                weighs.add(shape.alias)
    names: set[str] = set()
    for mesh in spec.meshes:
        alias, old = mesh.file, mesh.name
        shape = first[alias]
        new = _unused(shape.file, names)
        names.add(new)
        mesh.file = str(shape.file) if shape.part.is_file else ""
        if not shape.part.is_file:
            mesh.uservert, mesh.userface = shape.part.vertices.ravel(), shape.part.faces.ravel()
        if alias not in weighs:
            # A sheet or an open surface has no volume to weigh, and nobody asks for it.
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        mesh.name = new
        for geom in spec.geoms:
            if geom.meshname == old:
                geom.meshname = new


def _unused(file: Path, names: Collection[str]) -> str:
    name, number = file.stem, 1
    while name in names:
        name, number = f"{file.stem}_{number}", number + 1
    return name
