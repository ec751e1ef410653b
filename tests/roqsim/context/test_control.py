from __future__ import annotations

from concurrent.futures import CancelledError

import pytest
from roqsim.context import RunControl


def test_pausing_and_resuming_is_seen_by_the_driver():
    control = RunControl()
    assert not control.paused
    control.pause()
    assert control.paused
    control.resume()
    assert not control.paused


def test_requests_are_taken_once_in_their_order():
    control = RunControl()
    futures = [control.step(3), control.step(1)]
    reset = control.reset()
    assert control.has_requests
    assert control.take_steps() == [(3, futures[0]), (1, futures[1])]
    assert control.take_resets() == [reset]
    assert not control.has_requests
    assert control.take_steps() == []


@pytest.mark.parametrize("n", [0, -1])
def test_a_step_of_nothing_is_refused(n):
    with pytest.raises(ValueError, match=f"expected n >= 1, got {n}"):
        RunControl().step(n)


def test_after_the_end_nobody_waits_for_ever():
    control = RunControl()
    asked = [control.step(), control.reset()]
    control.cancel()
    for future in [*asked, control.step(), control.reset()]:
        with pytest.raises(CancelledError):
            future.result(0)
