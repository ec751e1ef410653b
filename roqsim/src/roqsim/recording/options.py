"""The physics options of a model, which may change while it runs and are no part of its state."""

from __future__ import annotations

import functools

import mujoco
import numpy as np

Value = float | int | list[float]


@functools.cache
def option_names() -> tuple[str, ...]:
    """The fields of ``model.opt``."""
    option = mujoco.MjModel.from_xml_string("<mujoco/>").opt
    return tuple(name for name in dir(option) if not name.startswith("_") and not callable(getattr(option, name)))


def options_of(model: mujoco.MjModel) -> dict[str, Value]:
    """The value of every option, arrays as lists."""
    values = {name: getattr(model.opt, name) for name in option_names()}
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()}


def set_option(model: mujoco.MjModel, name: str, value: Value) -> None:
    """Writes one option."""
    current = getattr(model.opt, name)
    if isinstance(current, np.ndarray):
        current[:] = value
    else:
        setattr(model.opt, name, value)
