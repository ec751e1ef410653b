from __future__ import annotations

import math

import numpy as np
import pytest
from roqsim_sensors.rays.pattern import Incommensurable, Pattern, cone, raster, spinning
from roqsim_sensors.rays.sweep import Sweep, sweep

MID_360 = Incommensurable(200_000, 10.0, 32, math.radians(-7), math.radians(52), 4)


def angles(rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Azimuths and elevations in radians."""
    return np.arctan2(rays[:, 1], rays[:, 0]), np.arcsin(rays[:, 2])


def patterns() -> dict[str, Pattern]:
    return {
        "spinning": spinning([-0.2, 0.0, 0.3], sweep(90, -math.pi, math.pi)),
        "raster": raster(Sweep(1.0, -0.1, 21), Sweep(0.5, -0.1, 11)),
        "incommensurable": MID_360.pattern(0, 4000),
    }


@pytest.mark.parametrize("name", ["spinning", "raster", "incommensurable"])
def test_rays_are_unit_vectors_and_fired_one_after_the_other_within_the_period(name):
    pattern = patterns()[name]
    np.testing.assert_allclose(np.linalg.norm(pattern.directions, axis=1), 1.0, rtol=1e-12)
    assert pattern.phase[0] == 0.0 and pattern.phase[-1] < 1.0
    assert np.all(np.diff(pattern.phase) >= 0.0)
    assert len(pattern.directions) == len(pattern.ring) == len(pattern.phase)
    assert pattern.ring.dtype == np.uint16


@pytest.mark.parametrize("clockwise", [False, True])
def test_lasers_of_a_table_fire_at_each_azimuth(clockwise):
    table, columns = [-0.26, -0.1, 0.05, 0.2], sweep(36, -math.pi, math.pi, clockwise=clockwise)
    pattern = spinning(table, columns)
    azimuth, elevation = angles(pattern.directions)
    assert elevation == pytest.approx(np.tile(table, 36))
    assert pattern.ring.tolist() == [0, 1, 2, 3] * 36
    turned = np.repeat(columns.angles(), 4)
    assert np.cos(azimuth - turned) == pytest.approx(np.ones(144))
    assert pattern.phase == pytest.approx(np.repeat(np.arange(36) / 36, 4))


def test_each_laser_has_its_own_azimuth_offset():
    pattern = spinning([0.0, 0.1], Sweep(0.0, 0.5, 3), [0.02, -0.03])
    azimuth, _ = angles(pattern.directions)
    assert azimuth == pytest.approx([0.02, -0.03, 0.52, 0.47, 1.02, 0.97])


def test_the_rows_of_an_organized_scan_run_from_the_highest_laser_down():
    pattern = spinning([-0.1, 0.3, 0.1], Sweep(0.0, 0.5, 4))
    azimuth, elevation = angles(pattern.directions[pattern.order])
    assert pattern.height == 3
    assert elevation.reshape(3, 4) == pytest.approx(np.repeat([[0.3], [0.1], [-0.1]], 4, axis=1))
    assert azimuth.reshape(3, 4) == pytest.approx(np.repeat([[0.0, 0.5, 1.0, 1.5]], 3, axis=0))


@pytest.mark.parametrize("step", [-0.1, 0.1])
def test_a_raster_draws_line_after_line_and_its_rows_start_at_the_top(step):
    lines = Sweep(-5 * step, step, 11)
    pattern = raster(Sweep(0.4, -0.2, 5), lines)
    azimuth, elevation = angles(pattern.directions)
    assert elevation == pytest.approx(np.repeat(lines.angles(), 5))
    assert azimuth == pytest.approx(np.tile([0.4, 0.2, 0.0, -0.2, -0.4], 11))
    _, top = angles(pattern.directions[pattern.order])
    assert np.all(np.diff(top.reshape(11, 5)[:, 0]) < 0)


def test_slices_take_every_ray_once_and_at_its_time():
    pattern = spinning([0.0, 0.1], sweep(12, -math.pi, math.pi))
    assert pattern.edges(1) == [0, 24]
    assert pattern.edges(4) == [0, 6, 12, 18, 24]
    assert pattern.edges(5) == [0, 6, 10, 16, 20, 24]
    assert pattern.edges(24) == [index // 2 * 2 + index % 2 * 2 for index in range(25)]


def test_a_scan_without_a_common_multiple_stays_in_its_field_of_view_and_fills_it():
    pattern = MID_360.pattern(0, 200_000)
    azimuth, elevation = angles(pattern.directions)
    assert math.radians(-7) - 1e-9 <= elevation.min() < math.radians(-6.9)
    assert math.radians(51.9) < elevation.max() <= math.radians(52) + 1e-9
    cells, _, _ = np.histogram2d(azimuth, elevation, bins=[180, 59])
    assert cells.min() > 0
    heights, _ = np.histogram(elevation, bins=20)
    assert heights == pytest.approx(np.full(20, 10_000), rel=0.05)
    assert np.bincount(pattern.ring).tolist() == [50_000] * 4


def test_a_scan_without_a_common_multiple_sees_more_the_longer_it_looks():
    seen, shares = np.zeros((720, 118), dtype=bool), []
    for period in range(10):
        azimuth, elevation = angles(MID_360.pattern(20_000 * period, 20_000).directions)
        cells, _, _ = np.histogram2d(
            azimuth, elevation, bins=[720, 118], range=[[-math.pi, math.pi], [math.radians(-7), math.radians(52)]]
        )
        seen |= cells > 0
        shares.append(seen.mean())
    assert shares[0] < 0.3
    assert shares[-1] > 0.85
    assert np.all(np.diff(shares) > 0)


def test_points_are_a_function_of_their_number():
    whole, part = MID_360.pattern(0, 5000), MID_360.pattern(3000, 500)
    np.testing.assert_array_equal(part.directions, whole.directions[3000:3500])
    np.testing.assert_array_equal(part.ring, whole.ring[3000:3500])
    late = MID_360.pattern(200_000 * 3600 * 24, 1000)
    np.testing.assert_allclose(np.linalg.norm(late.directions, axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("circles", [0, 1, 3, 5])
def test_a_cone_has_its_axis_and_circles_out_to_the_edge(circles):
    rays = cone(0.3, circles)
    assert len(rays) == 1 + 3 * circles * (circles + 1)
    np.testing.assert_allclose(np.linalg.norm(rays, axis=1), 1.0, rtol=1e-12)
    assert rays[0].tolist() == [1.0, 0.0, 0.0]
    tilt = np.arccos(np.clip(rays[:, 0], -1, 1))
    expected = [0.3 * circle / max(circles, 1) for circle in range(circles + 1)]
    assert sorted(set(np.round(tilt, 9))) == pytest.approx(expected)
    np.testing.assert_allclose(rays[1:, 1:].sum(axis=0), 0.0, atol=1e-12)
