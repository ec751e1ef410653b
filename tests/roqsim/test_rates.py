from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.rates import Rate, announcement, snap

DTS = st.sampled_from([0.0005, 0.001, 0.002, 0.004, 0.005, 0.01])


@given(DTS, st.floats(0.01, 1.0))
def test_a_rate_snaps_to_the_nearest_whole_number_of_steps(dt, fraction):
    requested = fraction / dt
    rate = snap(requested, dt)
    reached = abs(rate.realised_hz - requested)
    assert all(reached <= abs(1 / (k * dt) - requested) * (1 + 1e-12) for k in range(1, round(1 / fraction) + 3))


@given(DTS, st.integers(1, 100_000))
def test_a_rate_that_the_step_can_hold_stays(dt, every):
    rate = snap(1 / (every * dt), dt)
    assert rate.every_steps == every
    assert rate.period == every * dt
    assert announcement(rate) is None


@given(DTS, st.floats(0.01, 1.0), st.integers(0, 10_000))
def test_the_spacing_of_a_rate_never_changes(dt, fraction, start):
    every = snap(fraction / dt, dt).every_steps
    due = [tick for tick in range(start, start + 5 * every) if tick % every == 0]
    assert {after - before for before, after in zip(due, due[1:], strict=False)} <= {every}
    assert len(due) == 5


@pytest.mark.parametrize(("hz", "dt", "every"), [(30, 0.004, 8), (60, 0.004, 4), (40, 0.01, 3), (50, 0.002, 10)])
def test_known_rates_snap_as_computed_by_hand(hz, dt, every):
    assert snap(hz, dt).every_steps == every


def test_zero_is_never():
    rate = snap(0, 0.002)
    assert (rate.every_steps, rate.realised_hz, rate.period, rate.shift) == (0, 0.0, math.inf, 0.0)


@pytest.mark.parametrize("hz", [-1.0, math.nan, math.inf, 500.1, -math.inf])
def test_an_impossible_rate_is_refused_with_the_bound(hz):
    with pytest.raises(ValueError, match="expected a rate"):
        snap(hz, 0.002)


@pytest.mark.parametrize("hz", [5e-324, 1e-300, 1e-9])
def test_a_rate_next_to_zero_is_a_rate(hz):
    assert snap(hz, 0.002).every_steps >= 1


def test_the_physics_rate_itself_survives_rounding():
    assert snap(1 / 0.0003, 0.0003).every_steps == 1
    assert snap(1000.0000001, 0.001).every_steps == 1


def test_a_move_is_announced_in_proportion():
    assert announcement(snap(100.2, 0.001)) is None
    assert announcement(snap(30, 0.001)) == "30 Hz runs at 30.303 Hz (every 33 steps of 0.001 s)"
    text = announcement(snap(40, 0.01))
    assert text == "40 Hz runs at 33.3333 Hz (every 3 steps of 0.01 s); this step can hold 25, 33.3333, 50 Hz"


def test_the_neighbours_of_the_fastest_rate_are_no_faster():
    assert Rate(100.0, 1, 0.01).neighbours() == (50.0, 100.0)
