from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.seed import Streams
from roqsim_sensors.rays.range_model import RangeModel

N = 200_000


def noisy(distance: float, **options) -> np.ndarray:
    """``(N,)`` reported ranges of one true distance."""
    model = RangeModel(**options)
    return model.measure(np.full(N, distance), Streams().at(1, 0, 0, "test")).astype(float)


@given(st.lists(st.floats(0.0, 100.0) | st.just(math.inf), min_size=1, max_size=50))
def test_without_noise_a_range_is_the_distance_within_the_limits(distances):
    true = np.array(distances)
    true[true > 30.0] = math.inf
    ranges = RangeModel(range_min=0.5, range_max=30.0, too_close=-math.inf, no_return=math.inf).measure(true)
    assert ranges.dtype == np.float32
    expected = np.where(true < 0.5, -math.inf, true).astype(np.float32)
    np.testing.assert_array_equal(ranges, expected)


def test_every_scan_is_an_array_of_its_own():
    model, distances = RangeModel(), np.ones(4)
    first, second = model.measure(distances), model.measure(distances)
    distances[:] = 7.0
    assert first.tolist() == second.tolist() == [1.0] * 4
    assert not np.shares_memory(first, second)


@pytest.mark.parametrize("value", [0.0, -math.inf, 31.0, math.nan])
def test_what_is_reported_outside_the_limits_is_a_choice(value):
    true = np.array([0.2, 1.0, math.inf])
    close = RangeModel(range_min=0.5, range_max=30.0, too_close=value).measure(true)
    far = RangeModel(range_min=0.5, range_max=30.0, no_return=value).measure(true)
    np.testing.assert_array_equal(close, np.array([value, 1.0, math.inf], dtype=np.float32))
    np.testing.assert_array_equal(far, np.array([-math.inf, 1.0, value], dtype=np.float32))


def test_raw_reports_what_is_too_close_as_it_is_measured():
    true = np.array([0.2, 1.0, math.inf])
    assert RangeModel(range_min=0.5, too_close=None).measure(true)[0] == np.float32(0.2)
    ranges = noisy(0.2, range_min=0.5, too_close=None, stddev=0.01)
    assert ranges.mean() == pytest.approx(0.2, abs=1e-4)
    assert ranges.std() == pytest.approx(0.01, rel=0.01)


def test_a_constant_for_what_is_too_close_carries_no_noise():
    assert set(noisy(0.2, range_min=0.5, too_close=0.0, stddev=0.01)) == {0.0}
    assert set(noisy(math.inf, no_return=11.0, range_max=10.0, stddev=0.01)) == {11.0}


def test_noise_has_the_mean_and_deviation_of_its_gaussian():
    ranges = noisy(5.0, stddev=0.03)
    assert ranges.mean() == pytest.approx(5.0, abs=4 * 0.03 / math.sqrt(N))
    assert ranges.std() == pytest.approx(0.03, rel=0.01)
    within = np.abs(ranges - 5.0) < 0.03
    assert within.mean() == pytest.approx(math.erf(1 / math.sqrt(2)), abs=0.005)


@pytest.mark.parametrize(("distance", "sigma"), [(0.3, 0.01), (0.49, 0.01), (0.5, 0.0175), (2.0, 0.07)])
def test_relative_noise_takes_over_at_its_distance(distance, sigma):
    options = {"stddev": 0.01, "stddev_relative": 0.035, "relative_from": 0.5}
    assert RangeModel(**options).sigma(np.array([distance]))[0] == pytest.approx(sigma)
    assert noisy(distance, **options).std() == pytest.approx(sigma, rel=0.01)


def test_a_noisy_distance_is_never_negative():
    ranges = noisy(0.05, stddev=0.1)
    assert ranges.min() == 0.0
    below = 0.5 * (1 + math.erf(-0.5 / math.sqrt(2)))
    assert (ranges == 0.0).mean() == pytest.approx(below, abs=0.005)


@pytest.mark.parametrize("stddev", [0.0, 0.02])
def test_ranges_are_multiples_of_the_resolution(stddev):
    ranges = noisy(1.2345, resolution=0.01, stddev=stddev)
    np.testing.assert_allclose(ranges / 0.01, np.rint(ranges / 0.01), atol=1e-4)
    if stddev == 0.0:
        assert set(ranges) == {float(np.float32(1.23))}


def test_rounding_spreads_over_a_step():
    true = np.random.default_rng(0).uniform(1.0, 2.0, N)
    error = RangeModel(resolution=0.1).measure(true) - true
    assert error.std() == pytest.approx(0.1 / math.sqrt(12), rel=0.01)


@pytest.mark.parametrize("dropout", [0.0, 0.05, 1.0])
def test_the_share_of_lost_rays_is_as_configured(dropout):
    lost = np.isinf(noisy(5.0, dropout=dropout)).mean()
    assert lost == pytest.approx(dropout, abs=4 * math.sqrt(dropout * (1 - dropout) / N))


def test_noise_that_leaves_the_limits_is_reported_as_outside():
    far = noisy(9.99, range_max=10.0, stddev=0.01, no_return=math.inf)
    assert np.isinf(far).mean() == pytest.approx(1 - 0.8413, abs=0.005)
    assert far[np.isfinite(far)].max() <= 10.0
    close = noisy(0.51, range_min=0.5, stddev=0.01)
    assert (close == -math.inf).mean() == pytest.approx(1 - 0.8413, abs=0.005)
    assert close[np.isfinite(close)].min() >= 0.5 - 1e-7


def test_noise_needs_a_source_and_silence_none():
    assert not RangeModel(resolution=0.1).is_random
    assert RangeModel(dropout=0.1).is_random
    assert RangeModel(stddev=0.1).is_random
    assert RangeModel(stddev_relative=0.1).is_random
