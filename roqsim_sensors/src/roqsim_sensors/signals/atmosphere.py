"""The International Standard Atmosphere up to 20 km: how pressure falls with height.

Constants and layers are those of ISO 2533:1975 (the same as of the U.S. Standard Atmosphere 1976 up to that height).
"""

from __future__ import annotations

import math

SEA_LEVEL_PRESSURE = 101_325.0
"""Pa."""

SEA_LEVEL_TEMPERATURE = 288.15
"""K."""

LAPSE_RATE = 0.0065
"""K/m by which the troposphere gets colder."""

GRAVITY = 9.80665
"""m/s²."""

GAS_CONSTANT = 287.05287
"""J/(kg K) of dry air."""

TROPOPAUSE = 11_000.0
"""Metres; above, the temperature stays the same."""

TOP = 20_000.0
"""Metres up to which these formulas hold."""

EXPONENT = GRAVITY / (GAS_CONSTANT * LAPSE_RATE)


def pressure_at(
    height: float,
    sea_level_pressure: float = SEA_LEVEL_PRESSURE,
    sea_level_temperature: float = SEA_LEVEL_TEMPERATURE,
) -> float:
    """The pressure at a height.

    Args:
        height: Metres above sea level (geopotential), at most ``TOP``.
        sea_level_pressure: Pa at sea level.
        sea_level_temperature: K at sea level.

    Returns:
        Pa: ``p0 (1 - L h / T0)^(g / (R L))`` up to the tropopause, falling exponentially above.
    """
    below = min(height, TROPOPAUSE)
    temperature = sea_level_temperature - LAPSE_RATE * below
    pressure = sea_level_pressure * (temperature / sea_level_temperature) ** EXPONENT
    if height > TROPOPAUSE:
        pressure *= math.exp(-GRAVITY * (height - TROPOPAUSE) / (GAS_CONSTANT * temperature))
    return pressure


def height_of(
    pressure: float,
    sea_level_pressure: float = SEA_LEVEL_PRESSURE,
    sea_level_temperature: float = SEA_LEVEL_TEMPERATURE,
) -> float:
    """The height in metres at which the atmosphere has a pressure in Pa: the inverse of ``pressure_at``."""
    ratio = (pressure / sea_level_pressure) ** (1.0 / EXPONENT)
    height = sea_level_temperature * (1.0 - ratio) / LAPSE_RATE
    if height <= TROPOPAUSE:
        return height
    temperature = sea_level_temperature - LAPSE_RATE * TROPOPAUSE
    bottom = sea_level_pressure * (temperature / sea_level_temperature) ** EXPONENT
    return TROPOPAUSE - GAS_CONSTANT * temperature / GRAVITY * math.log(pressure / bottom)
