from __future__ import annotations

import math

import numpy as np
import pytest
from roqsim_sensors.signals.triad import IDENTITY, Triad, skewed

TRUTH = (1.0, -2.0, 3.0)


def test_a_perfect_device_reports_the_truth():
    triad = Triad()
    assert triad.measure(TRUTH).tolist() == list(TRUTH)
    assert not triad.is_random


def test_bias_and_drift_are_added():
    triad = Triad(bias=(0.1, 0.2, 0.3))
    assert triad.measure(TRUTH, drift=np.array([1.0, 0.0, 0.0])) == pytest.approx([2.1, -1.8, 3.3])


def test_what_is_beyond_the_limit_is_cut_off_after_the_bias_is_added():
    assert Triad(bias=(1.5, 0, 0), limit=2.0).measure(TRUTH).tolist() == [2.0, -2.0, 2.0]


def test_readings_are_whole_steps():
    assert Triad(resolution=0.4).measure(TRUTH) == pytest.approx([0.8, -2.0, 3.2])


def test_noise_has_the_stated_deviation_on_each_axis_and_none_between_them():
    rng = np.random.default_rng(4)
    triad = Triad(stddev=0.5)
    readings = np.array([triad.measure(TRUTH, rng) for _ in range(20_000)])
    assert np.cov(readings.T) == pytest.approx(0.25 * np.eye(3), abs=0.01)
    assert readings.mean(axis=0) == pytest.approx(TRUTH, abs=0.02)


def test_a_turned_triad_sees_the_vector_turned_back():
    matrix = skewed((0.0, 0.0, 0.0), (0.0, 0.0, math.pi / 2))
    assert Triad(matrix=matrix).measure((1.0, 0.0, 0.0)) == pytest.approx([0.0, -1.0, 0.0])


def test_a_scale_error_multiplies_what_the_axis_sees():
    matrix = skewed((0.1, 0.0, -0.5), (0.0, 0.0, 0.0))
    assert Triad(matrix=matrix).measure(TRUTH) == pytest.approx([1.1, -2.0, 1.5])
    assert skewed((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)) is IDENTITY
