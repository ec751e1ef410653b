"""The data sheet of a model: what it is made of, by the names that a world and its plugins use."""

from __future__ import annotations

import mujoco

from roqsim.drivers.answers.catalog import about
from roqsim.errors import BuildError
from roqsim.mj.names import count, name_of, names
from roqsim.models import ModelAsset, resolve_model
from roqsim.spawning.placement import load_child

JOINT_TYPES = {
    int(getattr(mujoco.mjtJoint, f"mjJNT_{name.upper()}")): name for name in ("free", "ball", "slide", "hinge")
}

Sheet = dict[str, object]


def model_sheet(ref: str) -> Sheet:
    """Describes a model.

    Args:
        ref: As for ``roqsim.models.resolve_model``.

    Returns:
        ``name``, ``ref``, ``provider``, ``path``, what its manifest says, ``mass`` in kg, and the lists
        ``actuators``, ``joints``, ``sensors``, ``sites`` and ``cameras``. Ranges are in radians or metres, forces in
        newtons or newton metres.

    Raises:
        NotFoundError: there is no such model, or it lacks a file.
        ConfigError: its manifest cannot be read.
        BuildError: it does not compile.
    """
    asset = resolve_model(ref)
    model = _compiled(asset)
    return {
        "name": asset.name,
        "ref": asset.ref,
        "provider": asset.package,
        "path": str(asset.path),
        **about(asset),
        "mass": float(model.body_mass.sum()),
        "actuators": [_actuator(model, i) for i in range(count(model, "actuator"))],
        "joints": [_joint(model, i) for i in range(count(model, "joint"))],
        "sensors": [_sensor(model, i) for i in range(count(model, "sensor"))],
        "sites": names(model, "site"),
        "cameras": names(model, "camera"),
    }


def _compiled(asset: ModelAsset) -> mujoco.MjModel:
    child = load_child(asset, where=asset.ref)
    try:
        return child.compile()
    except ValueError as error:
        reason = " ".join(str(error).removeprefix("Error: ").split())
        raise BuildError(f"{asset.ref}: expected a model that compiles, got {reason!r} from MuJoCo") from error


def _actuator(model: mujoco.MjModel, index: int) -> Sheet:
    limits = _limits(model.actuator_ctrlrange[index], model.actuator_ctrllimited[index])
    forces = _limits(model.actuator_forcerange[index], model.actuator_forcelimited[index])
    joints = _driven_joints(model, index)
    return {
        "name": name_of(model, "actuator", index),
        "kind": _law(model, index),
        "joints": [name_of(model, "joint", joint) for joint in joints],
        "control_range": limits,
        "force_range": forces,
    }


def _driven_joints(model: mujoco.MjModel, index: int) -> list[int]:
    """The joints that an actuator moves: its own, or all of its tendon's."""
    kind, target = int(model.actuator_trntype[index]), int(model.actuator_trnid[index, 0])
    if kind in (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT)):
        return [target]
    if kind == int(mujoco.mjtTrn.mjTRN_TENDON):
        first = int(model.tendon_adr[target])
        wraps = range(first, first + int(model.tendon_num[target]))
        return [int(model.wrap_objid[i]) for i in wraps if int(model.wrap_type[i]) == int(mujoco.mjtWrap.mjWRAP_JOINT)]
    return []


def _law(model: mujoco.MjModel, index: int) -> str:
    """The control law: ``position``, ``velocity``, ``effort`` or, for anything else, ``other``."""
    gain, bias = model.actuator_gainprm[index], model.actuator_biasprm[index]
    gain_type, bias_type = int(model.actuator_gaintype[index]), int(model.actuator_biastype[index])
    if gain_type != int(mujoco.mjtGain.mjGAIN_FIXED):
        return "other"
    if bias_type == int(mujoco.mjtBias.mjBIAS_NONE):
        return "effort"
    if bias_type == int(mujoco.mjtBias.mjBIAS_AFFINE) and bias[0] == 0.0:
        if bias[1] == -gain[0] != 0.0:
            return "position"
        if bias[1] == 0.0 and bias[2] == -gain[0]:
            return "velocity"
    return "other"


def _joint(model: mujoco.MjModel, index: int) -> Sheet:
    return {
        "name": name_of(model, "joint", index),
        "type": JOINT_TYPES[int(model.jnt_type[index])],
        "body": name_of(model, "body", int(model.jnt_bodyid[index])),
        "range": _limits(model.jnt_range[index], model.jnt_limited[index]),
    }


def _sensor(model: mujoco.MjModel, index: int) -> Sheet:
    kind = mujoco.mjtSensor(int(model.sensor_type[index])).name.removeprefix("mjSENS_").lower()
    target = int(model.sensor_objid[index])
    on = mujoco.mj_id2name(model, int(model.sensor_objtype[index]), target) if target >= 0 else None
    return {"name": name_of(model, "sensor", index), "type": kind, "object": on}


def _limits(pair: object, is_limited: object) -> list[float] | None:
    return [float(end) for end in pair] if is_limited else None
