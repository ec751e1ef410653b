"""MuJoCo's global contact parameters, which replace those of every contact while a flag is on."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

FIELDS = ("margin", "solref", "solimp", "friction")
"""The fields ``o_<name>`` of ``mjOption``."""

FLAG = int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)

Value = float | tuple[float, ...]


def is_on(option: object) -> bool:
    """Whether the parameters of an ``mjOption``, or of a spec's option, replace those of every contact."""
    return bool(int(option.enableflags) & FLAG)


def switch(option: object, on: bool) -> None:
    """Turns the flag on or off; without it MuJoCo ignores the parameters."""
    flags = int(option.enableflags)
    option.enableflags = flags | FLAG if on else flags & ~FLAG


def parameters(option: object) -> dict[str, Value]:
    """The parameters by name, vectors as tuples, whether or not they are in use."""
    values = {name: getattr(option, f"o_{name}") for name in FIELDS}
    return {
        name: tuple(each.tolist()) if isinstance(each, np.ndarray) else float(each) for name, each in values.items()
    }


def set_parameters(option: object, values: Mapping[str, Value | None]) -> None:
    """Writes parameters; what is None or not named stays, and so does what a short vector leaves out."""
    for name, value in values.items():
        if isinstance(value, tuple):
            getattr(option, f"o_{name}")[: len(value)] = value
        elif value is not None:
            setattr(option, f"o_{name}", value)
