"""Where everything stands after a reset: every entity at its own model's keyframe, position and control."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco

from roqsim.context import SimContext
from roqsim.mj.home import Home
from roqsim.scene.build import WORLD_HOME

Values = Mapping[str, tuple[float, ...]]


def apply_homes(ctx: SimContext) -> None:
    """Writes the home of the world's own model and of every entity; what none mentions stays as it is.

    A keyframe of the whole model could not do this: it poses one entity and throws the others back to zero.
    Derived quantities are not recomputed.
    """
    world = ctx.blackboard.get(WORLD_HOME)
    if isinstance(world, Home):
        _apply(ctx.model, ctx.data, world.qpos, world.ctrl, world.act)
    for entity in ctx.entities:
        _apply(ctx.model, ctx.data, entity.home, entity.home_ctrl, entity.home_act)


def _apply(model: mujoco.MjModel, data: mujoco.MjData, qpos: Values, ctrl: Values, act: Values) -> None:
    for joint, values in qpos.items():
        start = int(model.joint(joint).qposadr[0])
        data.qpos[start : start + len(values)] = values
    for actuator, values in ctrl.items():
        start = int(model.actuator_ctrladr[model.actuator(actuator).id])
        data.ctrl[start : start + len(values)] = values
    for actuator, values in act.items():
        start = int(model.actuator_actadr[model.actuator(actuator).id])
        data.act[start : start + len(values)] = values
