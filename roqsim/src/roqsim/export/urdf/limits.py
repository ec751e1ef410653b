"""What limits a joint of a compiled model, as far as URDF can say it."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco

from roqsim.urdf.options import NO_LIMIT

FIXED_GAIN = int(mujoco.mjtGain.mjGAIN_FIXED)
NO_BIAS, AFFINE = int(mujoco.mjtBias.mjBIAS_NONE), int(mujoco.mjtBias.mjBIAS_AFFINE)
DIRECT = tuple(int(kind) for kind in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT))


def range_of(model: mujoco.MjModel, joint: int) -> tuple[float, float] | None:
    """The range of a hinge or slide in rad or m, None where it has none."""
    if not model.jnt_limited[joint]:
        return None
    lower, upper = model.jnt_range[joint].tolist()
    return None if lower <= -NO_LIMIT and upper >= NO_LIMIT else (lower, upper)


def drives_of(model: mujoco.MjModel, joint: int) -> list[int]:
    """The actuators that drive a joint directly."""
    return [
        actuator
        for actuator in range(model.nactuator)
        if int(model.actuator_trntype[actuator]) in DIRECT and int(model.actuator_trnid[actuator, 0]) == joint
    ]


def effort_of(model: mujoco.MjModel, joint: int) -> float | None:
    """The greatest force or torque that drives a joint, in N or N m; None where nothing limits it.

    What its actuators give together, and no more than the joint lets them.
    """
    efforts = [_effort(model, actuator) for actuator in drives_of(model, joint)]
    limits = [sum(efforts)] if efforts and None not in efforts else []
    if model.jnt_actfrclimited[joint]:
        limits.append(_reach(model.jnt_actfrcrange[joint]))
    return min(limits, default=None)


def _effort(model: mujoco.MjModel, actuator: int) -> float | None:
    gear = abs(float(model.actuator_gear[actuator, 0]))
    limits = []
    if model.actuator_forcelimited[actuator]:
        limits.append(gear * _reach(model.actuator_forcerange[actuator]))
    is_motor = (int(model.actuator_gaintype[actuator]), int(model.actuator_biastype[actuator])) == (FIXED_GAIN, NO_BIAS)
    if is_motor and model.actuator_ctrllimited[actuator]:
        gain = abs(float(model.actuator_gainprm[actuator, 0]))
        limits.append(gear * gain * _reach(model.actuator_ctrlrange[actuator]))
    return min(limits, default=None)


def velocity_of(model: mujoco.MjModel, joint: int) -> float | None:
    """The greatest speed that a joint is commanded, in rad/s or m/s; None where nothing limits it."""
    return min(_speeds(model, joint), default=None)


def _speeds(model: mujoco.MjModel, joint: int) -> Iterator[float]:
    for actuator in drives_of(model, joint):
        gain, bias = model.actuator_gainprm[actuator], model.actuator_biasprm[actuator]
        follows = (
            int(model.actuator_gaintype[actuator]) == FIXED_GAIN and int(model.actuator_biastype[actuator]) == AFFINE
        )
        gear = abs(float(model.actuator_gear[actuator, 0]))
        is_velocity = follows and gain[0] != 0.0 and bias[0] == bias[1] == 0.0 and bias[2] == -gain[0]
        if is_velocity and gear > 0.0 and model.actuator_ctrllimited[actuator]:
            yield _reach(model.actuator_ctrlrange[actuator]) / gear


def _reach(limits: object) -> float:
    """The larger one of two limits without its sign."""
    return max(abs(float(end)) for end in limits)
