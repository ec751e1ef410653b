"""Positions, velocities and efforts of joints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import mujoco
import numpy as np

from roqsim.analysis.table import Column, Row
from roqsim.mj.names import name_of
from roqsim.mj.state import qpos_slice, qvel_slice

FREE = int(mujoco.mjtJoint.mjJNT_FREE)
BALL = int(mujoco.mjtJoint.mjJNT_BALL)
SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)


class Joints:
    """Hinges and slides as one row each, ball joints as three: the rotation vector about x, y and z.

    A free joint is no joint of a mechanism; where it puts its body is a pose.

    Args:
        model: The compiled model.
        data: Its state.
        joints: Ids, in the order of the rows; free joints are left out.

    Attributes:
        names: The names of those that are left.
    """

    title = "joints"
    columns = (
        Column("joint", kind=str),
        Column("position", "rad or m"),
        Column("velocity", "rad/s or m/s"),
        Column("effort", "Nm or N"),
    )
    keys = ("joint",)
    drawn = ()

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, joints: Sequence[int]) -> None:
        self._model, self._data = model, data
        self._joints = [joint for joint in joints if int(model.jnt_type[joint]) != FREE]
        self.names = [name_of(model, "joint", joint) or f"joint {joint}" for joint in self._joints]
        kinds = {int(model.jnt_type[joint]) for joint in self._joints}
        if kinds and len({kind == SLIDE for kind in kinds}) == 1:
            units = ("m", "m/s", "N") if kinds == {SLIDE} else ("rad", "rad/s", "Nm")
            names = ("position", "velocity", "effort")
            self.columns = (self.columns[0], *(Column(n, u) for n, u in zip(names, units, strict=True)))

    def rows(self) -> Iterator[Row]:
        """One row a degree of freedom; ``effort`` is what the actuators put into it."""
        model, data = self._model, self._data
        for joint, name in zip(self._joints, self.names, strict=True):
            position = data.qpos[qpos_slice(model, joint)]
            velocity = data.qvel[qvel_slice(model, joint)].tolist()
            effort = data.qfrc_actuator[qvel_slice(model, joint)].tolist()
            if int(model.jnt_type[joint]) != BALL:
                yield name, float(position[0]), velocity[0], effort[0]
                continue
            turn = np.empty(3)
            mujoco.mju_quat2Vel(turn, position, 1.0)
            for axis, values in zip("xyz", zip(turn.tolist(), velocity, effort, strict=True), strict=True):
                yield f"{name}.{axis}", *values
