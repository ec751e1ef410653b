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

from roqsim.mj.log import compile_to_measure

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
        effort_range: The least and the greatest force or torque in N or N m, None for no limit.
        command_range: The least and the greatest command, None for no limit.
    """

    control: str
    gains: dict[str, float]
    effort_range: Range | None
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
    return Law(control, gains, _range_of(actuator, "force", gear), _range_of(actuator, "ctrl", command_scale(actuator)))


def command_scale(actuator: object) -> float:
    """What turns an actuator's control into its joint's units: the gear, and the gain where commands are efforts."""
    gear = float(actuator.gear[0])
    return gear * float(actuator.gainprm[0]) if _control_of(actuator) == "effort" else 1.0 / gear


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


def _range_of(actuator: object, kind: str, scale: float) -> Range | None:
    """The limits ``ctrl`` or ``force`` of an actuator, scaled; None where it has none."""
    limits = [float(end) for end in getattr(actuator, f"{kind}range")]
    limited = int(getattr(actuator, f"{kind}limited"))
    is_auto = limited == int(mujoco.mjtLimited.mjLIMITED_AUTO)
    if limited == int(mujoco.mjtLimited.mjLIMITED_FALSE) or (is_auto and limits[0] == limits[1]):
        return None
    ends = sorted(scale * end for end in limits)
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
    _set_range(actuator, "force", law.effort_range)


def _set_range(actuator: object, kind: str, limits: Range | None) -> None:
    limited = mujoco.mjtLimited.mjLIMITED_FALSE if limits is None else mujoco.mjtLimited.mjLIMITED_TRUE
    setattr(actuator, f"{kind}limited", limited)
    if limits is not None:
        setattr(actuator, f"{kind}range", limits)


def rescale_keyframes(spec: mujoco.MjSpec, scales: dict[str, float], where: str) -> None:
    """Multiplies the controls in a model's keyframes, by actuator name; compiles the model if it has keyframes."""
    keys = list(spec.keys)
    if not keys or not scales:
        return
    model = compile_to_measure(spec, where)
    for actuator, scale in scales.items():
        index = model.actuator(actuator).id
        start = int(model.actuator_ctrladr[index])
        stop = start + int(model.actuator_ctrlnum[index])
        for key in keys:
            controls = [float(value) for value in key.ctrl]
            controls[start:stop] = [scale * value for value in controls[start:stop]]
            key.ctrl = controls


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
