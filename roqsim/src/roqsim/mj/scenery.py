"""Ground, sky and light: what a world that is made rather than read begins with."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco

FLOOR = "floor"
"""The name of the ground, its texture and its material."""

Colour = Sequence[float]


def add_sky(spec: mujoco.MjSpec, zenith: Colour, horizon: Colour) -> None:
    """Adds a sky that fades from one colour (red, green, blue) above to another one."""
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=zenith,
        rgb2=horizon,
        width=128,
        height=768,
    )


def add_checker_floor(
    spec: mujoco.MjSpec,
    colours: tuple[Colour, Colour],
    tile: float,
    half: tuple[float, float],
    centre: tuple[float, float] = (0.0, 0.0),
) -> None:
    """Adds the ground plane ``floor`` at z = 0 with a checker.

    Args:
        spec: The world that is being built.
        colours: Red, green and blue of the two kinds of fields.
        tile: The edge of a field in metres.
        half: Half of the ground along x and y that is drawn and seen by rays, in metres; for contacts it has no end.
        centre: Its middle in metres.
    """
    spec.add_texture(
        name=FLOOR,
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        rgb1=colours[0],
        rgb2=colours[1],
        width=256,
        height=256,
    )
    material = spec.add_material(name=FLOOR, texrepeat=[1.0 / tile] * 2, texuniform=True, specular=0.1)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = FLOOR
    plane = mujoco.mjtGeom.mjGEOM_PLANE
    spec.worldbody.add_geom(name=FLOOR, type=plane, pos=[*centre, 0.0], size=[*half, 0.1], material=FLOOR)


def add_daylight(spec: mujoco.MjSpec) -> None:
    """Sets the light that comes with every camera to a soft one without highlights."""
    headlight = spec.visual.headlight
    headlight.ambient, headlight.diffuse, headlight.specular = [0.35] * 3, [0.25] * 3, [0.0] * 3


def add_lamp(spec: mujoco.MjSpec, name: str, height: float, direction: Sequence[float]) -> None:
    """Adds a warm lamp whose rays are parallel, and which casts shadows.

    Args:
        spec: The world that is being built.
        name: Its name.
        height: Its height above the origin in metres.
        direction: ``(3,)`` where it shines.
    """
    spec.worldbody.add_light(
        name=name,
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        pos=[0.0, 0.0, height],
        dir=list(direction),
        ambient=[0.1, 0.1, 0.1],
        diffuse=[0.55, 0.55, 0.53],
        specular=[0.15, 0.15, 0.15],
    )
