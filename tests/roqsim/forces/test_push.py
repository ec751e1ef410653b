from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.forces.push import Push, WrenchCommand

DT = 0.002


def impulse(push, n):
    """The sum of force times step over the first n steps, for a force of one newton."""
    return math.fsum(push.mean(k * DT, (k + 1) * DT) * DT for k in range(n))


@given(st.floats(0, 0.5), st.floats(1e-4, 0.5), st.floats(0, 0.5))
def test_the_impulse_is_that_of_the_trapezium(start, duration, share):
    ramp = share * duration
    push = Push(WrenchCommand(duration=duration, ramp=ramp), start)
    assert impulse(push, 600) == pytest.approx(duration - ramp, rel=1e-9, abs=1e-12)


def test_the_force_rises_holds_and_falls():
    push = Push(WrenchCommand(duration=1.0, ramp=0.25), 2.0)
    assert push.mean(1.0, 2.0) == 0.0
    assert push.mean(2.0, 2.25) == pytest.approx(0.5)
    assert push.mean(2.1, 2.1 + 1e-9) == pytest.approx(0.4, rel=1e-5)
    assert push.mean(2.25, 2.75) == 1.0
    assert push.mean(2.75, 3.0) == pytest.approx(0.5)
    assert push.mean(3.0, 4.0) == 0.0


def test_a_push_without_end_holds_exactly():
    push = Push(WrenchCommand(ramp=0.1), 0.0)
    assert push.end == math.inf
    assert push.mean(0.0, 0.1) == pytest.approx(0.5)
    assert push.mean(1e6, 1e6 + DT) == 1.0


def test_ramps_longer_than_the_push_are_refused():
    with pytest.raises(ValueError, match="at most half of the duration of 1.0 s, got 0.6"):
        WrenchCommand(duration=1.0, ramp=0.6)
