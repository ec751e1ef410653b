"""What motors draw from their supply, given what they do to the joints.

The force of a solve acts over the whole step that follows, and velocities change in proportion to time within it, so
force times the mean of the velocities at both ends of a step is the step's mean power: with MuJoCo's Euler
integration, the sum over steps is the change of kinetic energy to the last digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import mujoco
import numpy as np

Braking = Literal["costs", "lost", "recovered"]


@dataclass(frozen=True, kw_only=True)
class PowerModel:
    """From mechanical to electrical power.

    A motor that drives draws its mechanical power divided by ``efficiency``. One that brakes draws as much (``costs``),
    nothing (``lost``), or feeds back what is left after its losses (``recovered``).

    Attributes:
        idle: W drawn whatever the motors do.
        efficiency: From supply to joint, and back.
        braking: What negative mechanical power means.
        heat: W per squared N (or N m) of force, turned into heat even at rest: winding resistance over the square of
            the torque constant.
    """

    idle: float = 0.0
    efficiency: float = 1.0
    braking: Braking = "lost"
    heat: float = 0.0

    def draw(self, driving: float, braking: float, squares: float) -> float:
        """Electrical power in W; negative where more flows back than is drawn.

        Args:
            driving: W, the sum of the positive mechanical powers.
            braking: W, the sum of the negative ones, as a negative number.
            squares: The sum of the squared forces in N² (or N² m²).
        """
        drawn = self.idle + driving / self.efficiency + self.heat * squares
        if self.braking == "costs":
            return drawn - braking / self.efficiency
        return drawn + braking * self.efficiency if self.braking == "recovered" else drawn


class Meter:
    """Sums the work of actuators, one step after the other.

    Args:
        model: The compiled model.
        data: Its state, which is read after every step.
        actuators: Which ones, by id.

    Attributes:
        driving: W, the sum of the positive mechanical powers over the last step.
        braking: W, the sum of the negative ones, as a negative number.
        squares: The sum of the squared forces over the last step.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, actuators: Sequence[int]) -> None:
        starts, counts = model.actuator_outadr, model.actuator_outnum
        rows = [row for each in actuators for row in range(starts[each], starts[each] + counts[each])]
        # Neighbours in the model are read through a view, which costs less than a selection.
        is_block = bool(rows) and rows == list(range(rows[0], rows[-1] + 1))
        self._rows = slice(rows[0], rows[-1] + 1) if is_block else np.array(rows, dtype=int)
        self._forces, self._velocities = data.actuator_force, data.actuator_velocity
        self._joints = _JointEfforts.of(model, data, actuators)
        self._force, self._velocity = np.zeros(len(rows)), np.zeros(len(rows))
        self._mean, self._power = np.zeros(len(rows)), np.zeros(len(rows))
        self.restart()

    def restart(self) -> None:
        """Begins at the next solve."""
        self._is_running = False
        self.driving = self.braking = self.squares = 0.0

    def step(self) -> bool:
        """Takes up the solve of a step; false for the first one, before which there is nothing.

        Forces and velocities of actuators are those of the solve, so what is summed ends one step before the state.
        """
        force, velocity = self._forces[self._rows], self._velocities[self._rows]
        was_running, self._is_running = self._is_running, True
        if was_running:
            np.add(self._velocity, velocity, out=self._mean)
            np.multiply(self._force, self._mean, out=self._power)
            powers = self._power.tolist()
            self.driving = 0.5 * sum([power for power in powers if power > 0.0])
            self.braking = 0.5 * sum([power for power in powers if power < 0.0])
            self.squares = float(self._force.dot(self._force))
        self._force[:] = force
        self._velocity[:] = velocity
        if self._joints is not None:
            self._joints.apply(self._force)
        return was_running


class _JointEfforts:
    """What a joint adds to or takes from the forces of the actuators that drive it directly.

    A joint may limit their sum (``actuatorfrcrange``) and may have them carry its weight (``actuatorgravcomp``); both
    are in ``qfrc_actuator`` but not in ``actuator_force``. The difference is shared among the joint's actuators.
    """

    def __init__(self, data: mujoco.MjData, rows: list[int], dofs: list[int], gears: list[float]) -> None:
        self._efforts = data.qfrc_actuator
        self._rows, self._gears = np.array(rows), np.array(gears)
        self._dofs, self._slots = np.unique(dofs, return_inverse=True)
        self._scale = 1.0 / (np.bincount(self._slots)[self._slots] * self._gears)

    @classmethod
    def of(cls, model: mujoco.MjModel, data: mujoco.MjData, actuators: Sequence[int]) -> _JointEfforts | None:
        """The joints of some actuators that limit or add; None where there are none.

        A joint that a driven tendon passes too is left out, for the tendon's share is not told apart.
        """
        pulled = _joints_of_driven_tendons(model)
        found: list[tuple[int, int, float]] = []
        row = 0
        for actuator in actuators:
            joint = joint_of_actuator(model, actuator)
            gear = float(model.actuator_gear[actuator, 0])
            is_direct = joint is not None and joint not in pulled and gear != 0.0
            if is_direct and (model.jnt_actfrclimited[joint] or model.jnt_actgravcomp[joint]):
                found.append((row, int(model.jnt_dofadr[joint]), gear))
            row += int(model.actuator_outnum[actuator])
        return cls(data, *(list(each) for each in zip(*found, strict=True))) if found else None

    def apply(self, force: np.ndarray) -> None:
        """Turns the forces of actuators into those that reach their joints."""
        asked = np.bincount(self._slots, weights=force[self._rows] * self._gears)
        missing = self._efforts[self._dofs] - asked
        force[self._rows] += missing[self._slots] * self._scale


def _joints_of_driven_tendons(model: mujoco.MjModel) -> set[int]:
    found: set[int] = set()
    for actuator in np.flatnonzero(model.actuator_trntype == int(mujoco.mjtTrn.mjTRN_TENDON)).tolist():
        start = int(model.tendon_adr[model.actuator_trnid[actuator, 0]])
        for row in range(start, start + int(model.tendon_num[model.actuator_trnid[actuator, 0]])):
            if int(model.wrap_type[row]) == int(mujoco.mjtWrap.mjWRAP_JOINT):
                found.add(int(model.wrap_objid[row]))
    return found


def joint_of_actuator(model: mujoco.MjModel, actuator: int) -> int | None:
    """The hinge or slide joint that an actuator drives directly, or None."""
    kinds = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
    single = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    joint = int(model.actuator_trnid[actuator, 0])
    is_joint = int(model.actuator_trntype[actuator]) in kinds and int(model.jnt_type[joint]) in single
    return joint if is_joint else None


def body_of_actuator(model: mujoco.MjModel, actuator: int) -> int:
    """The body that an actuator acts on: of its joint, its site, or the first thing that its tendon passes."""
    kind, target = int(model.actuator_trntype[actuator]), int(model.actuator_trnid[actuator, 0])
    trn, wrap = mujoco.mjtTrn, mujoco.mjtWrap
    if kind == int(trn.mjTRN_BODY):
        return target
    if kind in (int(trn.mjTRN_SITE), int(trn.mjTRN_SLIDERCRANK)):
        return int(model.site_bodyid[target])
    if kind != int(trn.mjTRN_TENDON):
        return int(model.jnt_bodyid[target])
    bodies = {
        int(wrap.mjWRAP_JOINT): model.jnt_bodyid,
        int(wrap.mjWRAP_SITE): model.site_bodyid,
        int(wrap.mjWRAP_SPHERE): model.geom_bodyid,
        int(wrap.mjWRAP_CYLINDER): model.geom_bodyid,
    }
    start = int(model.tendon_adr[target])
    for row in range(start, start + int(model.tendon_num[target])):
        owners = bodies.get(int(model.wrap_type[row]))
        if owners is not None:
            return int(owners[model.wrap_objid[row]])
    return 0
