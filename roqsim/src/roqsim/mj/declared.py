"""What an attached model says in ``<option>``: MuJoCo drops it, because all models of a world share one physics."""

from __future__ import annotations

import mujoco
import numpy as np

OPTION_FIELDS = (
    "timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance gravity wind magnetic "
    "density viscosity o_margin o_solref o_solimp o_friction integrator cone jacobian solver iterations ls_iterations "
    "noslip_iterations ccd_iterations disableflags enableflags disableactuator sdf_initpoints sdf_iterations"
).split()
"""The fields of mjOption in the order of ``MJOPTION_FIELDS`` (mjxmacro.h): bit i of ``authored.option`` is field i."""

ENUMS = {
    "integrator": (mujoco.mjtIntegrator, "mjINT_"),
    "cone": (mujoco.mjtCone, "mjCONE_"),
    "jacobian": (mujoco.mjtJacobian, "mjJAC_"),
    "solver": (mujoco.mjtSolver, "mjSOL_"),
}
"""Fields whose numbers have names, with the prefix of the names."""

FLAGS = {"disableflags": (mujoco.mjtDisableBit, "mjDSBL_"), "enableflags": (mujoco.mjtEnableBit, "mjENBL_")}
"""Fields made of bits that have names, with the prefix of the names."""

SIZES = ("memory", "nconmax", "njmax", "nstack") + tuple(
    f"nuser_{kind}" for kind in ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")
)
"""Sizes that a child could ask for; at -1 MuJoCo finds them out by itself."""

Declared = dict[str, object]
"""Values by option field; for a flag by ``disableflags.contact`` and the like, true where its bit is set."""


def option_value(option: object, field: str) -> object:
    """A field of an option struct in plain Python: a number, a tuple, an enum's short name or a flag's bit."""
    name, _, flag = field.partition(".")
    value = getattr(option, name)
    if flag:
        enum, prefix = FLAGS[name]
        return bool(int(value) & int(getattr(enum, prefix + flag.upper())))
    if isinstance(value, np.ndarray):
        return tuple(value.tolist())
    if name in ENUMS:
        enum, prefix = ENUMS[name]
        return enum(int(value)).name.removeprefix(prefix).lower()
    return value


def declared_options(spec: mujoco.MjSpec) -> Declared:
    """What a model's file says in ``<option>``, whether or not it is MuJoCo's default."""
    found: Declared = {}
    for bit, field in enumerate(OPTION_FIELDS):
        if field not in FLAGS and spec.authored.option & (1 << bit):
            found[field] = option_value(spec.option, field)
    for field, (enum, prefix) in FLAGS.items():
        for name, member in enum.__members__.items():
            if name.startswith(prefix) and getattr(spec.authored, field) & int(member):
                flag = f"{field}.{name.removeprefix(prefix).lower()}"
                found[flag] = option_value(spec.option, flag)
    return found


def forget_options(child: mujoco.MjSpec) -> None:
    """Sets what a child says about the whole world back to MuJoCo's defaults, so that attaching it warns of nothing."""
    for name in SIZES:
        setattr(child, name, -1)
    said = [name for name in dir(child.authored) if not name.startswith("_") and getattr(child.authored, name)]
    if not said:
        return
    fresh = mujoco.MjSpec()
    for field in OPTION_FIELDS:
        setattr(child.option, field, getattr(fresh.option, field))
    for group in ("global_", "quality", "headlight", "map", "scale", "rgba"):
        _copy_fields(getattr(fresh.visual, group), getattr(child.visual, group))
    for name in said:
        setattr(child.authored, name, 0)


def _copy_fields(source: object, target: object) -> None:
    for name in dir(source):
        value = getattr(source, name)
        if not name.startswith("_") and not callable(value):
            setattr(target, name, value)


def differences(declared: Declared, option: object) -> list[str]:
    """How a model's declared options differ from the world's.

    Args:
        declared: What the model says.
        option: The world's ``MjOption`` or spec option.

    Returns:
        One text a field, such as ``timestep 0.01 (the world has 0.002)``.
    """
    texts = []
    for field, value in declared.items():
        actual = option_value(option, field)
        if actual != value:
            texts.append(f"{field} {_shown(value)} (the world has {_shown(actual)})")
    return texts


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "set" if value else "unset"
    if isinstance(value, tuple):
        return "[" + ", ".join(f"{part:g}" for part in value) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)
