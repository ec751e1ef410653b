"""What plays a recording: time goes on, holds, and is where a person puts it."""

from __future__ import annotations

import numpy as np
import pytest
from roqsim.viewer.deck import SKIP, SPEEDS, Deck
from roqsim.viewer.deck_keys import deck_keys
from roqsim.viewer.keys import KeyMap


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def deck(clock):
    return Deck(np.arange(0.0, 20.01, 0.1), clock=clock)


def test_it_plays_from_the_beginning_at_real_time(deck, clock):
    assert (deck.time, deck.index, deck.paused) == (0.0, 0, False)
    clock.now += 1.234
    assert deck.time == pytest.approx(1.234)
    assert deck.index == 12


def test_it_stays_at_its_end_and_plays_again_from_the_beginning(deck, clock):
    clock.now += 100.0
    assert (deck.time, deck.index, deck.paused) == (20.0, 200, True)
    deck.toggle()
    assert (deck.time, deck.paused) == (0.0, False)


def test_it_holds_and_goes_on_where_it_was(deck, clock):
    clock.now += 2.0
    deck.toggle()
    clock.now += 50.0
    assert deck.time == pytest.approx(2.0)
    deck.toggle()
    clock.now += 1.0
    assert deck.time == pytest.approx(3.0)


def test_another_speed_holds_from_now_on(deck, clock):
    clock.now += 1.0
    deck.set_speed(4.0)
    assert deck.time == pytest.approx(1.0)
    clock.now += 1.0
    assert deck.time == pytest.approx(5.0)


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), float("inf")])
def test_what_is_no_speed_changes_nothing(deck, speed):
    deck.set_speed(speed)
    assert deck.speed == 1.0


def test_keys_go_through_the_speeds_and_stop_at_the_ends(deck):
    for _ in range(20):
        deck.shift_speed(1)
    assert deck.speed == SPEEDS[-1]
    for _ in range(20):
        deck.shift_speed(-1)
    assert deck.speed == SPEEDS[0]
    deck.set_speed(3.0)
    deck.shift_speed(1)
    assert deck.speed == 4.0


@pytest.mark.parametrize(("t", "reached"), [(7.0, 7.0), (-5.0, 0.0), (1e9, 20.0), (float("nan"), 0.0)])
def test_it_goes_where_it_is_put_within_the_recording(deck, t, reached):
    deck.pause()
    deck.seek(t)
    assert deck.time == reached


def test_a_skip_is_a_sample_while_held_and_seconds_while_it_plays(deck, clock):
    clock.now += 10.0
    deck.skip(-1)
    assert deck.time == pytest.approx(10.0 - SKIP)
    deck.pause()
    before = deck.index
    deck.skip(1)
    assert deck.index == before + 1
    deck.skip(-1)
    deck.skip(-1)
    assert deck.index == before - 1
    assert deck.paused


def test_every_sample_can_be_stepped_to(clock):
    times = np.cumsum(np.random.default_rng(1).uniform(1e-3, 0.1, 500))
    deck = Deck(times, clock=clock, paused=True)
    seen = [deck.index]
    for _ in range(499):
        deck.step(1)
        seen.append(deck.index)
    assert seen == list(range(500))
    deck.step(1)
    assert deck.index == 499


def test_it_may_begin_somewhere_held(clock):
    deck = Deck(np.arange(0.0, 5.0), at=3.0, paused=True, clock=clock)
    clock.now += 10.0
    assert (deck.time, deck.paused) == (3.0, True)


def test_a_recording_of_one_sample_can_be_watched(clock):
    deck = Deck(np.array([0.5]), clock=clock)
    assert (deck.index, deck.time, deck.paused) == (0, 0.5, True)
    deck.toggle()
    deck.step(1)
    assert deck.index == 0


def test_keys_do_what_their_list_says(deck, clock):
    keys = KeyMap(deck_keys(deck))
    by_label = {key.label: key.code for key in keys.keys}
    clock.now += 7.0
    keys.press(by_label["Space"])
    assert deck.paused
    keys.press(by_label["Right arrow"])
    assert deck.index == 71
    keys.press(by_label["End"])
    assert deck.time == 20.0
    keys.press(by_label["Home"])
    assert deck.time == 0.0
    keys.press(by_label["Up arrow"])
    assert deck.speed == 2.0
    keys.press(by_label["Down arrow"])
    assert deck.speed == 1.0
    assert "20.00 s" in deck.describe()
    assert "paused" in deck.describe()
