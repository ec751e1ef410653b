from __future__ import annotations

import math

import numpy as np
import pytest
from roqsim_sensors.signals.drift import BLOCK, Drift, Wander

PERIOD = 0.01


def series(process, count: int, *, seed: int = 1, episode: int = 1) -> np.ndarray:
    return np.array([process.at(seed, episode, index) for index in range(count)])


def allan_deviation(values: np.ndarray, group: int) -> float:
    """The Allan deviation over ``group`` samples (IEEE Std 952-1997, annex C)."""
    means = values[: len(values) // group * group].reshape(-1, group, *values.shape[1:]).mean(axis=1)
    return float(np.sqrt(0.5 * np.mean(np.diff(means, axis=0) ** 2)))


def test_the_variance_of_a_walk_grows_with_time():
    walk = Wander("walk", 3000, PERIOD)
    for steps in (100, 400, 1600):
        assert np.var(walk.at(5, 1, steps)) == pytest.approx(steps * PERIOD, rel=0.1)
    assert not walk.at(5, 1, 0).any()


def test_the_allan_deviation_of_a_walk_rises_with_the_root_of_time_and_that_of_noise_falls_with_it():
    walk = series(Wander("walk", 40, PERIOD), 4096)
    noise = np.random.default_rng(3).standard_normal((4096, 40))
    groups = (4, 16, 64)
    slope = np.polyfit(np.log(groups), np.log([allan_deviation(walk, group) for group in groups]), 1)[0]
    assert slope == pytest.approx(0.5, abs=0.06)
    slope = np.polyfit(np.log(groups), np.log([allan_deviation(noise, group) for group in groups]), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.06)
    tau = 16 * PERIOD  # sigma(tau) = K sqrt(tau / 3) for a walk of strength K
    assert allan_deviation(walk, 16) == pytest.approx(math.sqrt(tau / 3), rel=0.1)


def test_a_bias_that_forgets_keeps_its_variance_and_loses_its_past():
    process = Wander("bias", 4000, PERIOD, correlation_time=1.0)
    first, later = process.at(2, 1, 700).copy(), process.at(2, 1, 800).copy()
    assert np.var(first) == pytest.approx(1.0, rel=0.08)
    assert np.var(later) == pytest.approx(1.0, rel=0.08)
    assert np.mean(first * later) == pytest.approx(math.exp(-1.0), abs=0.06)
    assert np.var(process.at(2, 1, 0)) == pytest.approx(1.0, rel=0.08)


@pytest.mark.parametrize("correlation_time", [math.inf, 3.0])
def test_a_value_is_the_same_whoever_asked_before(correlation_time):
    one, other = (Wander("same", 3, PERIOD, correlation_time) for _ in range(2))
    all_values = series(one, 3 * BLOCK + 5)
    for index in (3 * BLOCK + 4, 7, BLOCK, BLOCK - 1, 2 * BLOCK + 1):
        assert other.at(1, 1, index).tolist() == all_values[index].tolist()


@pytest.mark.parametrize("correlation_time", [math.inf, 3.0])
def test_steps_are_alike_within_and_between_blocks(correlation_time):
    values = series(Wander("steps", 500, PERIOD, correlation_time), 2 * BLOCK + 1)
    sizes = np.diff(values, axis=0).std(axis=1)
    assert sizes[BLOCK - 1 : BLOCK + 1] == pytest.approx([sizes.mean()] * 2, rel=0.15)


def test_seeds_episodes_and_names_give_different_walks():
    walk = Wander("walk", 3, PERIOD)
    values = [walk.at(seed, episode, 50).tolist() for seed, episode in ((1, 1), (2, 1), (1, 2))]
    values.append(Wander("other", 3, PERIOD).at(1, 1, 50).tolist())
    assert len({tuple(value) for value in values}) == 4
    assert walk.at(1, 1, 50).tolist() == values[0]


def test_a_drift_adds_its_parts_and_is_none_without_any():
    assert Drift("d", 3, PERIOD, stddev=0.0, correlation_time=1.0, walk=0.0).at(1, 1, 9) is None
    parts = [
        Drift("d", 2, PERIOD, stddev=stddev, correlation_time=5.0, walk=walk).at(1, 1, 300)
        for stddev, walk in ((0.3, 0.0), (0.0, 0.2), (0.3, 0.2))
    ]
    assert parts[0] + parts[1] == pytest.approx(parts[2])
