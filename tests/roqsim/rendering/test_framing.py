"""Where a camera is put: closed forms for the fit, and a line of sight to what the picture is about."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from roqsim.config.sim import View
from roqsim.rendering.bounds import CORNERS, box_around, boxes_of, carried_geoms, drawn_geoms, lowest_point
from roqsim.rendering.framing import CLEARANCE, FILL, Wish, distance_for, find_viewpoint, fit
from roqsim.rendering.sight import Sight
from roqsim.rendering.viewpoint import Viewpoint, axes_of

SLOPES = (0.7, 0.4)

ANGLES = {"azimuth": st.floats(-180.0, 180.0), "elevation": st.floats(-89.0, 89.0)}


def state(body, assets=""):
    """A model with current kinematics."""
    xml = f"<mujoco><asset>{assets}</asset><worldbody>{body}</worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def seen_at(viewpoint, points):
    """``(n, 2)`` places of points in the picture: 1 is its right or upper edge."""
    in_camera = (points - viewpoint.eye) @ viewpoint.axes.T
    assert np.all(in_camera[:, 2] > 0.0)
    return in_camera[:, :2] / in_camera[:, 2:] / SLOPES


@pytest.mark.parametrize(("azimuth", "elevation"), [(0, 0), (90, -30), (200, 60), (-45, -90)])
def test_a_viewpoint_stands_where_mujocos_free_camera_does(azimuth, elevation):
    viewpoint = Viewpoint((1.0, -2.0, 0.5), 3.0, azimuth, elevation)
    camera = mujoco.MjvCamera()
    viewpoint.aim(camera)
    eye, forward, up, right = (np.zeros(3) for _ in range(4))
    mujoco.mjv_cameraFrame(eye, forward, up, right, mujoco.MjData(state("<geom size='1'/>")[0]), camera)
    np.testing.assert_allclose(viewpoint.eye, eye, atol=1e-6)
    np.testing.assert_allclose(viewpoint.axes, [right, up, forward], atol=1e-6)


def test_a_rounded_viewpoint_keeps_five_digits_of_its_distance():
    rounded = Viewpoint((0.1234567, 0.0, -1e-9), 0.02345678, 33.33333, -20.00001).rounded()
    assert rounded == Viewpoint((0.123457, 0.0, 0.0), 0.023457, 33.333, -20.0)


def test_a_cube_seen_head_on_is_as_far_away_as_its_front_edge_demands():
    viewpoint = fit(CORNERS, 0.0, 0.0, (1.0, 0.5), fill=1.0)
    assert viewpoint.distance == pytest.approx(1.0 / 0.5 + 1.0)
    assert viewpoint.lookat == pytest.approx((0.0, 0.0, 0.0))


@settings(max_examples=60, deadline=None)
@given(**ANGLES, seed=st.integers(0, 10_000))
def test_everything_is_in_the_picture_and_touches_the_margin_on_both_sides(azimuth, elevation, seed):
    points = np.random.default_rng(seed).normal(size=(20, 3)) * [3.0, 1.0, 0.5] + [5.0, -2.0, 1.0]
    viewpoint = fit(points, azimuth, elevation, SLOPES)
    places = seen_at(viewpoint, points)
    assert np.abs(places).max() <= FILL + 1e-9
    depths = (points - viewpoint.eye) @ viewpoint.axes[2]
    if depths.min() > (CLEARANCE + 1e-6) * np.ptp(depths):
        check_tight(places)


def check_tight(places):
    """Makes sure that the picture could not be taken from any closer."""
    assert np.abs(places).max() == pytest.approx(FILL)
    tight = int(np.argmax(np.abs(places).max(axis=0)))
    assert places[:, tight].max() == pytest.approx(FILL)
    assert places[:, tight].min() == pytest.approx(-FILL)


@settings(max_examples=30, deadline=None)
@given(**ANGLES, scale=st.floats(1e-3, 1e3))
def test_a_fit_scales_with_its_subject(azimuth, elevation, scale):
    one, other = fit(CORNERS, azimuth, elevation, SLOPES), fit(scale * CORNERS, azimuth, elevation, SLOPES)
    assert other.distance == pytest.approx(scale * one.distance)
    np.testing.assert_allclose(other.lookat, scale * np.asarray(one.lookat), atol=1e-9 * scale)


def test_the_camera_keeps_away_from_the_near_end_of_what_is_long():
    rod = np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
    viewpoint = fit(rod, 0.0, 0.0, SLOPES)
    np.testing.assert_allclose(viewpoint.eye, [-10.0 * CLEARANCE, 0.0, 0.0], atol=1e-9)


def test_a_camera_that_looks_aside_stands_farther_off_until_everything_is_in_the_picture():
    lookat = np.array([0.0, 2.0, 0.0])
    distance = distance_for(CORNERS, lookat, axes_of(0.0, 0.0), SLOPES)
    places = seen_at(Viewpoint(tuple(lookat), distance, 0.0, 0.0), CORNERS)
    assert np.abs(places).max() == pytest.approx(FILL)


def test_boxes_turn_with_their_geoms_and_planes_have_none():
    model, data = state(
        "<geom type='plane' size='0 0 1'/><geom type='box' size='1 2 3' pos='5 0 0' euler='0 0 90'/>"
        "<geom size='.5' group='3'/><geom size='.5' rgba='1 1 1 0'/>"
    )
    boxes = boxes_of(model, data, drawn_geoms(model))
    assert boxes.geoms.tolist() == [1]
    np.testing.assert_allclose(boxes.low, [3.0, -1.0, -3.0], atol=1e-9)
    np.testing.assert_allclose(boxes.high, [7.0, 1.0, 3.0], atol=1e-9)
    assert boxes.diagonal == pytest.approx(math.hypot(4, 2, 6))


def test_a_geoms_own_colour_decides_before_its_materials_whether_it_shows():
    model, _ = state(
        "<geom size='1' material='glass'/><geom size='1' material='glass' rgba='1 0 0 1'/>",
        "<material name='glass' rgba='1 1 1 0'/>",
    )
    assert drawn_geoms(model).tolist() == [1]


def test_what_is_absent_is_neither_drawn_nor_framed():
    model, _ = state("<geom size='1' group='5'/><geom size='1'/>")
    assert drawn_geoms(model, groups=range(6)).tolist() == [1]


def test_a_body_carries_its_childrens_geoms():
    model, _ = state(
        "<geom size='1'/><body><geom size='1'/><body><geom size='1'/></body></body><body><geom size='1'/></body>"
    )
    assert carried_geoms(model, 1).tolist() == [1, 2]


def test_the_lowest_point_of_a_turned_mesh_is_a_vertex():
    mesh = "<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>"
    model, data = state("<geom type='mesh' mesh='m' pos='0 0 2' euler='0 180 0'/><geom size='.1' pos='0 0 3'/>", mesh)
    assert lowest_point(model, data, np.arange(2)) == pytest.approx(1.0, abs=1e-6)
    assert lowest_point(model, data, np.zeros(0, dtype=int)) == np.inf


WALLED = """
<body name="thing" pos="0 0 .5"><geom name="hull" size=".3"/><geom name="core" size=".1"/></body>
<geom name="wall" type="box" size=".1 3 2" pos="-1 0 2"/>
"""


def test_a_wall_hides_and_a_things_own_hull_does_not():
    model, data = state(WALLED)
    boxes = boxes_of(model, data, carried_geoms(model, 1))
    sight = Sight(model, data, boxes)
    assert sight.share_seen_from(np.array([3.0, 0.0, 0.5])) == 1.0
    assert sight.share_seen_from(np.array([-3.0, 0.0, 0.5])) == 0.0
    assert sight.share_seen_from(np.array([-1.0, 0.0, 0.5])) == 0.0, "inside the wall"


def test_collision_geometry_and_absent_things_hide_nothing():
    model, data = state(WALLED.replace('name="wall"', 'name="wall" group="3"'))
    sight = Sight(model, data, boxes_of(model, data, carried_geoms(model, 1)))
    assert sight.share_seen_from(np.array([-3.0, 0.0, 0.5])) == 1.0


def find(model, data, boxes, start, **view):
    """The viewpoint that is found for some boxes."""
    return find_viewpoint(boxes, Sight(model, data, boxes), Wish(View(**view), start, -15.0), SLOPES)


def test_the_wanted_side_is_taken_where_nothing_is_in_the_way():
    model, data = state(WALLED)
    found = find(model, data, boxes_of(model, data, carried_geoms(model, 1)), 180.0)
    assert (found.azimuth, found.elevation) == (180.0, -15.0)


def test_a_camera_goes_round_a_wall():
    model, data = state(WALLED)
    boxes = boxes_of(model, data, carried_geoms(model, 1))
    found = find(model, data, boxes, 0.0)
    assert found.azimuth != 0.0
    assert Sight(model, data, boxes).share_seen_from(found.eye) == 1.0


def test_what_is_fixed_stays_even_behind_a_wall():
    model, data = state(WALLED)
    fixed = {"azimuth": 0.0, "elevation": -5.0, "distance": 4.0, "lookat": (0.0, 0.0, 0.5)}
    found = find(model, data, boxes_of(model, data, carried_geoms(model, 1)), 90.0, **fixed)
    assert found == Viewpoint((0.0, 0.0, 0.5), 4.0, 0.0, -5.0)


def test_in_a_closed_room_the_camera_stays_inside():
    walls = "".join(
        f"<geom type='box' size='{size}' pos='{pos}'/>"
        for size, pos in (
            *((".1 2 1.5", f"{x} 0 1.5") for x in (-2, 2)),
            *(("2 .1 1.5", f"0 {y} 1.5") for y in (-2, 2)),
            *(("2 2 .1", f"0 0 {z}") for z in (-0.1, 3.1)),
        )
    )
    model, data = state(f"<body pos='0 0 .5'><geom type='box' size='1 1 .5'/></body>{walls}")
    boxes = boxes_of(model, data, carried_geoms(model, 1))
    eye = find(model, data, boxes, 45.0).eye
    assert np.all(np.abs(eye[:2]) < 1.9)
    assert 0.0 < eye[2] < 3.0
    assert Sight(model, data, boxes).share_seen_from(eye) == 1.0


def test_a_place_without_geoms_can_be_looked_at():
    model, data = state("<geom size='.1' pos='9 9 9'/>")
    found = find(model, data, box_around(np.array([1.0, 2.0, 3.0]), 0.1), 0.0)
    assert found.lookat == pytest.approx((1.0, 2.0, 3.0), abs=0.05)
