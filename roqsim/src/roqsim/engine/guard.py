"""Notices a state that became NaN, infinite or huge, says what did, and keeps the states that led there."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import mujoco
import numpy as np

from roqsim.context import SimContext
from roqsim.destination import new_file
from roqsim.engine.schedule import Schedule, Slot
from roqsim.errors import DivergenceError, PluginError, RoqsimError

QUANTITIES = ("qpos", "qvel", "qacc", "ctrl")
"""What MuJoCo has a verdict on, which it counts once a step: mjWARN_BADQPOS and so on, in the order of its enum."""

LARGEST_VALUE = 1e10
"""MuJoCo's mjMAXVAL: what lies beyond is called huge."""

KEPT_STATES = 64
"""How many states before a divergence are kept."""

SHORT = 64
"""Up to how many numbers Python adds faster than numpy."""

REPORT_NAME = "divergence.npz"


@dataclass(frozen=True)
class Divergence:
    """What went wrong with a state.

    Attributes:
        quantity: ``qpos``, ``qvel``, ``qacc`` or ``ctrl``.
        element: The joint or actuator, with its body where it has no name.
        value: The offending number; None where it was over again when it was noticed.
        tick: The tick of the bad state, or that at which it was noticed.
        time: Its simulated time in seconds.
        component: Who wrote it, such as ``robot.drive.pre_step``; an empty text where physics made it.
    """

    quantity: str
    element: str
    value: float | None
    tick: int
    time: float
    component: str = ""

    def __str__(self) -> str:
        by = f", written by {self.component}" if self.component else ""
        when = f"{self.time:.6g} s (tick {self.tick}){by}"
        if self.value is None:
            return f"{self.quantity} of {self.element} was huge or not finite shortly before {when}"
        return f"{self.quantity} of {self.element} is {self.value:g} at {when}"


OutputDir = Path | Callable[[], Path | None] | None
"""A folder, or what names it once it is needed."""


class Guard:
    """Watches one simulation; made once the model is compiled.

    Args:
        ctx: The simulation.
        output_dir: Where the last states go when it diverges, or what names it then; RUN_OUTPUT_DIR or the working
            directory by default.

    Attributes:
        before: The hooks before the physics: the first one due is not alone in having written what it leaves behind.
        warned: MuJoCo's counters of bad states, as a live view.
        calm: What ``warned`` equals as long as nothing is wrong.
        is_sound: Tells whether controls, velocities and positions are finite.
    """

    def __init__(self, ctx: SimContext, output_dir: OutputDir) -> None:
        model, data = ctx.model, ctx.data
        self._ctx = ctx
        self.before = Schedule([])
        self._named_dir = output_dir
        first = self._first = int(mujoco.mjtWarning.mjWARN_BADQPOS)
        self.warned = memoryview(data.warning.number)[first : first + len(QUANTITIES)]
        self.calm = memoryview(np.zeros_like(self.warned))
        self._ctrl = data.ctrl
        self.is_sound = _soundness(data)
        self._spec = int(mujoco.mjtState.mjSTATE_INTEGRATION)
        self._states = np.zeros((KEPT_STATES, mujoco.mj_stateSize(model, self._spec)))
        self._ticks = np.zeros(KEPT_STATES, dtype=np.int64)
        self._kept = 0

    def clear(self) -> None:
        """Forgets the kept states: a new episode begins."""
        self._kept = 0

    def keep(self, ctx: SimContext) -> None:
        """Keeps a copy of the current state."""
        row = self._kept % KEPT_STATES
        mujoco.mj_getState(ctx.model, ctx.data, self._states[row], self._spec)
        self._ticks[row] = ctx.tick
        self._kept += 1

    def check_writes(self, slot: Slot) -> None:
        """Refuses what a hook wrote if it is not a number.

        Args:
            slot: The hook that ran last.

        Raises:
            PluginError: Naming the component and the actuator of a control that is not finite.
            DivergenceError: Naming the component and the joint of a state that is not finite.
        """
        if self.is_sound():
            return
        bad = np.flatnonzero(~np.isfinite(self._ctrl))
        if bad.size:
            actuator, value = _actuator_of(self._ctx.model, int(bad[0])), float(self._ctrl[bad[0]])
            when = f"at {self._ctx.sim_time:.6g} s"
            hint = "; if a script wrote it between two steps, correct the script" if self._is_first(slot) else ""
            raise PluginError(
                f"{slot.address or slot.hook}: expected a finite control for actuator {actuator}, got {value!r} "
                + (f"in {slot.hook} {when}{hint}" if slot.address else when),
                address=slot.address,
                hook=slot.hook,
            )
        other = " or by a script between two steps" if self._is_first(slot) else ""
        raise self.divergence(self._ctx.tick, component=slot.who + other)

    def _is_first(self, slot: Slot) -> bool:
        """Whether a hook is the first of its tick, so that nobody looked between the last step and it."""
        due = (each for every, _, _, each in self.before.table if not self._ctx.tick % every)
        return next(due, None) is slot

    def divergence(self, tick: int, component: str = "") -> DivergenceError:
        """Describes the bad state and writes the states before it; to be raised by the caller."""
        found = self._find(tick, component)
        path = self._write(found)
        kept = f"the last states are in {path}" if path else "the last states could not be written"
        advice = "try a smaller sim.timestep, softer contacts or gains, or look at what the component writes"
        return DivergenceError(f"the simulation diverged: {found}; {kept}; {advice}", found)

    def bad_steps(self) -> int:
        """For how many steps MuJoCo has called the state bad."""
        return max(self.warned)

    def _find(self, tick: int, component: str) -> Divergence:
        model, data = self._ctx.model, self._ctx.data
        # What was counted in most steps was bad first; the other quantities follow from it.
        counts = dict(zip(QUANTITIES, self.warned, strict=True))
        for quantity, name_of in sorted(NAMERS.items(), key=lambda pair: -counts[pair[0]]):
            values = getattr(data, quantity)
            bad = np.flatnonzero(~(np.abs(values) < LARGEST_VALUE))
            if bad.size:
                row = int(bad[0])
                return Divergence(
                    quantity, name_of(model, row), float(values[row]), tick, tick * self._ctx.dt, component
                )
        return self._over(component)

    def _over(self, component: str) -> Divergence:
        """What MuJoCo counted in many steps at once, the last of which was good again."""
        counts = list(self.warned)
        worst = counts.index(max(counts))
        info = int(self._ctx.data.warning.lastinfo[self._first + worst])
        quantity = QUANTITIES[worst]
        tick = self._ctx.tick
        return Divergence(quantity, NAMERS[quantity](self._ctx.model, info), None, tick, tick * self._ctx.dt, component)

    @property
    def _output_dir(self) -> Path:
        named = self._named_dir() if callable(self._named_dir) else self._named_dir
        return Path(named or os.environ.get("RUN_OUTPUT_DIR") or ".")

    def _write(self, found: Divergence) -> Path | None:
        path = self._output_dir / REPORT_NAME
        try:
            with new_file(path, overwrite=True) as beside:
                np.savez(beside, **self._content(found))
        except RoqsimError as error:
            self._ctx.log.error("%s", error)
            return None
        return path

    def _content(self, found: Divergence) -> dict[str, object]:
        """What the report holds."""
        ctx = self._ctx
        order = [(self._kept - n) % KEPT_STATES for n in range(min(self._kept, KEPT_STATES), 0, -1)]
        return {
            "reason": str(found),
            "ticks": self._ticks[order],
            "times": self._ticks[order] * ctx.dt,
            "states": self._states[order],
            "state_spec": self._spec,
            "qpos": ctx.data.qpos,
            "qvel": ctx.data.qvel,
            "qacc": ctx.data.qacc,
            "ctrl": ctx.data.ctrl,
            "episode": ctx.episode,
            "mujoco": mujoco.__version__,
        }


def _soundness(data: mujoco.MjData) -> Callable[[], bool]:
    """What tells whether controls, velocities and positions are finite, without a warning where one is not."""
    vectors = (data.ctrl, data.qvel, data.qpos)
    if sum(values.size for values in vectors) <= SHORT:
        ctrl, qvel, qpos = (values.tolist for values in vectors)
        return lambda: isfinite(sum(ctrl() + qvel() + qpos()))
    is_finite = np.isfinite
    return lambda: all(bool(is_finite(values).all()) for values in vectors)


def _joint_of_qpos(model: mujoco.MjModel, row: int) -> str:
    joint = int(np.searchsorted(model.jnt_qposadr, row, side="right")) - 1
    return _joint_name(model, joint)


def _joint_of_dof(model: mujoco.MjModel, row: int) -> str:
    return _joint_name(model, int(model.dof_jntid[row]))


def _joint_name(model: mujoco.MjModel, joint: int) -> str:
    name = model.joint(joint).name
    return f"joint {name!r}" if name else f"a joint of body {model.body(int(model.jnt_bodyid[joint])).name!r}"


def _actuator_of(model: mujoco.MjModel, row: int) -> str:
    """Names the actuator that owns a control; since PID actuators exist, one actuator may own several."""
    index = int(np.searchsorted(model.actuator_ctrladr, row, side="right")) - 1
    return repr(model.actuator(index).name or f"number {index}")


NAMERS = {"ctrl": _actuator_of, "qpos": _joint_of_qpos, "qvel": _joint_of_dof, "qacc": _joint_of_dof}
"""How the owner of a row of each quantity is called."""
