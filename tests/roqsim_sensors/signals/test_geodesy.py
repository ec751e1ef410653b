from __future__ import annotations

import math

import pymap3d
import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim_sensors.signals.geodesy import Datum, turn

A, F = 6378137.0, 1 / 298.257223563
"""WGS-84 (NIMA TR8350.2, table 3.1): semi-major axis in metres and flattening."""

E2 = F * (2 - F)
MUNICH = Datum(latitude=48.1374, longitude=11.5755, altitude=565.0)


def test_the_origin_is_the_datum():
    assert MUNICH.to_geodetic(0, 0, 0) == pytest.approx((48.1374, 11.5755, 565.0), abs=1e-8)


def test_small_ways_follow_the_ellipsoids_radii_of_curvature():
    sine = math.sin(math.radians(MUNICH.latitude))
    meridian = A * (1 - E2) / (1 - E2 * sine**2) ** 1.5 + MUNICH.altitude
    prime = A / math.sqrt(1 - E2 * sine**2) + MUNICH.altitude
    latitude, longitude, altitude = MUNICH.to_geodetic(20.0, 30.0, 2.0)
    assert math.radians(latitude - MUNICH.latitude) * meridian == pytest.approx(30.0, abs=2e-3)
    east = math.radians(longitude - MUNICH.longitude) * prime * math.cos(math.radians(MUNICH.latitude))
    assert east == pytest.approx(20.0, abs=2e-3)
    assert altitude - MUNICH.altitude == pytest.approx(2.0, abs=2e-3)


def test_the_world_is_a_plane_that_touches_the_earth():
    """A point d away on the plane stands d²/2R above the ellipsoid."""
    assert MUNICH.to_geodetic(0, 10_000, 0)[2] - MUNICH.altitude == pytest.approx(10_000**2 / (2 * 6.38e6), rel=0.01)


@given(st.floats(-89, 89), st.floats(-180, 180), st.floats(-50, 5000), *[st.floats(-2000, 2000)] * 3, st.floats(-4, 4))
def test_the_librarys_inverse_leads_back(latitude, longitude, altitude, x, y, z, yaw):
    datum = Datum(latitude=latitude, longitude=longitude, altitude=altitude, yaw=yaw)
    east, north, up = pymap3d.geodetic2enu(*datum.to_geodetic(x, y, z), latitude, longitude, altitude)
    assert (*datum.to_world(east, north), up) == pytest.approx((x, y, z), abs=1e-5)


def test_a_world_whose_x_axis_points_north_has_its_y_axis_to_the_west():
    datum = Datum(latitude=0, longitude=0, yaw=math.pi / 2)
    assert datum.to_enu(1.0, 0.0) == pytest.approx((0.0, 1.0))
    assert datum.to_enu(0.0, 1.0) == pytest.approx((-1.0, 0.0))
    assert datum.to_geodetic(100.0, 0.0, 0.0)[0] > 0


def test_a_way_across_the_antimeridian_changes_the_sign():
    datum = Datum(latitude=-17.0, longitude=179.9999)
    assert datum.to_geodetic(100.0, 0, 0)[1] == pytest.approx(-179.99916, abs=1e-5)


def test_a_quarter_turn_is_counterclockwise():
    assert turn(1.0, 0.0, math.pi / 2) == pytest.approx((0.0, 1.0))
