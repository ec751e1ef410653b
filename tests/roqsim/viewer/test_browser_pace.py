from __future__ import annotations

import pytest
from roqsim.viewer.browser.pace import MESSAGE, PATIENCE, Pace


def test_one_frame_goes_for_each_that_the_page_draws():
    pace = Pace()
    sent = 0
    for millisecond in range(900):
        if not millisecond % 100:
            pace.draw()
        sent += pace.begin(millisecond / 1000)
    assert sent == 9


@pytest.mark.parametrize("messages", [0, 1, 3, 8])
def test_a_picture_delays_the_next_frame_by_as_many_as_it_takes(messages):
    pace, frames = Pace(), 120 * (messages + 2)
    for _ in range(frames):
        pace.draw()
        if pace.begin(0.0):
            assert pace.admit(messages * MESSAGE + 1)
    sent = frames / (messages + 2)
    assert pace._free - pace._drawn <= messages + 2
    assert sent == 120


def test_a_page_that_draws_nothing_gets_a_frame_a_second_and_no_picture():
    pace = Pace()
    pace.begin(0.0)
    begun = [second for second in (0.5, 0.9, PATIENCE, 1.5, 2 * PATIENCE) if pace.begin(second)]
    assert begun == [PATIENCE, 2 * PATIENCE]
    assert not pace.admit(1)


def test_a_page_that_comes_back_gets_pictures_again():
    pace = Pace()
    for second in range(5):
        pace.begin(float(second))
    pace.draw()
    assert pace.begin(5.0)
    assert pace.admit(1)
