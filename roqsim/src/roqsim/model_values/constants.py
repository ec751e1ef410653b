"""The constants that MuJoCo derives from masses at compile, recomputed without touching the state.

``mj_setConst`` moves the data it is given to the model's reference pose, so it works on copies here and only what
depends on masses is taken over.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping

import mujoco
import numpy as np

from roqsim.context import SimContext
from roqsim.presence import Presence

DERIVED = (*("body_subtreemass", "body_invweight0", "dof_invweight0", "dof_M0", "tendon_invweight0", "actuator_acc0"),)
"""The arrays that ``mj_setConst`` derives from masses and inertias."""

STATISTICS = ("meaninertia", "meanmass")
"""The statistics that the compiler derives from them; ``mj_setConst`` leaves these alone."""

NO_MASS = 1e-15
"""Bodies up to this mass in kg are left out of the mean (mjMINVAL)."""

PRESENT = ("dof_armature", "dof_M0")
"""What presence replaces and the constants depend on."""


class Constants:
    """The constants as compiled, and how to follow another mass.

    Args:
        ctx: A simulation with model and data, in which every mass is as compiled.
    """

    def __init__(self, ctx: SimContext) -> None:
        model = ctx.model
        self._ctx = ctx
        self._presence = ctx.blackboard.require("presence", Presence)
        self._nominal = {name: self._presence.values(name) for name in DERIVED}
        self._statistics = {name: float(getattr(model.stat, name)) for name in STATISTICS}
        # A model may state its own statistics; then they are not the means and stay as they are.
        means = _means(self._nominal["dof_M0"], model.body_mass)
        self._follows = [name for name in STATISTICS if np.isclose(means[name], self._statistics[name], rtol=1e-9)]

    def restore(self) -> None:
        """Puts the constants back to the bit."""
        self._write(self._nominal, self._statistics)

    def follow(self) -> None:
        """Derives the constants from the masses and inertias that the model has now; the state is not touched."""
        model = self._ctx.model
        scratch = copy.copy(model)
        for name in PRESENT:
            getattr(scratch, name)[:] = self._presence.values(name)
        mujoco.mj_setConst(scratch, mujoco.MjData(scratch))
        means = _means(scratch.dof_M0, scratch.body_mass)
        statistics = {name: means[name] if name in self._follows else self._statistics[name] for name in STATISTICS}
        self._write({name: getattr(scratch, name) for name in DERIVED}, statistics)

    def _write(self, arrays: Mapping[str, np.ndarray], statistics: Mapping[str, float]) -> None:
        for name, values in arrays.items():
            self._presence.write(name, np.arange(len(values)), values)
        for name, value in statistics.items():
            setattr(self._ctx.model.stat, name, value)


def _means(inertias: np.ndarray, masses: np.ndarray) -> dict[str, float]:
    heavy = masses[1:][masses[1:] > NO_MASS]
    return {
        "meaninertia": float(inertias.mean()) if inertias.size else 1.0,
        "meanmass": float(heavy.mean()) if heavy.size else 1.0,
    }
