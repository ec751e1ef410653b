"""What a person changed in the window's own copy of the simulation, found by comparing it before and after."""

from __future__ import annotations

import time
from collections.abc import Callable

import mujoco
import numpy as np

HELD = 0.3
"""Seconds for which a slider keeps what the person set, until the simulation has taken it over."""

RESET_HELD = 0.5
"""Seconds after a reset in which another one is the same one, seen twice."""

Message = dict[str, object]


class Edits:
    """Tells sliders, pushes and resets from what the simulation itself does.

    Args:
        model: The window's copy of the model.
        data: The window's copy of the state.
        perturb: The window's record of what the mouse pulls at.
        manual: Whether the person owns the controls.
        clock: Monotonic wall time in seconds.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        perturb: mujoco.MjvPerturb,
        *,
        manual: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model, self._data, self._perturb = model, data, perturb
        self._manual, self._clock = manual, clock
        self._set: dict[int, tuple[float, float]] = {}
        self._pushed = 0
        self._reset_at = -RESET_HELD
        self._options = _options(model)
        self._ctrl, self._qpos, self._time = data.ctrl.copy(), data.qpos.copy(), 0.0
        self.complaint = ""

    def before(self) -> None:
        """Notes the state as it came from the simulation, with the controls that are on their way to it."""
        data, now = self._data, self._clock()
        self._set = {
            index: (value, until)
            for index, (value, until) in self._set.items()
            if until > now and data.ctrl[index] != value
        }
        for index, (value, _) in self._set.items():
            data.ctrl[index] = value
        for name, value in self._options.items():
            setattr(self._model.opt, name, value)
        self._ctrl[:], self._qpos[:], self._time = data.ctrl, data.qpos, data.time

    def after(self) -> list[Message]:
        """What the person did since ``before``; ``complaint`` tells what of it the simulation does not take."""
        self.complaint = ""
        if self._data.time < self._time:
            return self.reset()
        return [*self._controls(), *self._push(), *self._joints()]

    def reset(self) -> list[Message]:
        """A reset that was asked for, unless it was just asked for in another way."""
        now = self._clock()
        is_new = now - self._reset_at >= RESET_HELD
        self._reset_at = now
        self._set.clear()
        return [{"kind": "reset"}] if is_new else []

    def _controls(self) -> list[Message]:
        changed = np.flatnonzero(self._data.ctrl != self._ctrl)
        if not changed.size:
            return []
        if not self._manual:
            self.complaint = "the controllers own the controls; start with --manual-control to set them here"
            return []
        until = self._clock() + HELD
        values = {int(index): float(self._data.ctrl[index]) for index in changed}
        self._set.update({index: (value, until) for index, value in values.items()})
        return [{"kind": "ctrl", "values": list(values.items())}]

    def _push(self) -> list[Message]:
        body = int(self._perturb.select) if self._perturb.active else 0
        found: list[Message] = []
        if self._pushed and body != self._pushed:
            found.append({"kind": "release", "body": self._pushed})
        if body > 0:
            found.append({"kind": "push", "body": body, "wrench": self._data.xfrc_applied[body].tolist()})
        self._pushed = max(body, 0)
        return found

    def _joints(self) -> list[Message]:
        if (self._data.qpos != self._qpos).any():
            self.complaint = (
                "joints belong to the physics; pull at a body instead: double-click it, then Ctrl and right button"
            )
        return []


def _options(model: mujoco.MjModel) -> dict[str, object]:
    """The physics settings of a model, which its window shows and must not keep changed."""
    names = [name for name in dir(model.opt) if not name.startswith("_")]
    values = {name: getattr(model.opt, name) for name in names}
    return {
        name: np.copy(value) if isinstance(value, np.ndarray) else value
        for name, value in values.items()
        if not callable(value)
    }
