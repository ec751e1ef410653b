"""A base's wheels in the model: their encoders, and the speed loops that drive them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from operator import itemgetter

import mujoco
import numpy as np
from roqsim.context import Entity, SimContext
from roqsim.errors import RoqsimError
from roqsim.mj import names


class Wheels:
    """Hinge joints with one velocity actuator each.

    A velocity actuator follows its command up to torque / gain. As a motor controller does, an integral term adds what
    is missing, so that wheels keep their speed under load and stand still on a slope.

    Args:
        ctx: A simulation with model and data.
        entity: The robot.
        joints: Its wheel joints, without the robot's prefix.
        where: Whose configuration names them; errors begin with it.

    Attributes:
        joints: The joints' names.
        angles: Reads what the encoders count, ``(n,)`` rad.
        limits: ``(n,)`` greatest speeds in rad/s that the actuators take, ``inf`` where they have no limit.
    """

    def __init__(self, ctx: SimContext, entity: Entity, joints: Sequence[str], where: str) -> None:
        model, data = ctx.model, ctx.data
        self.joints = tuple(joints)
        ids = [names.joint_id(model, joint, where=where, prefix=entity.prefix) for joint in joints]
        motors = [_motor(model, index, joint, where) for index, joint in zip(ids, joints, strict=True)]
        # Single numbers come out of a memoryview twice as fast as out of an array.
        self._qvel, self._ctrl = memoryview(data.qvel), memoryview(data.ctrl)
        self._data = data
        self._angle_at = [int(model.jnt_qposadr[index]) for index in ids]
        # Called at every control tick, so it is one call into C.
        self.angles: Callable[[], tuple[float, ...]] = partial(itemgetter(*self._angle_at), memoryview(data.qpos))
        self._speed_at = [int(model.jnt_dofadr[index]) for index in ids]
        self._ctrl_at = [names.control_slice(model, motor).start for motor in motors]
        self._force_at = motors
        self.limits = [_speed_limit(model, motor) for motor in motors]
        bounds = [_torque_limit(model, motor) / -float(model.actuator_biasprm[motor, 2]) for motor in motors]
        self._loops = tuple(zip(self._speed_at, self._ctrl_at, bounds, strict=True))
        self.reset()

    def reset(self) -> None:
        """Empties the integral terms, as if the wheels had been told to stand."""
        self._missing = [0.0] * len(self.joints)
        self._wanted: Sequence[float] = [0.0] * len(self.joints)

    def drive(self, speeds: Sequence[float], gain: float) -> None:
        """Commands speeds.

        Args:
            speeds: ``(n,)`` rad/s.
            gain: Which share of what the speed lacks of the last command is added, each time.
        """
        qvel, ctrl, wanted, missing = self._qvel, self._ctrl, self._wanted, self._missing
        for at, (speed_at, ctrl_at, bound) in enumerate(self._loops):
            term = missing[at] + gain * (wanted[at] - qvel[speed_at])
            if not -bound < term < bound:
                term = bound if term > 0.0 else -bound
            missing[at] = term
            ctrl[ctrl_at] = speeds[at] + term
        self._wanted = speeds

    def state(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Angles in rad, speeds in rad/s and torques in Nm, ``(n,)`` each; the torques belong to the last solve."""
        data = self._data
        return data.qpos[self._angle_at], data.qvel[self._speed_at], data.actuator_force[self._force_at]


def _motor(model: mujoco.MjModel, joint: int, name: str, where: str) -> int:
    """The velocity actuator of a joint."""
    expected = f"{where}: expected a hinge joint with one velocity actuator, got {name!r}"
    if int(model.jnt_type[joint]) != int(mujoco.mjtJoint.mjJNT_HINGE):
        raise RoqsimError(f"{expected}, which is no hinge; name the wheel's own joint")
    motors = names.actuators_of_joint(model, joint)
    if len(motors) != 1:
        raise RoqsimError(f"{expected}, which has {len(motors) or 'no'} actuators; give it one in the model")
    if not _is_velocity_law(model, motors[0]):
        hint = "write 'actuators: {control: velocity, d: …}' on the robot"
        raise RoqsimError(f"{expected}, whose actuator follows another law; {hint}")
    return motors[0]


def _is_velocity_law(model: mujoco.MjModel, actuator: int) -> bool:
    gain, bias = model.actuator_gainprm[actuator], model.actuator_biasprm[actuator]
    return (
        int(model.actuator_dyntype[actuator]) == int(mujoco.mjtDyn.mjDYN_NONE)
        and gain[0] > 0.0
        and bias[1] == 0.0
        and bias[2] == -gain[0]
    )


def _speed_limit(model: mujoco.MjModel, actuator: int) -> float:
    return float(model.actuator_ctrlrange[actuator, 1]) if model.actuator_ctrllimited[actuator] else inf


def _torque_limit(model: mujoco.MjModel, actuator: int) -> float:
    return float(model.actuator_forcerange[actuator, 1]) if model.actuator_forcelimited[actuator] else inf
