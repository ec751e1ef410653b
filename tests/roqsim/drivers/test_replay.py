"""A recording is watched: the recorded states, bit for bit, and nothing that anybody does changes them."""

from __future__ import annotations

import threading
import time

import mujoco
import numpy as np
import pytest
from roqsim.drivers.replay import Replay
from roqsim.errors import RoqsimError
from roqsim.mj import state
from roqsim.recording import open_recording, record
from roqsim.viewer.deck import Deck

WORLD = """
sim: {seed: 1, name: crates}
components:
  - boxes: {instances: [{name: crate, size: [0.4, 0.4, 0.4], pose: {position: {z: 1.0}}}]}
"""


@pytest.fixture
def recording(world, tmp_path):
    engine = world(WORLD, reset=False)
    record(engine, tmp_path / "run.mcap", fps=50.0)
    engine.reset()
    engine.advance(500)
    engine.shutdown()
    return open_recording(tmp_path / "run.mcap")


class Watcher:
    """Takes every state that it is shown, and does something at some of them."""

    def __init__(self, deeds=()):
        self.states, self.calls, self.deeds = [], [], list(deeds)

    def open(self, engine):
        self.ctx = engine.ctx
        self.calls.append("open")

    def sync(self):
        taken = state.take(self.ctx.model, self.ctx.data).tobytes()
        if not self.states or self.states[-1] != taken:
            self.states.append(taken)
            if self.deeds:
                self.deeds.pop(0)(self.ctx)

    def close(self):
        self.calls.append("close")


def stop(ctx):
    ctx.request_stop("seen enough")


def play(recording, deeds, **options):
    watcher = Watcher(deeds)
    deck = Deck(recording.times, **options)
    reason = Replay(recording, recording.rebuild(preview=True), deck, [watcher]).run()
    return watcher, reason


def test_what_is_shown_are_the_recorded_states_in_order(recording, monkeypatch):
    monkeypatch.setattr(mujoco, "mj_step", lambda *args: pytest.fail("physics was stepped"))
    recorded = [sample.state.tobytes() for sample in recording]
    watcher, reason = play(recording, [*[lambda ctx: None] * 15, stop], speed=0.5)
    assert reason == "seen enough"
    places = [recorded.index(shown) for shown in watcher.states]
    assert places == sorted(places)
    assert len(places) == 16
    assert watcher.calls == ["open", "close"]


def test_pushes_and_commands_are_dropped(recording):
    cancelled = []

    def push(ctx):
        cancelled.append(ctx.post(lambda ctx: ctx.data.xfrc_applied.fill(9.0)))
        cancelled.append(ctx.control.reset())
        cancelled.append(ctx.control.step())

    watcher, _ = play(recording, [push, push, stop])
    recorded = [sample.state.tobytes() for sample in recording]
    assert all(shown in recorded for shown in watcher.states)
    assert all(each.cancelled() for each in cancelled)


def test_the_views_are_told_whether_it_is_held(recording):
    told = []
    deck = Deck(recording.times, paused=True)

    class Looker(Watcher):
        def sync(self):
            told.append(self.ctx.control.paused)
            if len(told) == 3:
                deck.play()
            if len(told) > 5:
                self.ctx.request_stop("seen")

    Replay(recording, recording.rebuild(preview=True), deck, [Looker()]).run()
    assert told[:3] == [True] * 3
    assert told[-1] is False


def test_a_view_that_fails_closes_everything(recording):
    class Broken(Watcher):
        def open(self, engine):
            self.engine = engine
            raise RoqsimError("no window")

    view = Broken()
    with pytest.raises(RoqsimError, match="no window"):
        Replay(recording, recording.rebuild(preview=True), Deck(recording.times), [view]).run()
    assert view.calls == ["close"]
    with pytest.raises(RoqsimError, match="shut down"):
        view.engine.reset()


def test_sensors_can_be_read_while_it_is_watched(recording):
    heights = []
    deeds = [lambda ctx: heights.append(float(ctx.data.body("crate").xpos[2]))] * 5
    play(recording, [*deeds, stop], at=0.3)
    expected = np.array([sample.state[3] for sample in recording])
    assert all(np.isclose(expected, height, atol=1e-12).any() for height in heights)


def test_it_keeps_pace_with_the_clock_on_the_wall(recording):
    first, watcher = time.monotonic(), None
    watcher, _ = play(recording, [*[lambda ctx: None] * 20, stop])
    gone = time.monotonic() - first
    times = [recording.times[[s.state.tobytes() for s in recording].index(shown)] for shown in watcher.states]
    assert times[-1] - times[0] <= gone


def test_a_stop_from_another_thread_ends_it(recording):
    watcher = Watcher()
    replay = Replay(recording, recording.rebuild(preview=True), Deck(recording.times), [watcher])
    hand = threading.Timer(0.3, lambda: watcher.ctx.request_stop("enough"))
    hand.start()
    assert replay.run() == "enough"
    hand.join()
