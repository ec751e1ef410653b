"""Actuators as control laws of joints, read and written in a model before it is attached.

============  =================  ======================================
law           commands           force
============  =================  ======================================
position      joint position     ``p (command - q) - d dq/dt``
velocity      joint velocity     ``d (command - dq/dt)``
effort        joint torque       ``command``
impedance     joint position     ``stiffness (command - q) - damping dq/dt``
============  =================  ======================================
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import mujoco

COMMANDS = {"position": "rad or m", "impedance": "rad or m", "velocity": "rad/s or m/s", "effort": "N m or N"}
"""The laws, and the unit of what they are commanded with."""

GAINS = {"position": ("p", "d"), "impedance": ("stiffness", "damping"), "velocity": ("d",), "effort": ()}
"""The gains that each law reads; the first one of each has no default."""

RATIO = "damping_ratio"
"""What stands for ``d`` where a model states the damping relative to the critical one."""

Range = tuple[float, float]


@dataclass(frozen=True)
class Law:
    """What drives a joint, in the joint's own units.

    Attributes:
        control: One of ``COMMANDS``.
        gains: By name, see ``GAINS``; ``damping_ratio`` in the place of ``d`` where the model says it so.
        effort_limit: The greatest force or torque in N or N m, None for no limit.
        command_range: The least and the greatest command, None for no limit.
    """

    control: str
    gains: dict[str, float]
    effort_limit: float | None
    command_range: Range | None


def joint_of(actuator: object) -> str | None:
    """The joint that an actuator drives directly, or None."""
    kinds = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
    return actuator.target if int(actuator.trntype) in kinds else None


def read_law(actuator: object) -> Law | None:
    """The law of an actuator; None for one that follows none of them, such as a muscle or a tendon's motor."""
    control = _control_of(actuator)
    if control is None or joint_of(actuator) is None or actuator.gear[0] == 0.0:
        return None
    gear = float(actuator.gear[0])
    gain, bias = float(actuator.gainprm[0]), [float(value) for value in actuator.biasprm[:3]]
    if control == "position":
        damping = {RATIO: bias[2]} if bias[2] > 0.0 else {"d": -bias[2] * gear * gear}
        gains = {"p": gain * gear * gear, **damping}
    else:
        gains = {"d": gain * gear * gear} if control == "velocity" else {}
    scale = gear * gain if control == "effort" else 1.0 / gear
    return Law(control, gains, _effort_limit(actuator, abs(gear)), _command_range(actuator, scale))


def _control_of(actuator: object) -> str | None:
    filters = (mujoco.mjtDyn.mjDYN_NONE, mujoco.mjtDyn.mjDYN_FILTER, mujoco.mjtDyn.mjDYN_FILTEREXACT)
    if int(actuator.gaintype) != int(mujoco.mjtGain.mjGAIN_FIXED) or int(actuator.dyntype) not in map(int, filters):
        return None
    gain, bias = float(actuator.gainprm[0]), [float(value) for value in actuator.biasprm[:3]]
    if int(actuator.biastype) == int(mujoco.mjtBias.mjBIAS_NONE):
        return "effort"
    if int(actuator.biastype) != int(mujoco.mjtBias.mjBIAS_AFFINE) or bias[0] != 0.0 or gain == 0.0:
        return None
    if bias[1] == -gain:
        return "position"
    return "velocity" if bias[1] == 0.0 and bias[2] == -gain else None


def _is_limited(limited: object, limits: object) -> bool:
    if int(limited) == int(mujoco.mjtLimited.mjLIMITED_AUTO):
        return float(limits[0]) != float(limits[1])
    return int(limited) == int(mujoco.mjtLimited.mjLIMITED_TRUE)


def _effort_limit(actuator: object, gear: float) -> float | None:
    if not _is_limited(actuator.forcelimited, actuator.forcerange):
        return None
    return gear * max(abs(float(actuator.forcerange[0])), abs(float(actuator.forcerange[1])))


def _command_range(actuator: object, scale: float) -> Range | None:
    if not _is_limited(actuator.ctrllimited, actuator.ctrlrange):
        return None
    ends = sorted(scale * float(end) for end in actuator.ctrlrange)
    return ends[0], ends[1]


def write_law(actuator: object, law: Law) -> None:
    """Makes an actuator follow a law on its joint, in the joint's units."""
    first, *rest = (law.gains.get(name) for name in GAINS[law.control]) if GAINS[law.control] else (None,)
    actuator.gear[0] = 1.0
    actuator.inheritrange = 0.0
    if law.control == "effort":
        actuator.set_to_motor()
    elif law.control == "velocity":
        actuator.set_to_velocity(kv=first)
    elif RATIO in law.gains:
        actuator.set_to_position(kp=first, dampratio=law.gains[RATIO])
    else:
        actuator.set_to_position(kp=first, kv=rest[0] or 0.0)
    _set_range(actuator, "ctrl", law.command_range)
    limit = law.effort_limit
    _set_range(actuator, "force", None if limit is None else (-limit, limit))


def _set_range(actuator: object, kind: str, limits: Range | None) -> None:
    limited = mujoco.mjtLimited.mjLIMITED_FALSE if limits is None else mujoco.mjtLimited.mjLIMITED_TRUE
    setattr(actuator, f"{kind}limited", limited)
    if limits is not None:
        setattr(actuator, f"{kind}range", limits)


def as_impedance(law: Law) -> Law:
    """A position law with its gains under a compliance controller's names."""
    gains = {"stiffness": law.gains["p"]}
    gains |= {RATIO: law.gains[RATIO]} if RATIO in law.gains else {"damping": law.gains["d"]}
    return replace(law, control="impedance", gains=gains)


def held_bodies(spec: mujoco.MjSpec, laws: dict[str, Law]) -> list[object]:
    """The bodies whose weight a position or impedance joint holds: those below such a joint.

    Args:
        spec: The model.
        laws: The law of each actuator by its name.
    """
    holding = {
        joint_of(actuator)
        for actuator in spec.actuators
        if actuator.name in laws and laws[actuator.name].control in ("position", "impedance")
    }
    held: list[object] = []

    def visit(body: object, is_held: bool) -> None:
        is_held = is_held or any(joint.name in holding for joint in body.joints)
        if is_held:
            held.append(body)
        for child in body.bodies:
            visit(child, is_held)

    for root in spec.worldbody.bodies:
        visit(root, False)
    return held
