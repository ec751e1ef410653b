"""MuJoCo's physics options that are stated by name."""

from __future__ import annotations

import mujoco

NAMED = {
    "integrator": (mujoco.mjtIntegrator, "mjINT_"),
    "solver": (mujoco.mjtSolver, "mjSOL_"),
    "cone": (mujoco.mjtCone, "mjCONE_"),
}
"""By option: MuJoCo's enum, and what the names of its members begin with."""


def number_of(option: str, name: str) -> int:
    """MuJoCo's number for what an option of ``NAMED`` is called in a world file."""
    enum, prefix = NAMED[option]
    return int(getattr(enum, prefix + name.upper()))


def name_of_number(option: str, number: int) -> str:
    """The other way round."""
    enum, prefix = NAMED[option]
    return enum(number).name.removeprefix(prefix).lower()
