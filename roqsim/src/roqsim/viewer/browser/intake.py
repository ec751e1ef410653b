"""Studio's messages as requests: the viewer's end of its channels, behind which no simulation stands."""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable

import mujoco
import numpy as np

from roqsim.viewer.browser.studio import launch_thread, messages, sim

STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)

HOLD = 0.5
"""Wall seconds after which a push ends when nothing more is heard of it."""

SPEED = 100.0
"""What the page shows as the speed, in percent: the pace of the run is the run's."""

FIXED = {
    messages.MjOptionSnapshot: "options",
    messages.KeyframeEvent: "save",
    messages.ThreadPoolEvent: "threads",
    messages.LoadModelEvent: "model",
}
"""Messages that ask for what cannot be asked for, by the key of the answer."""


class Intake:
    """Stands where Studio expects its simulation; used on the viewer's thread unless stated otherwise.

    Args:
        model: The model that is shown.
        send: Sends a request to the run.

    Attributes:
        events: What reaches the viewer in order; to be filled from any thread.
        snapshots: What reaches the viewer at its latest; to be filled from any thread.
        shown: The state that the viewer shows, as ``mjSTATE_INTEGRATION``; None before the first.
        paused: Whether the run is held.
        leaving: Whether the run is over.
    """

    def __init__(self, model: mujoco.MjModel, send: Callable[..., None]) -> None:
        self.events = launch_thread.ThreadEventChannel()
        self.snapshots = launch_thread.ThreadSnapshotChannel()
        self.shown: np.ndarray | None = None
        self.paused = False
        self.leaving = False
        self._model = model
        self._send = send
        self._parent = os.getppid()
        self._pushes: dict[int, list[float]] = {}
        self._pushed_at = 0.0
        self._takers = {
            messages.StepControlSnapshot: self._take_control,
            messages.SingleStepEvent: lambda _: self._send("step"),
            messages.ResetEvent: self._take_reset,
            messages.StateEvent: self._take_state,
            messages.PerturbSnapshot: self._take_perturbation,
            messages.ExitEvent: lambda _: None,
        }

    @property
    def size(self) -> int:
        """How many numbers a state has."""
        return mujoco.mj_stateSize(self._model, STATE)

    def begin(self, model: mujoco.MjModel) -> None:
        """Goes on with another model: the viewer shows it by now, and what was pushed is gone."""
        if model is not self._model:
            self._model, self.shown, self._pushes = model, None, {}

    # What Studio's viewer calls

    def send_to_sim(self, message: object) -> None:
        """Takes what the viewer wants of its simulation."""
        for kind, take in self._takers.items():
            if isinstance(message, kind):
                take(message)
                return
        key = next((key for kind, key in FIXED.items() if isinstance(message, kind)), "history")
        self._send("fixed", key)

    def get_sim_events(self) -> list[object]:
        """What came in order since the last call."""
        if os.getppid() != self._parent and not self.leaving:
            self.leave()
        return self.events.get()

    def get_sim_snapshots(self) -> list[object]:
        """The latest of each kind that came since the last call."""
        if self._pushes and time.monotonic() - self._pushed_at > HOLD:
            self._change_pushes({})
        return self.snapshots.get()

    def close(self) -> None:
        """Part of an endpoint; there is nothing to close."""

    # From the run to the viewer, from any thread

    def leave(self) -> None:
        """Ends the viewer."""
        self.leaving = True
        self.events.put(messages.ExitEvent())

    def show_state(self, state: bytes) -> None:
        """Has a state shown."""
        self.snapshots.put(messages.StateSnapshot(state=np.frombuffer(state), state_sig=STATE))

    def show_truth(self) -> None:
        """Puts right what the viewer's own controls show of the run: they change before anybody has agreed."""
        held = sim.PauseState.NORMAL_PAUSED if self.paused else sim.PauseState.UNPAUSED
        self.snapshots.put(messages.StepControlSnapshot(pause_state=held, speed=SPEED, noise_scale=0.0, noise_rate=0.0))
        self.snapshots.put(messages.MjOptionSnapshot(opt=copy.deepcopy(self._model.opt)))

    # From the viewer to the run

    def _take_control(self, message: messages.StepControlSnapshot) -> None:
        paused = message.pause_state != sim.PauseState.UNPAUSED
        if paused != self.paused:
            self._send("pause", paused)
        if message.speed != SPEED:
            self._send("fixed", "speed")
        if message.noise_scale or message.noise_rate:
            self._send("fixed", "noise")

    def _take_reset(self, message: messages.ResetEvent) -> None:
        if message.key is not None and message.key >= 0:
            self._send("fixed", "keyframe")
        else:
            self._send("reset")
        # The viewer drops what waits for it when it resets its own copy.
        self.show_truth()

    def _take_state(self, message: messages.StateEvent) -> None:
        """Finds out what was changed, part by part: the message holds all of them, most of it as the run has it."""
        if self.shown is None or mujoco.mj_stateSize(self._model, message.state_sig) != len(message.state):
            return
        for place in range(message.state_sig.bit_length()):
            part = message.state_sig & 1 << place
            if not part:
                continue
            before, after = (np.empty(mujoco.mj_stateSize(self._model, part)) for _ in range(2))
            mujoco.mj_extractState(self._model, self.shown, STATE, before, part)
            mujoco.mj_extractState(self._model, message.state, message.state_sig, after, part)
            rows = np.flatnonzero(before != after)
            if rows.size:
                self._send("state", part, rows.tolist(), after[rows].tolist())

    def _take_perturbation(self, message: messages.PerturbSnapshot) -> None:
        # While paused a drag moves the body itself, and the forces are those of the run.
        wrenches = message.state.reshape(-1, 6)
        bodies = [] if self.paused else np.flatnonzero(wrenches.any(axis=1)).tolist()
        self._pushed_at = time.monotonic()
        self._change_pushes({body: wrenches[body].tolist() for body in bodies})

    def _change_pushes(self, pushes: dict[int, list[float]]) -> None:
        if pushes != self._pushes:
            self._pushes = pushes
            self._send("push", pushes)
