"""The joints of a body as a chain of URDF joints: one each, with a link between two of them.

MuJoCo turns a body about axes that go through points of it; URDF turns a link about an axis through the link's own
origin. Where that differs, the body's frame is fixed to the link that turns.
"""

from __future__ import annotations

import math
from collections.abc import Collection

import mujoco
import numpy as np

from roqsim.errors import ConfigError
from roqsim.export.urdf.limits import effort_of, range_of, velocity_of
from roqsim.export.urdf.names import Names
from roqsim.export.urdf.part import Part, home_of
from roqsim.export.urdf.robot import Joint, Link, Mass, Robot
from roqsim.mj.names import name_of
from roqsim.mj.poses import IDENTITY, Transform, Vector, compose

FREE, BALL, SLIDE, HINGE = (
    int(getattr(mujoco.mjtJoint, f"mjJNT_{kind}")) for kind in ("FREE", "BALL", "SLIDE", "HINGE")
)

SMALL = 1e-12
"""Two frames that differ by less than this in every number are the same."""

BETWEEN = Mass(1e-9, (0.0, 0.0, 0.0), np.eye(3) * 1e-12)
"""What a link between two joints weighs: nearly nothing, for readers take no moving link that weighs nothing."""


class Chains:
    """Adds the joints of bodies to a robot.

    Args:
        part: The part of the world.
        robot: Takes the joints, and the links between them.
        links: Gives out names of links.
        joints: Gives out names of joints.
        weld: The joints that become fixed where they stand, by their exported names.
    """

    def __init__(self, part: Part, robot: Robot, links: Names, joints: Names, weld: Collection[str] = ()) -> None:
        self._part, self._robot, self._links, self._joints, self._weld = part, robot, links, joints, weld
        self.names: dict[int, str] = {}
        self.welded: set[str] = set()
        self._between: list[Link] = []

    def name_joints(self) -> None:
        """Gives every joint that is exported its name, and refuses those that URDF does not have.

        Raises:
            ConfigError: A ball joint is not to be welded.
        """
        model = self._part.model
        moving = [joint for body in self._part.bodies for joint in self._part.joints_of(body)]
        moving = [joint for joint in moving if int(model.jnt_type[joint]) != FREE]
        plain = {joint: self._joints.plain(name_of(model, "joint", joint)) for joint in moving}
        self._joints.reserve(name for name in plain.values() if name)
        for joint in moving:
            self.names[joint] = plain[joint] or self._joints.take(f"joint_{joint}")
        balls = [self.names[joint] for joint in moving if int(model.jnt_type[joint]) == BALL]
        refused = [name for name in balls if name not in self._weld]
        if refused:
            listed = ", ".join(repr(name) for name in refused[:10])
            options = " ".join(f"--weld {name}" for name in refused[:10])
            raise ConfigError(f"expected hinges and slides, got the ball joints {listed}; fix them with {options}")

    def add(self, body: int, link: Link, parent: str) -> None:
        """Adds what joins a body's link to its parent's.

        Args:
            body: The body.
            link: Its link, which is added too.
            parent: The parent's link.
        """
        model = self._part.model
        X = (tuple(model.body_pos[body].tolist()), tuple(model.body_quat[body].tolist()))
        made: list[Joint] = []
        for index in self._part.joints_of(body):
            if int(model.jnt_type[index]) == FREE:
                continue
            anchor, axis = tuple(model.jnt_pos[index].tolist()), tuple(model.jnt_axis[index].tolist())
            if self.names[index] in self._weld:
                X = compose(X, self._welded(index, anchor, axis))
                continue
            start = compose(compose(X, (anchor, IDENTITY[1])), _moved(model, index, axis, -_reference(model, index)))
            made.append(self._joint(index, parent, start, axis))
            parent = made[-1].child = self._links.take(f"{link.name}_{self.names[index]}")
            X = (tuple(-part for part in anchor), IDENTITY[1])
        if made and _is_identity(X):
            made[-1].child = link.name
        else:
            made.append(Joint(self._joints.take(f"{link.name}_fixed"), "fixed", parent, link.name, X))
        between = [Link(joint.child, mass=BETWEEN) for joint in made[:-1]]
        self._robot.links += [*between, link]
        self._robot.joints += made

    def _joint(self, index: int, parent: str, X_PJ: Transform, axis: Vector) -> Joint:
        model = self._part.model
        limits = range_of(model, index)
        is_hinge = int(model.jnt_type[index]) == HINGE
        kind = "prismatic" if not is_hinge else "continuous" if limits is None else "revolute"
        dof = int(model.jnt_dofadr[index])
        return Joint(
            self.names[index],
            kind,
            parent,
            "",
            X_PJ,
            index,
            axis,
            limits,
            effort_of(model, index),
            velocity_of(model, index),
            float(model.dof_damping[dof]),
            float(model.dof_frictionloss[dof]),
        )

    def _welded(self, index: int, anchor: Vector, axis: Vector) -> Transform:
        """What a joint that is fixed at home moves its body by."""
        model, home = self._part.model, home_of(self._part, index)
        self.welded.add(self.names[index])
        self._robot.lose(f"joint {self.names[index]!r} is fixed where it stands, as --weld asks")
        if int(model.jnt_type[index]) == BALL:
            turn = ((0.0, 0.0, 0.0), home)
        else:
            turn = _moved(model, index, axis, home[0] - _reference(model, index))
        back = (tuple(-part for part in anchor), IDENTITY[1])
        return compose(compose((anchor, IDENTITY[1]), turn), back)


def _reference(model: mujoco.MjModel, index: int) -> float:
    """The position of a joint at which its body stands where the model puts it."""
    return float(model.qpos0[model.jnt_qposadr[index]])


def _moved(model: mujoco.MjModel, index: int, axis: Vector, by: float) -> Transform:
    """What a hinge or slide does to its body at a position that is ``by`` from the reference."""
    if int(model.jnt_type[index]) == SLIDE:
        return tuple(by * part for part in axis), IDENTITY[1]
    sine = math.sin(by / 2.0)
    return (0.0, 0.0, 0.0), (math.cos(by / 2.0), *(sine * part for part in axis))


def _is_identity(X: Transform) -> bool:
    (p, q), sign = X, math.copysign(1.0, X[1][0])
    return all(abs(part) < SMALL for part in p) and all(
        abs(sign * a - b) < SMALL for a, b in zip(q, IDENTITY[1], strict=True)
    )
