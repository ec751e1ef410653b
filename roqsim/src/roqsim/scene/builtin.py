"""Worlds that need no file: ground, light, and something for a lidar to see."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from roqsim.mj.poses import Quaternion, from_matrix
from roqsim.mj.scenery import add_checker_floor, add_daylight, add_lamp, add_sky

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
    add_sky(spec, SKY, HORIZON)
    add_daylight(spec)
    spec.stat.center = [0.0, 0.0, 0.5]
    spec.stat.extent = 10.0
    spec.visual.global_.azimuth, spec.visual.global_.elevation = 125.0, -35.0
    add_checker_floor(spec, (LIGHT_TILE, DARK_TILE), TILE, (HALF, HALF))
    add_lamp(spec, "ceiling", HEIGHT, (0.15, 0.1, -1.0))
    wall = spec.add_material(name="wall", rgba=WALL)
    wall.specular, wall.shininess, wall.emission = 0.1, 0.1, 0.2
    for side, angle in SIDES.items():
        _add_wall(spec, side, math.radians(angle))
    return spec


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
