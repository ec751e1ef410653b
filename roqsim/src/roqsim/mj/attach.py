"""Attaching a model to another one: under a prefix, at a pose, welded, free or driven."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import mujoco

from roqsim.errors import BuildError
from roqsim.mj.declared import Declared, declared_options, forget_options
from roqsim.mj.home import Home, read_home
from roqsim.mj.leftovers import check_nothing_left, counts
from roqsim.mj.log import captured
from roqsim.mj.poses import IDENTITY, Transform

MOTIONS = ("physics", "static", "driven")
"""How an attached model moves: by forces, not at all, or by being placed."""

BASE = "base"
"""The name of a body that is made around the loose parts of a model."""

FREE_JOINT = "freejoint"
"""The name of a free joint that is made."""

ADDED_BY = "added by"
"""How the note begins that tells an element's origin; MuJoCo appends it to its compile errors."""

GROUPS = (
    "bodies geoms joints sites cameras lights frames meshes materials textures hfields skins actuators sensors tendons "
    "equalities pairs excludes flexes"
).split()
"""The lists of a spec whose elements carry a note."""


@dataclass(frozen=True)
class Attached:
    """What became of a model.

    Attributes:
        body: The compiled name of its root body.
        base_joint: The compiled name of the free joint that carries it, or None.
        home: Its keyframe, by compiled names.
        declared: What its file says about the whole world, which has no effect there.
    """

    body: str
    base_joint: str | None
    home: Home
    declared: Declared


def elements(spec: mujoco.MjSpec) -> Iterator[object]:
    """Every element of a spec that carries a note."""
    for group in GROUPS:
        yield from getattr(spec, group)


def mark(element: object, owner: str) -> None:
    """Notes on an element who added it, unless a note says so already."""
    note = element.info
    if ADDED_BY not in note:
        element.info = f"{note}, {ADDED_BY} {owner!r}" if note else f"{ADDED_BY} {owner!r}"


def attach(
    parent: mujoco.MjSpec,
    child: mujoco.MjSpec,
    *,
    prefix: str,
    X_PM: Transform = IDENTITY,
    to: object | None = None,
    motion: str = "static",
    scale: float = 1.0,
    mass_factor: float = 0.0,
    keyframe: str | None = None,
    owner: str = "",
) -> Attached:
    """Attaches a model.

    Args:
        parent: The world that is being built.
        child: The model; it is used up.
        prefix: Goes before every name of the model.
        X_PM: Where the model's frame stands in the world, or in what ``to`` names.
        to: A body or site of the parent to mount it on; None for the world.
        motion: One of ``MOTIONS``; what is mounted can only be ``static``.
        scale: Multiplies every length about the model's origin; density and gains stay.
        mass_factor: Multiplies masses and inertias; 0 keeps the density.
        keyframe: Which keyframe is its home; None for ``home`` or the first one.
        owner: Whose error it is, such as the component's address.

    Raises:
        BuildError: If the model can't move as asked.
        NotFoundError: If there is no such keyframe.
    """
    home = read_home(child, keyframe, owner)
    for key in list(child.keys):
        child.delete(key)
    declared = declared_options(child)
    forget_options(child)
    if to is not None and motion != "static":
        raise BuildError(f"{owner}: expected motion 'static' for what is mounted on another model, got {motion!r}")
    root = _root_of(child)
    joint, removed = _set_motion(child, root, motion, owner) if root is not None else (None, None)
    home = home.without(removed) if removed else home
    for element in elements(child):
        mark(element, owner)
    outer = frame_on(parent, to, X_PM)
    if root is None:
        body, joint = _wrapper(parent, outer, prefix, motion, child)
        mark(body, owner)
        target = body.add_frame()
        name = body.name
    else:
        target, name = outer, prefix + root.name
    if scale != 1.0 or mass_factor > 0.0:
        inner = target.parent.add_frame()
        inner.set_frame(target)
        inner.scale = [scale] * 3
        inner.scaling = mujoco.mjtScaling.mjSCALING_GEOMETRY
        inner.massscale = mass_factor
        target = inner
    _attach(parent, child, prefix, target, owner)
    carried = None if joint is None else joint if root is None else prefix + joint
    return Attached(name, carried, home.placed(prefix, X_PM, scale), declared)


def _attach(parent: mujoco.MjSpec, child: mujoco.MjSpec, prefix: str, frame: object, owner: str) -> None:
    before = counts(parent)
    try:
        with captured():
            parent.attach(child, prefix=prefix, frame=frame)
    except ValueError as error:
        reason = " ".join(str(error).removeprefix("Error: ").split())
        hint = "; give the entry a `prefix:` of its own" if "repeated name" in reason else ""
        raise BuildError(f"{owner}: expected a model that can be attached, got {reason!r} from MuJoCo{hint}") from None
    check_nothing_left(parent, child, before, prefix, owner)


def _root_of(child: mujoco.MjSpec) -> object | None:
    """The one body that everything hangs on, named if it was not; None where a model has none or several."""
    bodies = child.worldbody.bodies
    if len(bodies) != 1:
        return None
    root = bodies[0]
    root.name = root.name or _unused(BASE, child)
    return root


def _unused(name: str, child: mujoco.MjSpec) -> str:
    """A body name that a model does not have yet."""
    taken = {body.name for body in child.bodies}
    while name in taken:
        name += "_"
    return name


def _set_motion(child: mujoco.MjSpec, root: object, motion: str, owner: str) -> tuple[str | None, str | None]:
    """Makes a model's root body free, fixed or driven.

    Returns:
        The names of the free joint that it has now, and of the one that was taken from it.
    """
    joints = list(root.joints)
    free = next((joint for joint in joints if int(joint.type) == int(mujoco.mjtJoint.mjJNT_FREE)), None)
    if motion == "physics":
        if free is None and joints:
            return None, None
        if free is None:
            free = root.add_freejoint(name=FREE_JOINT)
            free.align = mujoco.mjtAlignFree.mjALIGNFREE_FALSE
        free.name = free.name or FREE_JOINT
        return free.name, None
    removed = None
    if free is not None:
        removed = free.name
        child.delete(free)
        joints.remove(free)
    if motion == "driven":
        if joints:
            raise BuildError(
                f"{owner}: expected a root body without joints for motion 'driven', got {root.name!r} with "
                f"{joints[0].name!r}; use motion 'physics' or 'static'"
            )
        root.mocap = True
    return None, removed


def _wrapper(
    parent: mujoco.MjSpec, frame: object, prefix: str, motion: str, child: mujoco.MjSpec
) -> tuple[object, str | None]:
    """A body around the loose parts of a model, and the name of its free joint."""
    name = _unused(BASE, child)
    body = frame.parent.add_body(name=prefix + name)
    body.set_frame(frame)
    return body, set_body_motion(body, motion, prefix + FREE_JOINT)


def set_body_motion(body: object, motion: str, joint: str) -> str | None:
    """Makes a body of the world that has no joints free, fixed or driven.

    Args:
        body: The ``MjsBody``.
        motion: One of ``MOTIONS``.
        joint: What a free joint is called.

    Returns:
        The name of the free joint; None where there is none.
    """
    if motion == "driven":
        body.mocap = True
    if motion != "physics":
        return None
    body.add_freejoint(name=joint).align = mujoco.mjtAlignFree.mjALIGNFREE_FALSE
    return joint


def frame_on(spec: mujoco.MjSpec, to: object | None, X: Transform = IDENTITY) -> object:
    """A frame in the world, in a body or at a site, to put something into.

    Args:
        spec: The model.
        to: A body or a site of it; None for the world.
        X: The frame's pose in what ``to`` names.
    """
    position, quaternion = X
    if not isinstance(to, mujoco.MjsSite):
        return (spec.worldbody if to is None else to).add_frame(pos=position, quat=quaternion)
    outer = to.parent.add_frame(pos=to.pos, quat=to.quat)
    outer.alt.type = to.alt.type
    for name in ("axisangle", "euler", "xyaxes", "zaxis"):
        setattr(outer.alt, name, getattr(to.alt, name))
    if to.frame is not None:
        outer.set_frame(to.frame)
    inner = to.parent.add_frame(pos=position, quat=quaternion)
    inner.set_frame(outer)
    return inner
