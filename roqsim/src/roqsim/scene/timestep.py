"""The physics step of a world that is not built yet."""

from __future__ import annotations

import mujoco

from roqsim.config.world import SimConfig
from roqsim.scene.base import make_base


def declared_timestep(config: SimConfig) -> float:
    """The physics step in seconds that a world states: in its ``sim`` block, else in the MJCF file of ``sim.world``.

    A plugin may write another one while it builds; what holds is ``ctx.dt`` of an engine that was set up.

    Raises:
        RoqsimError: If ``sim.world`` can't be found or read.
    """
    if config.sim.timestep is not None:
        return config.sim.timestep
    if any(getattr(spec.plugin, "provides_world", False) for spec in config.plugins):
        return float(mujoco.MjSpec().option.timestep)
    return float(make_base(config.sim.world, config.base_dir, ()).spec.option.timestep)
