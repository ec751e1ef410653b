"""Constraints between joints that URDF can say, and everything of a robot that it can't."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import mujoco

from roqsim.export.urdf.limits import DIRECT
from roqsim.export.urdf.part import Part
from roqsim.export.urdf.robot import Joint, Mimic, Robot
from roqsim.mj.names import name_of

JOINT_EQUALITY = int(mujoco.mjtEq.mjEQ_JOINT)

EQUALITIES = {
    int(getattr(mujoco.mjtEq, f"mjEQ_{kind.upper()}")): kind for kind in ("connect", "weld", "joint", "tendon")
}


def add_mimics(part: Part, robot: Robot) -> None:
    """Turns linear couplings of two joints into mimics; what is no such coupling is noted as lost."""
    model = part.model
    joints = {joint.index: joint for joint in robot.joints if joint.index >= 0}
    for equality in range(model.neq):
        kind = int(model.eq_type[equality])
        if kind != JOINT_EQUALITY:
            continue
        first, second = int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality])
        if first not in joints and second not in joints:
            continue
        what = f"equality {name_of(model, 'equality', equality) or equality!r}"
        reason = _add_mimic(model, equality, joints.get(first), joints.get(second), joints.values())
        if reason:
            robot.lose(f"{what} of joint {_names(joints, first, second)} is left out: {reason}")


def _add_mimic(
    model: mujoco.MjModel, equality: int, joint: Joint | None, source: Joint | None, joints: Iterable[Joint]
) -> str | None:
    """Lets a joint follow another one; returns why it can't."""
    constant, factor, *higher = model.eq_data[equality, :5].tolist()
    if not model.eq_active0[equality]:
        return "it is switched off"
    if joint is None or source is None:
        return "URDF couples two joints of one robot"
    if any(higher):
        return "URDF has linear couplings only"
    if joint.mimic is not None:
        return f"{joint.name!r} follows {joint.mimic.joint!r} already"
    if _follows(source, joint, {each.name: each for each in joints}):
        return f"{source.name!r} follows {joint.name!r} already"
    q0, s0 = (float(model.qpos0[model.jnt_qposadr[each.index]]) for each in (joint, source))
    joint.mimic = Mimic(source.name, factor, q0 + constant - factor * s0)
    return None


def _follows(joint: Joint, other: Joint, by_name: dict[str, Joint]) -> bool:
    while joint.mimic is not None:
        joint = by_name[joint.mimic.joint]
        if joint is other:
            return True
    return joint is other


def _names(joints: dict[int, Joint], *indices: int) -> str:
    return " and ".join(repr(joints[index].name) for index in indices if index in joints)


def note_losses(part: Part, robot: Robot) -> None:
    """Notes what a robot has and URDF has no words for, once for each kind."""
    model = part.model
    bodies = set(part.bodies)
    joints = {joint.index: joint for joint in robot.joints if joint.index >= 0}
    dofs = {int(model.jnt_dofadr[index]): joint.name for index, joint in joints.items()}
    for text, names in (
        ("armature of {}", [name for dof, name in dofs.items() if model.dof_armature[dof] > 0.0]),
        ("spring of {}", [joint.name for index, joint in joints.items() if _has_spring(model, index)]),
        ("damping of {} that is not linear", [name for dof, name in dofs.items() if model.dof_dampingpoly[dof].any()]),
        ("tendon {}", _tendons(model, set(joints), bodies)),
        ("actuator {}, which drives no joint directly", _other_actuators(model, bodies)),
    ):
        if names:
            robot.lose(text.format(", ".join(repr(name) for name in names)))
    floating = [link.name for link in robot.links if link.body >= 0 and model.body_gravcomp[link.body]]
    if floating:
        robot.lose(f"gravity compensation of {', '.join(repr(name) for name in floating)}")
    for equality in range(model.neq):
        kind = int(model.eq_type[equality])
        if kind != JOINT_EQUALITY and _bodies_of_equality(model, equality) & bodies:
            name = name_of(model, "equality", equality) or f"of id {equality}"
            robot.lose(f"equality {name!r} ({EQUALITIES.get(kind, 'flex')}): URDF closes no loops")
    for count, bodyids, what in (
        (model.nflex, model.flex_vertbodyid, "a flex"),
        (model.nskin, model.skin_bonebodyid, "a skin"),
    ):
        if count and set(bodyids.tolist()) & bodies:
            robot.lose(f"{what}: URDF has no soft bodies")


def _has_spring(model: mujoco.MjModel, joint: int) -> bool:
    return bool(model.jnt_stiffness[joint] > 0.0 or model.jnt_stiffnesspoly[joint].any())


def _tendons(model: mujoco.MjModel, joints: Collection[int], bodies: Collection[int]) -> list[str]:
    found = []
    for tendon in range(model.ntendon):
        first = int(model.tendon_adr[tendon])
        for wrap in range(first, first + int(model.tendon_num[tendon])):
            kind, target = int(model.wrap_type[wrap]), int(model.wrap_objid[wrap])
            is_joint = kind == int(mujoco.mjtWrap.mjWRAP_JOINT) and target in joints
            is_site = kind == int(mujoco.mjtWrap.mjWRAP_SITE) and int(model.site_bodyid[target]) in bodies
            if is_joint or is_site:
                found.append(part_name(model, "tendon", tendon))
                break
    return found


def _other_actuators(model: mujoco.MjModel, bodies: Collection[int]) -> list[str]:
    """Actuators of the robot that drive something else than one joint."""
    found = []
    for actuator in range(model.nactuator):
        kind, target = int(model.actuator_trntype[actuator]), int(model.actuator_trnid[actuator, 0])
        if kind in DIRECT or target < 0:
            continue
        if kind == int(mujoco.mjtTrn.mjTRN_TENDON):
            first = int(model.tendon_adr[target])
            wraps = range(first, first + int(model.tendon_num[target]))
            on = {_body_of_wrap(model, wrap) for wrap in wraps}
        elif kind == int(mujoco.mjtTrn.mjTRN_BODY):
            on = {target}
        else:
            on = {int(model.site_bodyid[target])}
        if on & set(bodies):
            found.append(part_name(model, "actuator", actuator))
    return found


def _body_of_wrap(model: mujoco.MjModel, wrap: int) -> int:
    kind, target = int(model.wrap_type[wrap]), int(model.wrap_objid[wrap])
    if kind == int(mujoco.mjtWrap.mjWRAP_JOINT):
        return int(model.jnt_bodyid[target])
    return int(model.site_bodyid[target]) if kind == int(mujoco.mjtWrap.mjWRAP_SITE) else -1


def _bodies_of_equality(model: mujoco.MjModel, equality: int) -> set[int]:
    ends = (int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality]))
    kind = int(model.eq_objtype[equality])
    if kind in (int(mujoco.mjtObj.mjOBJ_BODY), int(mujoco.mjtObj.mjOBJ_XBODY)):
        return set(ends)
    if kind == int(mujoco.mjtObj.mjOBJ_SITE):
        return {int(model.site_bodyid[end]) for end in ends if end >= 0}
    return set()


def part_name(model: mujoco.MjModel, kind: str, index: int) -> str:
    """The name of an object in the model, or its id where it has none."""
    return name_of(model, kind, index) or f"of id {index}"
