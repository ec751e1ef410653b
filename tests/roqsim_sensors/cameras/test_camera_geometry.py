"""Intrinsics, distortion, depths and labels: pure functions against closed forms and OpenCV."""

from __future__ import annotations

import io
import math

import cv2
import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as PillowImage
from roqsim.context import Entity
from roqsim_sensors.cameras.depth_image import DepthModel, to_millimetres
from roqsim_sensors.cameras.depth_points import points_of
from roqsim_sensors.cameras.distortion import PlumbBob, Warp
from roqsim_sensors.cameras.entity_labels import label_geoms
from roqsim_sensors.cameras.intrinsics import Intrinsics
from roqsim_sensors.cameras.jpeg import encode_jpeg

LENSES = [
    PlumbBob(k1=-0.28, k2=0.07, p1=0.0002, p2=0.00002),  # a wide lens of KITTI's kind
    PlumbBob(k1=0.12, k2=-0.25, p1=-0.0003, p2=0.0005, k3=0.1),
    PlumbBob(p1=0.01, p2=-0.02),
]

GEOMETRY = Intrinsics(320, 240, 200.0, 210.0, 150.0, 125.0)


def test_a_field_of_view_is_the_angle_between_the_outer_edges():
    intrinsics = Intrinsics.from_fovy(640, 480, 1.0)
    _, rows = intrinsics.slopes()
    half = 0.5 / intrinsics.fy
    assert math.atan(rows[-1] + half) - math.atan(rows[0] - half) == pytest.approx(1.0)
    assert (intrinsics.cx, intrinsics.cy) == (319.5, 239.5)


def test_slopes_are_the_inverse_of_the_projection():
    x, y = np.meshgrid(*GEOMETRY.slopes())
    points = np.stack((x, y, np.ones_like(x)), axis=-1).reshape(-1, 3) * 7.0
    v, u = np.mgrid[:240, :320]
    assert np.allclose(GEOMETRY.project(points), np.column_stack((u.ravel(), v.ravel())))


@pytest.mark.parametrize("lens", LENSES)
def test_distortion_agrees_with_opencv(lens):
    rng = np.random.default_rng(1)
    points = np.column_stack((rng.uniform(-0.7, 0.7, (100, 2)), np.ones(100)))
    theirs, _ = cv2.projectPoints(points, np.zeros(3), np.zeros(3), GEOMETRY.matrix(), np.array(lens.coefficients))
    x, y = lens.distort(points[:, 0], points[:, 1])
    ours = GEOMETRY.project(np.column_stack((x, y, np.ones(100))))
    assert np.allclose(ours, theirs[:, 0], atol=1e-9)


@pytest.mark.parametrize("lens", LENSES)
def test_what_is_distorted_can_be_undone(lens):
    x, y = np.meshgrid(*GEOMETRY.slopes())
    back = lens.distort(*lens.undistort(x, y))
    assert np.allclose(back, (x, y), atol=1e-9)


def test_a_lens_that_folds_the_picture_is_refused():
    x, y = np.meshgrid(*Intrinsics.from_fovy(64, 48, 1.8).slopes())
    with pytest.raises(ValueError, match="expected coefficients that can be undone over the whole picture"):
        PlumbBob(k1=-0.9).undistort(x, y)


@pytest.mark.parametrize("lens", LENSES)
def test_a_warp_shows_each_point_where_the_lens_does(lens):
    warp = Warp(GEOMETRY, lens)
    x, y = np.meshgrid(*warp.source.slopes())
    # A picture whose two channels are the slopes themselves: every pixel tells which point it shows.
    coded = np.stack((x, y), axis=-1)
    for channel in range(2):
        shown = warp.nearest(coded[..., channel])
        assert np.abs(shown - warp.slopes[..., channel]).max() <= 0.5 / 200.0 + 1e-6
    u, v = lens.distort(warp.slopes[..., 0].astype(float), warp.slopes[..., 1].astype(float))
    rows, columns = np.mgrid[:240, :320]
    assert np.abs(u * 200.0 + 150.0 - columns).max() < 1e-3
    assert np.abs(v * 210.0 + 125.0 - rows).max() < 1e-3


def test_colours_are_mixed_between_pixels_and_labels_are_not():
    warp = Warp(GEOMETRY, LENSES[0])
    height, width = warp.source.height, warp.source.width
    ramp = np.broadcast_to(np.linspace(0, 255, width)[None, :, None], (height, width, 3)).astype(np.uint8)
    colours = warp.colours(ramp)
    expected = (warp.slopes[..., 0] * 200.0 + warp.source.cx) * 255.0 / (width - 1)
    assert np.abs(colours[..., 0] - expected).max() < 1.6
    labels = np.arange(height * width).reshape(height, width) % 7 * 100
    assert set(np.unique(warp.nearest(labels))) <= set(range(0, 700, 100))


def test_without_distortion_a_warp_changes_nothing():
    warp = Warp(GEOMETRY, PlumbBob(k1=1e-12))
    x, y = warp.source.cx - GEOMETRY.cx, warp.source.cy - GEOMETRY.cy
    picture = np.random.default_rng(2).integers(0, 255, (warp.source.height, warp.source.width, 3), np.uint8)
    cut = picture[int(y) : int(y) + 240, int(x) : int(x) + 320]
    assert (warp.colours(picture) == cut).all()


@given(st.floats(0.0, 70.0))
def test_millimetres_are_rounded_to_the_nearest(metres):
    value = int(to_millimetres(np.array([[metres]]))[0, 0])
    exact = metres * 1000.0
    if round(exact) <= 65535:
        assert abs(value - exact) <= 0.5
    else:
        assert value == 0


@pytest.mark.parametrize(
    ("metres", "millimetres"),
    [(1.2344, 1234), (1.2346, 1235), (0.0004, 0), (65.535, 65535), (65.536, 0), (math.inf, 0), (math.nan, 0)],
)
def test_what_is_nothing_or_does_not_fit_is_zero(metres, millimetres):
    assert to_millimetres(np.array([[metres]], np.float32))[0, 0] == millimetres


def test_a_measured_distance_keeps_to_the_limits():
    model = DepthModel(0.5, 4.0)
    measured = model.measure(np.array([[0.4, 0.5, 2.0, 4.0, 4.1, np.inf]], np.float32), None)
    assert measured.tolist() == [[np.inf, 0.5, 2.0, 4.0, np.inf, np.inf]]


@pytest.mark.parametrize("depth", [1.0, 3.0])
def test_noise_grows_with_the_square_of_the_distance(depth):
    model = DepthModel(0.0, 10.0, stddev=0.001, stddev_quadratic=0.002)
    true = np.full((300, 300), depth, np.float32)
    error = model.measure(true, np.random.default_rng(5)) - true
    assert error.mean() == pytest.approx(0.0, abs=1e-4)
    assert error.std() == pytest.approx(0.001 + 0.002 * depth**2, rel=0.02)


def test_pixels_are_lost_by_chance():
    model = DepthModel(0.0, 10.0, dropout=0.25)
    measured = model.measure(np.ones((300, 300), np.float32), np.random.default_rng(5))
    assert np.isinf(measured).mean() == pytest.approx(0.25, abs=0.01)
    assert (measured[np.isfinite(measured)] == 1.0).all()


def test_points_lie_on_their_rays():
    slopes = np.stack(np.meshgrid(*GEOMETRY.slopes()), axis=-1).astype(np.float32)
    depth = np.random.default_rng(1).uniform(0.5, 9.0, (240, 320)).astype(np.float32)
    depth[0, 0] = np.inf
    points = points_of(depth, slopes)
    assert points.shape == (240 * 320, 3)
    assert np.isnan(points[0]).all()
    v, u = np.mgrid[:240, :320]
    pixels = np.column_stack((u.ravel(), v.ravel()))
    assert np.allclose(GEOMETRY.project(points)[1:], pixels[1:], atol=1e-3)
    assert (points[1:, 2] == depth.ravel()[1:]).all()


def test_a_geom_is_labelled_by_the_nearest_entity_above_it():
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><geom size='1'/><body name='robot'><geom size='1'/><body><geom size='1'/>"
        "<body name='device'><geom size='1'/></body></body></body><body name='tree'><geom size='1'/></body>"
        "</worldbody></mujoco>"
    )
    entities = [Entity(name, "object", body=model.body(name).id) for name in ("robot", "device")]
    entities.append(Entity("abstract", "object"))
    labels, names = label_geoms(model, entities)
    assert labels.tolist() == [0, 1, 1, 2, 0, 0]
    assert names == {1: "robot", 2: "device", 3: "abstract"}


def test_a_jpeg_shows_the_picture():
    picture = np.zeros((48, 64, 3), np.uint8)
    picture[:, 32:] = (200, 30, 60)
    data = encode_jpeg(picture, 95)
    shown = np.asarray(PillowImage.open(io.BytesIO(data)))
    assert np.abs(shown.astype(int) - picture)[:, [5, 60]].max() < 8
    assert len(encode_jpeg(picture, 10)) < len(data)
