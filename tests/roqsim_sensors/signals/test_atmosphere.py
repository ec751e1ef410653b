from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim_sensors.signals.atmosphere import GAS_CONSTANT, GRAVITY, LAPSE_RATE, height_of, pressure_at


@pytest.mark.parametrize(
    ("height", "pressure"),
    [(-1000, 113_929), (0, 101_325), (500, 95_461), (1000, 89_875), (5000, 54_020), (11_000, 22_632), (20_000, 5_475)],
)
def test_the_pressures_are_those_of_the_standards_table(height, pressure):
    """ISO 2533:1975, table 1, rounded to 1 Pa."""
    assert pressure_at(height) == pytest.approx(pressure, abs=1.0)


@given(st.floats(-1000, 20_000), st.floats(95_000, 105_000), st.floats(250, 310))
def test_a_height_comes_back_from_its_pressure(height, sea_level, temperature):
    assert height_of(pressure_at(height, sea_level, temperature), sea_level, temperature) == pytest.approx(
        height, abs=1e-4
    )


@given(st.floats(-500, 10_900))
def test_pressure_falls_by_the_weight_of_the_air(height):
    """dp/dh = -rho g with rho = p / (R T)."""
    slope = (pressure_at(height + 0.5) - pressure_at(height - 0.5)) / 1.0
    density = pressure_at(height) / (GAS_CONSTANT * (288.15 - LAPSE_RATE * height))
    assert slope == pytest.approx(-density * GRAVITY, rel=1e-6)


def test_near_the_ground_a_metre_is_twelve_pascals():
    assert pressure_at(0) - pressure_at(1) == pytest.approx(12.01, abs=0.01)
