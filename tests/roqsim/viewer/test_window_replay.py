"""A recording in the window: keys play, hold and seek, and the picture is the recorded one."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from roqsim.drivers.replay import Replay
from roqsim.recording import open_recording, record
from roqsim.viewer.deck import Deck
from roqsim.viewer.window import Window

pytestmark = [pytest.mark.gl, pytest.mark.slow, pytest.mark.screen]


@pytest.fixture
def replayed(screen, ball, tmp_path):
    """A recording of a ball that goes along its rail, shown by a thread of its own; gives deck and states shown."""
    engine = ball()
    record(engine, tmp_path / "run.mcap", fps=50.0)
    engine.reset()
    engine.ctx.data.qvel[0] = -1.5
    engine.advance(round(4.0 / engine.ctx.dt))
    engine.shutdown()
    recording = open_recording(tmp_path / "run.mcap")
    deck = Deck(recording.times, paused=True)
    window = Window(deck=deck)
    opened, stopping = threading.Event(), []

    def run():
        engine = recording.rebuild(preview=True)
        stopping.append(engine.ctx)
        window_open = window.open

        def open_and_tell(engine):
            window_open(engine)
            opened.set()

        window.open = open_and_tell
        Replay(recording, engine, deck, [window]).run()

    thread = threading.Thread(target=run)
    thread.start()
    assert opened.wait(60)
    yield deck
    stopping[0].request_stop("the test is over")
    thread.join()


def red_column(picture):
    red, green, blue = (picture[:, :, channel].astype(int) for channel in range(3))
    columns = np.flatnonzero(((red > 120) & (green < 60) & (blue < 60)).any(axis=0))
    return columns.mean() if columns.size else None


def test_keys_play_hold_and_seek_and_the_picture_follows(screen, replayed, until):
    deck = replayed
    until(lambda: red_column(screen.picture()) is not None, "the ball on the screen")
    before = red_column(screen.picture())

    def press(key, holds, what):
        for _ in range(5):
            screen.press(key)
            try:
                return until(holds, what, patience=6.0)
            except AssertionError:
                continue
        return until(holds, what)

    press("End", lambda: deck.time == deck.stop, "the end of the recording")
    # The camera looks along x, so the world's y axis runs to the left.
    until(lambda: red_column(screen.picture()) > before + 25, "the ball further to the right")
    press("Home", lambda: deck.time == deck.start, "the beginning")
    until(lambda: abs(red_column(screen.picture()) - before) < 3, "the ball where it began")
    press("Right", lambda: deck.index >= 1, "one sample further on")
    press("Up", lambda: deck.speed >= 2.0, "twice the speed")
    press("space", lambda: not deck.paused, "that it plays")
    until(lambda: deck.time > 0.5, "that time goes on")
