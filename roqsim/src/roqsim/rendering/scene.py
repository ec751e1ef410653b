"""What of a world is in a picture: which geom groups, no markers, nothing absent."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from roqsim.presence import ABSENT_GROUP

DRAWN_GROUPS = (0, 1, 2)
"""MuJoCo's own choice: collision geometry (group 3 by convention) is not drawn."""

SPARE_GEOMS = 200
"""Room for what a scene holds beside geoms, sites and tendons."""


@dataclass(frozen=True)
class SceneOptions:
    """What is drawn.

    Attributes:
        groups: Geom groups; that of absent entities is never drawn.
        decor: Whether MuJoCo's markers are drawn too: sites, contacts, rangefinder rays.
    """

    groups: tuple[int, ...] = DRAWN_GROUPS
    decor: bool = False

    def to_mujoco(self) -> mujoco.MjvOption:
        """The options in MuJoCo's form."""
        option = mujoco.MjvOption()
        groups = [group in self.groups and group != ABSENT_GROUP for group in range(len(option.geomgroup))]
        option.geomgroup[:] = groups
        for other in (option.sitegroup, option.tendongroup, option.skingroup, option.flexgroup):
            other[ABSENT_GROUP] = 0
        if not self.decor:
            option.sitegroup[:] = 0
        return option

    @property
    def categories(self) -> int:
        """The categories of geoms in MuJoCo's form."""
        static, dynamic = mujoco.mjtCatBit.mjCAT_STATIC, mujoco.mjtCatBit.mjCAT_DYNAMIC
        return int(mujoco.mjtCatBit.mjCAT_ALL if self.decor else static | dynamic)


def scene_size(model: mujoco.MjModel) -> int:
    """How many geoms a scene has to hold: geoms, sites, two pieces for each point of a tendon, skins, flexes."""
    return int(model.ngeom + model.nsite + 2 * model.nwrap + model.nskin + 10 * model.nflex + SPARE_GEOMS)


def has_sky(model: mujoco.MjModel) -> bool:
    """Whether a world has a sky, which hides what is beyond it."""
    return bool((model.tex_type == int(mujoco.mjtTexture.mjTEXTURE_SKYBOX)).any())
