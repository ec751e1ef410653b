from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.errors import SeedError
from roqsim.seed import SEED_BITS, Streams, draw_seed

KEYS = st.tuples(st.integers(0, 2**63 - 1), st.integers(0, 2**31), st.integers(0, 2**40), st.text(max_size=20))


@given(KEYS)
def test_numbers_depend_on_nothing_but_the_key(key):
    np.testing.assert_array_equal(Streams().at(*key).standard_normal(8), Streams().at(*key).standard_normal(8))


@given(st.lists(KEYS, min_size=1, max_size=20), st.integers(0, 9))
def test_what_was_drawn_before_makes_no_difference(keys, draws):
    streams = Streams()
    for key in keys:
        numbers = streams.at(*key)
        np.testing.assert_array_equal(numbers.integers(2**31, size=3), Streams().at(*key).integers(2**31, size=3))
        numbers.standard_normal(draws)


@given(KEYS, KEYS)
def test_another_key_gives_other_numbers(one, other):
    if one != other:
        assert not np.array_equal(Streams().at(*one).random(4), Streams().at(*other).random(4))


def test_numbers_are_the_same_in_every_process_and_version():
    raw = Streams().at(42, 1, 100, "robot.lidar").bit_generator.random_raw(3)
    assert [hex(number) for number in raw] == ["0xa86d0231ca6e96a", "0x52ecd73eb49afb0d", "0x237db890ba49e2cf"]


def test_neighbouring_ticks_share_no_stretch_of_numbers():
    draws = np.concatenate([Streams().at(7, 0, tick, "lidar").random(64) for tick in range(100)])
    assert np.unique(draws).size == draws.size


def test_draws_of_neighbouring_ticks_are_uncorrelated():
    draws = np.array([Streams().at(7, 0, tick, "lidar").standard_normal(2) for tick in range(4000)])
    correlation = np.corrcoef(draws[:-1, 0], draws[1:, 0])[0, 1]
    assert abs(correlation) < 4 / np.sqrt(4000)


def test_no_seed_is_an_error_that_names_who_draws():
    with pytest.raises(SeedError, match=r"^robot\.lidar: expected a seed .* set sim\.seed"):
        Streams().at(None, 0, 0, "robot.lidar")


def test_a_drawn_seed_fits_a_signed_integer_of_64_bits():
    seeds = {draw_seed() for _ in range(50)}
    assert len(seeds) == 50
    assert all(0 <= seed < 2**SEED_BITS for seed in seeds)
