"""What people ask for on the page, as commands of the simulation; what is not allowed is refused with a reason."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future

import mujoco
import numpy as np

from roqsim.context import SimContext
from roqsim.viewer.browser.refusals import Refusals
from roqsim.viewer.hand import Hand

LOG = logging.getLogger("roqsim")

OWNER = "browser"
"""Whose share of the applied forces a drag on the page is."""

READ_ONLY = "the page only watches; start with --browser-control to steer from it"

STATES = mujoco.mjtState
WRITABLE = {
    int(part)
    for part in (
        *(STATES.mjSTATE_QPOS, STATES.mjSTATE_QVEL, STATES.mjSTATE_ACT, STATES.mjSTATE_CTRL),
        *(STATES.mjSTATE_MOCAP_POS, STATES.mjSTATE_MOCAP_QUAT),
    )
}
"""The parts of a state that may be set from the page."""

CONTROLS = int(STATES.mjSTATE_CTRL)

FIXED = {
    "speed": "the pace of a run is given by --pacing",
    "noise": "noise on controls belongs into the world file",
    "options": "physics options are given by the world's sim block, or --set sim...",
    "keyframe": "a reset goes to the world's own home, not to a keyframe",
    "save": "keyframes are not kept",
    "threads": "the number of threads is not set from the page",
    "model": "the world comes from the file that was named at the start",
    "history": "there is no history to go back in; record the run and replay it",
}
"""Why something is refused even to those who may steer."""


class Requests:
    """Takes the page's requests, on the thread that receives them, and has them done on the physics thread.

    Args:
        ctx: The simulation.
        control: Whether the page may steer.
        tell: Told the reason of each refusal.
    """

    def __init__(self, ctx: SimContext, control: bool, tell: Callable[[str], None]) -> None:
        self._ctx = ctx
        self._control = control
        self._tell = tell
        self.refuse = Refusals(tell)
        self._pushed: set[int] = set()
        self._hand = Hand(ctx, OWNER)
        self._has_written = False
        self._known: dict[object, Callable[..., None]] = {
            "pause": self._pause,
            "step": self._step,
            "reset": self._reset,
            "reload": self._reload,
            "state": self._write_state,
            "push": self._push,
            "quit": self._quit,
        }

    def take(self, kind: object, *values: object) -> None:
        """Does what is asked for, or says why not.

        Args:
            kind: ``pause`` (bool), ``step``, ``reset``, ``reload``, ``state`` (part, rows, values),
                ``push`` ({body: wrench}), ``quit``, ``fixed`` with a key of ``FIXED``, or ``refused`` with the reason.
            values: What belongs to it.
        """
        if kind == "refused":
            self.refuse(*values)
        elif not self._control:
            self.refuse(READ_ONLY)
        elif kind in self._known:
            self._known[kind](*values)
        else:
            self.refuse(FIXED.get(values[0], "unknown") if values else f"unknown request {kind!r}")

    def release(self) -> None:
        """Takes every push away: the page is gone."""
        if self._pushed:
            self._push({})

    def _pause(self, paused: bool) -> None:
        control = self._ctx.control
        control.pause() if paused else control.resume()

    def _step(self) -> None:
        self._ctx.control.pause()
        self._ctx.control.step()

    def _reset(self) -> None:
        self._ctx.control.reset()

    def _reload(self) -> None:
        self._ctx.control.reload().add_done_callback(self._tell_mistake)

    def _tell_mistake(self, future: Future) -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            self._tell(f"the world was not reloaded: {error}")

    def _quit(self) -> None:
        self._ctx.post(lambda ctx: ctx.request_stop("ended from the browser"))

    def _write_state(self, part: int, rows: Sequence[int], values: Sequence[float]) -> None:
        """Sets some numbers of one part of the state; rows count within it."""
        if part not in WRITABLE:
            self.refuse("of the state, only positions, velocities, activations and controls can be set")
        elif not np.isfinite(values).all():
            self.refuse(f"expected finite numbers, got {list(values)!r}")
        elif part == CONTROLS and not self._ctx.manual_control:
            self.refuse("the controllers own the controls; start with --manual-control to set them here")
        elif len(rows):
            self._note()
            self._ctx.post(lambda ctx: write_state(ctx, part, rows, values))

    def _note(self) -> None:
        if not self._has_written:
            self._has_written = True
            LOG.warning("browser: somebody set joints or controls; its seed alone does not repeat this run")

    def _push(self, wrenches: dict[int, Sequence[float]]) -> None:
        """Replaces all pushes: ``(6,)`` force in N and torque in Nm along the world's axes, by body."""
        if not all(np.isfinite(wrench).all() for wrench in wrenches.values()):
            self.refuse("expected a finite force, got NaN or infinity")
            return
        for body in self._pushed - wrenches.keys():
            self._hand.release(body)
        for body, wrench in wrenches.items():
            self._hand.push(body, list(wrench))
        self._pushed = set(wrenches)


def write_state(ctx: SimContext, part: int, rows: Sequence[int], values: Sequence[float]) -> None:
    """Sets some numbers of the state and leaves all others as they are, to the bit; on the physics thread.

    Args:
        ctx: The simulation.
        part: A bit of ``mjtState``.
        rows: ``(n,)`` places within this part.
        values: ``(n,)`` their values.
    """
    state = np.empty(mujoco.mj_stateSize(ctx.model, part))
    mujoco.mj_getState(ctx.model, ctx.data, state, part)
    state[list(rows)] = values
    mujoco.mj_setState(ctx.model, ctx.data, state, part)
