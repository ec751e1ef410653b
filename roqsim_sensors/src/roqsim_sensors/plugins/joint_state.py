"""The joints of an entity, as its encoders and motors know them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import mujoco
import numpy as np
from roqsim.config.schema import opt
from roqsim.context import JointStates, SimContext
from roqsim.errors import RoqsimError
from roqsim.mj import names
from roqsim.sensing.sensor import Sensor
from roqsim.sensing.sensor_config import StreamConfig

AXES = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
"""Joints with one coordinate, which are those that can be reported."""


@dataclass(frozen=True, kw_only=True)
class JointStateConfig(StreamConfig):
    """Which joints are reported, and the errors of what measures them; without any, these are perfect."""

    rate_hz: float = opt(50.0, gt=0, unit="Hz")
    """How often they are measured."""
    joints: tuple[str, ...] = opt(())
    """Joints in the order in which they are reported, without the entity's prefix; all hinges and slides by default."""
    position_stddev: float = opt(0.0, ge=0, unit="rad or m")
    """Standard deviation of one position."""
    velocity_stddev: float = opt(0.0, ge=0, unit="rad/s or m/s")
    """Standard deviation of one velocity."""
    effort_stddev: float = opt(0.0, ge=0, unit="Nm or N")
    """Standard deviation of one effort."""
    position_resolution: float = opt(0.0, ge=0, unit="rad or m")
    """Step of the positions, such as an encoder's; 0 for none."""

    fault_keys: ClassVar[tuple[str, ...]] = (
        "position_stddev", "velocity_stddev", "effort_stddev", "position_resolution",
    )  # fmt: skip

    def check(self) -> None:
        """Raises ValueError where keys contradict each other."""
        twice = next((name for name in self.joints if self.joints.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"joints: expected each joint once, got {twice!r} again")


class JointState(Sensor):
    """Position, velocity and effort of joints.

    The effort is what drives the joint along its axis: its actuators and, where the model has it, gravity compensation;
    not friction, damping or springs. It belongs to the last solve, positions and velocities to the current state.
    """

    Config = JointStateConfig
    stream = "joint_states"
    message = "sensor_msgs.msg.JointState"

    def configure(self, ctx: SimContext) -> None:
        """Finds the joints."""
        super().configure(ctx)
        model, entity = ctx.model, self.entity
        prefix = entity.prefix if entity is not None else ""
        where = f"{self.address}.joints"
        asked = [names.joint_id(model, name, where=where, prefix=prefix) for name in self.config.joints]
        joints = asked or self._joints_of(model, entity.body if entity is not None else 0)
        refused = [names.name_of(model, "joint", joint) for joint in joints if int(model.jnt_type[joint]) not in AXES]
        if refused:
            raise RoqsimError(f"{where}: expected hinges and slides, got {refused[0].removeprefix(prefix)!r}")
        if not joints:
            raise RoqsimError(f"{where}: expected an entity with hinges or slides, got one without")
        self.names = tuple(names.name_of(model, "joint", joint).removeprefix(prefix) for joint in joints)
        self._q, self._v = model.jnt_qposadr[joints].astype(int), model.jnt_dofadr[joints].astype(int)
        # Where actuators carry the compensation, qfrc_actuator holds it already.
        self._compensated = np.where(model.jnt_actgravcomp[joints], 0.0, 1.0)

    @staticmethod
    def _joints_of(model: mujoco.MjModel, root: int) -> list[int]:
        """The named hinges and slides of the bodies below a root, that one included."""
        below = np.zeros(model.nbody, dtype=bool)
        below[root] = True
        for body in range(1, model.nbody):
            below[body] |= below[model.body_parentid[body]]
        return [
            joint
            for joint in range(model.njnt)
            if below[model.jnt_bodyid[joint]]
            and int(model.jnt_type[joint]) in AXES
            and names.name_of(model, "joint", joint)
        ]

    def measure(self, ctx: SimContext) -> JointStates:
        """What encoders and motors report."""
        data, values = ctx.data, self.values
        position, velocity = data.qpos[self._q], data.qvel[self._v]
        effort = data.qfrc_actuator[self._v] + self._compensated * data.qfrc_gravcomp[self._v]
        for array, stddev, name in (
            (position, values.position_stddev, ".position"),
            (velocity, values.velocity_stddev, ".velocity"),
            (effort, values.effort_stddev, ".effort"),
        ):
            if stddev > 0.0:
                array += stddev * self.rng(name).standard_normal(len(array))
        if values.position_resolution > 0.0:
            position = np.rint(position / values.position_resolution) * values.position_resolution
        for array in (position, velocity, effort):
            array.flags.writeable = False
        return JointStates(ctx.time_ns, self.names, position, velocity, effort)
