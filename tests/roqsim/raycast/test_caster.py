from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from roqsim.presence import ABSENT_GROUP
from roqsim.raycast import RayCaster, cast, unit, visible_groups, welded_geoms

HALF = 3.0
"""Half the inner width of the room below, in metres."""

ROOM = f"""
<geom name="east" type="box" pos="{HALF + 0.5} 0 1" size=".5 {HALF} 1"/>
<geom name="west" type="box" pos="{-HALF - 0.5} 0 1" size=".5 {HALF} 1"/>
<geom name="north" type="box" pos="0 {HALF + 0.5} 1" size="{HALF} .5 1"/>
<geom name="south" type="box" pos="0 {-HALF - 0.5} 1" size="{HALF} .5 1"/>
"""

CARRIER = """
<body name="base" pos="0 0 .5" {mocap}>
  {joint}
  <geom type="box" size=".3 .3 .1"/>
  <body name="plate" pos="0 0 .1">
    <body name="post" pos="0 0 .1">
      <geom type="cylinder" size=".05 .1"/>
      <body name="head" pos="0 0 .1"><geom type="cylinder" size=".2 .05"/></body>
    </body>
  </body>
  <body name="wheel" pos=".1 0 .3"><joint axis="0 1 0"/><geom name="wheel" type="box" size=".05 .05 .05"/></body>
</body>
<geom name="wall" type="box" pos="2.5 0 1" size=".5 2 1"/>
"""


def load(world: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{world}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def around(count: int) -> np.ndarray:
    angles = np.arange(count) * 2 * math.pi / count
    return np.stack([np.cos(angles), np.sin(angles), np.zeros(count)], axis=1)


@given(st.floats(0.2, 20.0), st.floats(-1.4, 1.4), st.floats(-math.pi, math.pi))
@settings(max_examples=50, deadline=None)
def test_a_ray_meets_a_plane_at_height_over_cosine(height, tilt, turn):
    model, data = load('<geom type="plane" size="0 0 1"/>')
    ray = (math.sin(tilt) * math.cos(turn), math.sin(tilt) * math.sin(turn), -math.cos(tilt))
    distances, geoms = cast(model, data, (1.0, -2.0, height), [ray])
    assert distances[0] == pytest.approx(height / math.cos(tilt), rel=1e-12)
    assert geoms[0] == 0


@given(st.floats(-2.5, 2.5), st.floats(-2.5, 2.5))
@settings(max_examples=30, deadline=None)
def test_a_square_room_is_measured_exactly(x, y):
    model, data = load(ROOM)
    rays = around(180)
    distances, _ = cast(model, data, (x, y, 1.0), rays)
    with np.errstate(divide="ignore"):
        to_x = np.where(rays[:, 0] > 0, HALF - x, -HALF - x) / rays[:, 0]
        to_y = np.where(rays[:, 1] > 0, HALF - y, -HALF - y) / rays[:, 1]
    np.testing.assert_allclose(distances, np.minimum(np.abs(to_x), np.abs(to_y)), rtol=1e-12)


@pytest.mark.parametrize("length", [0.01, 1.0, 2.0, 1e6])
def test_a_rays_length_is_no_unit(length):
    model, data = load('<geom type="plane" size="0 0 1"/>')
    distances, _ = cast(model, data, (0, 0, 3.5), [(0, 0, -length)])
    assert distances[0] == pytest.approx(3.5, rel=1e-12)


@pytest.mark.parametrize("rays", [[(0, 0, 0)], [(1, 0, 0), (0, math.nan, 1)], [(math.inf, 0, 0)]])
def test_a_ray_without_a_direction_is_refused(rays):
    with pytest.raises(ValueError, match="finite, non-zero length"):
        unit(np.array(rays, dtype=float))


def test_a_steep_ray_sees_the_floor_across_the_seam_of_two_boxes():
    model, data = load('<geom type="box" size="2 2 .1" pos="-2 0 -.1"/><geom type="box" size="2 2 .1" pos="2 0 -.1"/>')
    angles = np.linspace(-0.4, 0.4, 801)
    rays = np.stack([np.sin(angles), np.zeros(801), -np.cos(angles)], axis=1)
    for height in (0.05, 1.0, 4.0):
        for offset in (-1e-9, 0.0, 1e-9):
            distances, _ = cast(model, data, (offset, 0.3, height), rays)
            np.testing.assert_allclose(distances, height / np.cos(angles), rtol=1e-9)


def test_a_shallow_ray_over_an_infinite_plane_ends_at_the_limit():
    model, data = load('<geom type="plane" size="0 0 1"/>')
    limit = 30.0
    down = np.array([1 / 29.9, 1 / 30.1, 1 / 500.0])
    rays = np.stack([np.sqrt(1 - down**2), np.zeros(3), -down], axis=1)
    distances, geoms = cast(model, data, (0, 0, 1), rays, max_range=limit)
    assert distances[0] == pytest.approx(29.9)
    assert np.isinf(distances[1:]).all()
    assert geoms.tolist() == [0, -1, -1]


def test_what_lies_exactly_at_the_limit_is_a_return():
    model, data = load('<geom type="box" pos="4.5 0 0" size=".5 1 1"/>')
    assert cast(model, data, (0, 0, 0), [(1, 0, 0)], max_range=4.0)[0][0] == 4.0
    assert cast(model, data, (0, 0, 0), [(1, 0, 0)], max_range=3.999)[0][0] == math.inf


def test_a_ray_into_nothing_returns_nothing():
    model, data = load('<geom size=".1" pos="5 0 0"/>')
    distances, geoms = cast(model, data, (0, 0, 0), [(-1, 0, 0), (1, 0, 0)])
    assert distances[0] == math.inf
    assert distances[1] == pytest.approx(4.9)
    assert geoms.tolist() == [-1, 0]


@pytest.mark.parametrize("mount", ["base", "plate", "post", "head"])
@pytest.mark.parametrize("joint", ["<freejoint/>", '<joint type="slide" axis="1 0 0"/>', ""])
@pytest.mark.parametrize("mocap", ["", 'mocap="true"'])
def test_a_carrier_is_invisible_to_its_sensor_at_any_mount_depth(mount, joint, mocap):
    model, data = load(CARRIER.format(joint="" if mocap else joint, mocap=mocap))
    caster = RayCaster(model, 1, carrier=model.body(mount).id)
    inside_head = np.array([0.0, 0.0, 0.8])
    assert caster.cast(data, inside_head, np.array([[1.0, 0, 0]]))[0] == pytest.approx(0.05)
    assert model.geom(int(caster.geoms[0])).name == "wheel"
    above = inside_head + (0, 0, 0.1)
    assert caster.cast(data, above, np.array([[1.0, 0, 0]]))[0] == pytest.approx(2.0)


def test_hiding_the_carrier_leaves_the_model_as_it_was():
    model, data = load(CARRIER.format(joint="<freejoint/>", mocap=""))
    before = model.geom_group.copy()
    RayCaster(model, 1, carrier=model.body("head").id).cast(data, np.zeros(3), np.array([[1.0, 0, 0]]))
    np.testing.assert_array_equal(model.geom_group, before)


def test_what_is_fixed_to_the_world_hides_nothing_else_that_is():
    model, data = load(
        '<body name="table" pos="1 0 0"><geom size=".1"/><body name="lamp"><geom size=".2"/></body></body>'
        '<body name="door" pos="2 0 0"><geom size=".1"/></body><geom size=".1" pos="3 0 0"/>'
    )
    assert welded_geoms(model, model.body("lamp").id).size == 2
    assert welded_geoms(model, 0).size == 0
    caster = RayCaster(model, 1, carrier=model.body("lamp").id)
    assert caster.cast(data, np.array([1.0, 0, 0]), np.array([[1.0, 0, 0]]))[0] == pytest.approx(0.9)


def test_render_only_geometry_is_seen_only_where_it_is_asked_for():
    model, data = load('<geom group="2" size=".1" pos="1 0 0"/><geom group="3" size=".1" pos="2 0 0"/>')
    assert cast(model, data, (0, 0, 0), [(1, 0, 0)])[0][0] == pytest.approx(1.9)
    assert cast(model, data, (0, 0, 0), [(1, 0, 0)], groups=visible_groups(visual=True))[0][0] == pytest.approx(0.9)
    assert visible_groups(visual=True)[ABSENT_GROUP] == 0


def test_a_bundle_costs_one_call_of_mujoco(monkeypatch):
    model, data = load(CARRIER.format(joint="<freejoint/>", mocap=""))
    calls = []
    real = mujoco.mj_multiRay
    monkeypatch.setattr(mujoco, "mj_multiRay", lambda *args: (calls.append(1), real(*args)))
    RayCaster(model, 90, carrier=model.body("head").id).cast(data, np.array([0.0, 0, 0.8]), around(90))
    assert len(calls) == 1


def test_a_bundle_is_what_its_rays_are_one_by_one():
    model, data = load(ROOM + '<geom size=".3" pos="1 1 1"/><geom type="capsule" size=".1 .5" pos="-1 .5 1"/>')
    rays, origin = around(72), np.array([0.2, -0.3, 1.1])
    bundle, geoms = cast(model, data, origin, rays)
    geom = np.zeros(1, dtype=np.int32)
    for ray, distance, hit in zip(rays, bundle, geoms, strict=True):
        assert mujoco.mj_ray(model, data, origin, ray, visible_groups(), 1, -1, geom, None) == pytest.approx(distance)
        assert geom[0] == hit


@pytest.mark.parametrize("threads", [1, 3])
def test_hits_are_the_rays_that_meet_something_between_the_limits(threads, monkeypatch):
    monkeypatch.setattr("roqsim.raycast.pool.PAYS_FROM", 10)
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><geom name='near' type='box' pos='1 0 0' size='.1 9 .1'/>"
        "<geom name='wall' type='box' pos='-3 0 0' size='.1 9 9'/>"
        "<geom name='far' type='box' pos='0 20 0' size='30 .1 9'/></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    angles = np.linspace(-np.pi, np.pi, 200, endpoint=False)
    bundle = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    caster = RayCaster(model, len(bundle), max_range=4.0, threads=threads)
    caster.shoot(data, np.zeros(3), bundle)
    hits = caster.hits(1.2)
    found = caster.distances[hits].copy()
    distances, geoms = cast(model, data, np.zeros(3), bundle, max_range=4.0)
    expected = np.flatnonzero((distances >= 1.2) & np.isfinite(distances))
    assert hits.tolist() == expected.tolist()
    assert 0 < len(hits) < np.isfinite(distances).sum()
    np.testing.assert_array_equal(found, distances[expected])
    np.testing.assert_array_equal(caster.geoms_at(hits), geoms[expected])
    caster.finish()
    np.testing.assert_array_equal(caster.distances, distances)
    np.testing.assert_array_equal(caster.geoms, geoms)
    caster.close()
