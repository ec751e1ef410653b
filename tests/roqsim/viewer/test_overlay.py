from __future__ import annotations

import pytest
from roqsim.viewer.overlay import PLACES, Overlay


def lines(texts):
    return None if texts is None else [(left, right) for _, _, left, right in texts]


@pytest.fixture
def now():
    return [100.0]


@pytest.fixture
def overlay(now):
    return Overlay(clock=lambda: now[0])


def test_one_writer_leaves_the_text_of_another(overlay):
    overlay.write("keys", "F1", "list")
    overlay.write("camera", "on robot")
    assert lines(overlay.take()) == [("F1", "list"), ("on robot", "")]
    overlay.clear("keys")
    assert lines(overlay.take()) == [("on robot", "")]


def test_texts_are_handed_over_only_when_they_changed(overlay):
    assert overlay.take() is None
    overlay.write("camera", "on robot")
    assert overlay.take() is not None
    overlay.write("camera", "on robot")
    assert overlay.take() is None
    overlay.clear("camera")
    assert overlay.take() == []
    assert overlay.take() is None


def test_a_notice_goes_by_itself(overlay, now):
    overlay.write("notice", "saved", seconds=4.0)
    assert lines(overlay.take()) == [("saved", "")]
    now[0] += 3.9
    assert overlay.take() is None
    now[0] += 0.2
    assert overlay.take() == []


def test_every_slot_has_a_corner_of_its_own(overlay):
    assert len(set(PLACES.values())) == len(PLACES)
    with pytest.raises(ValueError, match="expected one of .*, got 'nowhere'"):
        overlay.write("nowhere", "x")
