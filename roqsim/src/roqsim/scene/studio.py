"""The built-in world ``studio``: an endless pale floor and soft light, to look at one thing of any size."""

from __future__ import annotations

import mujoco

from roqsim.mj.scenery import add_sky

ZENITH, HORIZON, NADIR = (0.70, 0.76, 0.84), (0.80, 0.82, 0.84), (0.90, 0.88, 0.84)
FLOOR = (0.80, 0.82, 0.84, 1.0)

AZIMUTH, ELEVATION = 140.0, -22.0
"""From where MuJoCo's own camera looks, in degrees: at the front and the right side of what faces along x."""

FOVY = 24.0
"""Vertical field of view in degrees of MuJoCo's own camera: narrow, so that near edges are not drawn out."""

LAMPS = (
    ("key", (0.15, 0.6, -1.0), 0.46, True),
    ("fill", (-0.9, 0.1, -0.6), 0.28, False),
    ("rim", (0.2, -0.9, -0.5), 0.18, False),
)
"""Name, direction, brightness and whether it casts shadows; directional, so that they suit any size."""


def studio() -> mujoco.MjSpec:
    """A floor named ``floor`` without end, a pale sky and three lamps.

    Nothing here states a size: MuJoCo takes the extent, by which it scales shadows and haze, from what is added.
    """
    spec = mujoco.MjSpec()
    spec.modelname = "studio"
    add_sky(spec, ZENITH, NADIR)
    material = spec.add_material(name="floor", rgba=FLOOR)
    material.specular, material.shininess, material.reflectance = 0.0, 0.0, 0.05
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 0.05], material="floor")
    headlight = spec.visual.headlight
    headlight.ambient, headlight.diffuse, headlight.specular = [0.34] * 3, [0.2] * 3, [0.1] * 3
    spec.visual.global_.azimuth, spec.visual.global_.elevation = AZIMUTH, ELEVATION
    spec.visual.global_.fovy = FOVY
    spec.visual.rgba.haze = [*HORIZON, 1.0]
    for name, direction, brightness, shadow in LAMPS:
        spec.worldbody.add_light(
            name=name,
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            pos=[-3.0 * axis for axis in direction],
            dir=list(direction),
            ambient=[0.0] * 3,
            diffuse=[brightness] * 3,
            specular=[0.5 * brightness] * 3,
            castshadow=shadow,
        )
    return spec
