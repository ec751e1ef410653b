"""Where every entity stands after a reset: its own model's keyframe, position and control."""

from __future__ import annotations

import mujoco

from roqsim.context import EntityRegistry


def apply_homes(model: mujoco.MjModel, data: mujoco.MjData, entities: EntityRegistry) -> None:
    """Writes the home of every entity into qpos, ctrl and act; what an entity does not mention stays as it is.

    A keyframe of the whole model could not do this: it poses one entity and throws the others back to zero.

    Args:
        model: The compiled model.
        data: The state to write; derived quantities are not recomputed.
        entities: The entities, with their homes by compiled names.
    """
    for entity in entities:
        for joint, values in entity.home.items():
            start = int(model.joint(joint).qposadr[0])
            data.qpos[start : start + len(values)] = values
        for actuator, values in entity.home_ctrl.items():
            start = int(model.actuator_ctrladr[model.actuator(actuator).id])
            data.ctrl[start : start + len(values)] = values
        for actuator, values in entity.home_act.items():
            start = int(model.actuator_actadr[model.actuator(actuator).id])
            data.act[start : start + len(values)] = values
