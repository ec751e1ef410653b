"""Worlds that need no file: ground, light, and something for a lidar to see."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from roqsim.mj.poses import Quaternion, from_matrix

HALF = 5.0
"""Half of the room's inner width and depth in metres."""

HEIGHT = 2.5
"""The height of the room's walls in metres."""

THICKNESS = 0.1
"""The thickness of the room's walls in metres."""

TILE = 0.5
"""The edge of one field of the floor's checker in metres."""

COLLISION_GROUP = 3
"""A geom group that MuJoCo does not draw unless asked to; rays and contacts do not care."""

SKY, HORIZON = (0.62, 0.74, 0.86), (0.93, 0.95, 0.97)
LIGHT_TILE, DARK_TILE = (0.80, 0.81, 0.80), (0.70, 0.72, 0.72)
WALL = (0.93, 0.90, 0.84, 1.0)

SIDES = {"east": 0.0, "north": 90.0, "west": 180.0, "south": 270.0}
"""The walls and the direction from the room's middle to each, in degrees about z."""


def empty_room() -> mujoco.MjSpec:
    """A lit room of 10 by 10 metres with four walls around the origin and a checkered floor named ``floor``.

    A wall is a box that rays and contacts meet and a sheet that is opaque from the inside only, so that a camera
    outside looks into the room.
    """
    spec = mujoco.MjSpec()
    spec.modelname = "empty_room"
    _set_sky(spec)
    add_checker_floor(spec)
    add_ceiling_light(spec, HEIGHT)
    wall = spec.add_material(name="wall", rgba=WALL)
    wall.specular, wall.shininess, wall.emission = 0.1, 0.1, 0.2
    for side, angle in SIDES.items():
        _add_wall(spec, side, math.radians(angle))
    return spec


def _set_sky(spec: mujoco.MjSpec) -> None:
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=SKY,
        rgb2=HORIZON,
        width=128,
        height=768,
    )
    spec.visual.headlight.ambient = [0.35, 0.35, 0.35]
    spec.visual.headlight.diffuse = [0.25, 0.25, 0.25]
    spec.visual.headlight.specular = [0.0, 0.0, 0.0]
    spec.stat.center = [0.0, 0.0, 0.5]
    spec.stat.extent = 10.0
    spec.visual.global_.azimuth = 125.0
    spec.visual.global_.elevation = -35.0


def add_checker_floor(spec: mujoco.MjSpec, half: float = HALF) -> None:
    """Adds the ground plane ``floor`` at z = 0 with a checker of half-metre fields.

    Args:
        spec: The world that is being built.
        half: Half of the edge that is drawn and seen by rays, in metres; for contacts the ground has no end.
    """
    spec.add_texture(
        name="floor",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=LIGHT_TILE,
        rgb2=DARK_TILE,
        width=256,
        height=256,
    )
    material = spec.add_material(name="floor", texrepeat=[1.0 / TILE] * 2, texuniform=True, specular=0.1)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "floor"
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[half, half, 0.1], material="floor")


def add_ceiling_light(spec: mujoco.MjSpec, height: float) -> None:
    """Adds a lamp that shines straight down from the middle of a ceiling at ``height`` metres."""
    spec.worldbody.add_light(
        name="ceiling",
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        pos=[0.0, 0.0, height],
        dir=[0.15, 0.1, -1.0],
        ambient=[0.1, 0.1, 0.1],
        diffuse=[0.55, 0.55, 0.53],
        specular=[0.15, 0.15, 0.15],
    )


def _add_wall(spec: mujoco.MjSpec, side: str, angle: float) -> None:
    x, y = math.cos(angle), math.sin(angle)
    along = HALF + THICKNESS
    spec.worldbody.add_geom(
        name=f"wall_{side}",
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=[x * (HALF + THICKNESS / 2.0), y * (HALF + THICKNESS / 2.0), HEIGHT / 2.0],
        quat=[math.cos(angle / 2.0), 0.0, 0.0, math.sin(angle / 2.0)],
        size=[THICKNESS / 2.0, along, HEIGHT / 2.0],
        group=COLLISION_GROUP,
        rgba=WALL,
    )
    spec.worldbody.add_geom(
        name=f"wall_{side}_sheet",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        pos=[x * HALF, y * HALF, HEIGHT / 2.0],
        quat=_facing_the_middle(x, y),
        size=[HEIGHT / 2.0, HALF, 0.1],
        material="wall",
        contype=0,
        conaffinity=0,
    )


def _facing_the_middle(x: float, y: float) -> Quaternion:
    """The orientation of a wall's sheet: its z axis, the visible side, to the middle of the room, its x axis up."""
    up, sideways, towards = (0.0, 0.0, 1.0), (-y, x, 0.0), (-x, -y, 0.0)
    return from_matrix(np.column_stack((up, sideways, towards)))
