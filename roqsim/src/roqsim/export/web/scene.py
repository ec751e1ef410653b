"""A simulation's geometry in the form that a browser loads: what is drawn, on bodies that joints and poses move."""

from __future__ import annotations

import json
import os

import mujoco
import numpy as np

import roqsim
from roqsim.config.sim import View
from roqsim.context import SimContext
from roqsim.destination import new_folder
from roqsim.export.motion import absent_bodies, frame_of, joint_values, names_of, placed_bodies, told_joints
from roqsim.export.web.drawing import Drawing
from roqsim.export.web.paint import Palette
from roqsim.export.web.viewpoint import view_words
from roqsim.presence import Presence
from roqsim.rendering.scene import DRAWN_GROUPS

SCENE, BINARY = "scene.json", "scene.bin"

TEXTURE_SIZE = 1024
"""The most columns or rows of a texture, where nobody says."""

JOINTS = {
    int(mujoco.mjtJoint.mjJNT_FREE): "free",
    int(mujoco.mjtJoint.mjJNT_BALL): "ball",
    int(mujoco.mjtJoint.mjJNT_SLIDE): "slide",
    int(mujoco.mjtJoint.mjJNT_HINGE): "hinge",
}


def export_web(
    ctx: SimContext,
    out_dir: str | os.PathLike[str],
    *,
    view: View | None = None,
    max_tex_dim: int = TEXTURE_SIZE,
    overwrite: bool = False,
) -> dict[str, object]:
    """Writes what a picture of a simulation would show, for a browser; needs no OpenGL.

    Bodies, and joints that one number places, are told by name; an absent entity is parked below the ground, so that
    it is there when it appears. Geoms of groups that are not drawn, and wholly transparent ones, are left out.

    Args:
        ctx: A simulation after a reset.
        out_dir: The folder for ``scene.json``, ``scene.bin`` and a picture per texture.
        view: Where the camera begins; what it leaves open is chosen as for a picture.
        max_tex_dim: The most columns or rows of a texture.
        overwrite: Whether a scene in the folder may be replaced.

    Returns:
        How many ``bodies``, ``joints``, ``geoms``, ``textures`` and ``bytes`` (of ``scene.bin``) it has.

    Raises:
        ConfigError: The folder holds a scene already, or cannot be written.
    """
    ctx.refresh()
    with new_folder(out_dir, (BINARY, SCENE), overwrite=overwrite) as folder:
        drawing = _drawn(ctx, Palette(ctx.model, folder, max_tex_dim))
        document = _document(ctx, drawing, view or View())
        (folder / BINARY).write_bytes(drawing.binary.bytes())
        text = json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        (folder / SCENE).write_text(text + "\n", encoding="utf-8")
        return {
            **{key: len(document[key]) for key in ("bodies", "joints", "geoms", "textures")},
            "bytes": (folder / BINARY).stat().st_size,
        }


def _drawn(ctx: SimContext, palette: Palette) -> Drawing:
    model = ctx.model
    drawing = Drawing(model, ctx.data, names_of(model, "body"), palette)
    groups = ctx.blackboard.require("presence", Presence).values("geom_group")
    for all_groups, add in (
        (groups, drawing.add_geom),
        (model.skin_group, drawing.add_skin),
        (model.flex_group, drawing.add_flex),
    ):
        for index in np.flatnonzero(np.isin(all_groups, DRAWN_GROUPS)).tolist():
            add(index)
    return drawing


def _document(ctx: SimContext, drawing: Drawing, view: View) -> dict[str, object]:
    bodies, joints, initial = _tree(ctx, drawing.bodies)
    return {
        "up": "z",
        "producer": "roqsim",
        "producer_version": roqsim.__version__,
        "bodies": bodies,
        "joints": joints,
        "initialJoints": initial,
        "geoms": drawing.geoms,
        "meshes": drawing.meshes,
        "skins": drawing.skins,
        "materials": drawing.palette.materials,
        "textures": drawing.palette.textures,
        "view": view_words(ctx, view),
    }


def _tree(
    ctx: SimContext, body_names: list[str]
) -> tuple[list[dict[str, object]], list[dict[str, object]], dict[str, float]]:
    model, data = ctx.model, ctx.data
    placed, absent = placed_bodies(model), absent_bodies(ctx)
    bodies = [{"name": body_names[0], "parent": -1, "pos": [0.0] * 3, "quat": [1.0, 0.0, 0.0, 0.0]}]
    for body in range(1, model.nbody):
        position, quaternion = frame_of(model, data, body, placed, absent)
        parent = int(model.body_parentid[body])
        bodies.append({"name": body_names[body], "parent": parent, "pos": position, "quat": quaternion})
    names, told = names_of(model, "joint"), told_joints(model, placed)
    joints = [
        {
            "name": names[joint],
            "body": int(model.jnt_bodyid[joint]),
            "type": JOINTS[int(model.jnt_type[joint])],
            "axis": model.jnt_axis[joint].tolist(),
            "pos": model.jnt_pos[joint].tolist(),
        }
        for joint in told.tolist()
    ]
    values = joint_values(model, data, told).tolist()
    return bodies, joints, {names[joint]: value for joint, value in zip(told.tolist(), values, strict=True)}
