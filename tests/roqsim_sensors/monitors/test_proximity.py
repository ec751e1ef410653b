from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from roqsim_sensors.monitors.pairing import can_collide
from roqsim_sensors.monitors.proximity import Proximity


def model_of(body: str, *, assets: str = "", rest: str = "") -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><asset>{assets}</asset><worldbody>{body}</worldbody>{rest}</mujoco>"
    )


def nearest(model, geoms, others, reach=10.0):
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    geoms, others = np.array(geoms), np.array(others)
    return Proximity(model, geoms, others, can_collide(model, geoms, others), reach).find(data), data


@given(
    st.tuples(*[st.integers(-2000, 2000)] * 3),
    st.tuples(*[st.integers(-2000, 2000)] * 3),
    st.floats(0.05, 1.0),
    st.floats(0.05, 1.0),
)
@settings(max_examples=60, deadline=None)
def test_two_spheres_are_as_far_apart_as_their_centres_less_their_radii(p, q, r, s):
    p, q = np.array(p) / 1000.0, np.array(q) / 1000.0
    between = np.linalg.norm(p - q)
    if between < 1e-3:
        return
    body = "".join(
        f"<body pos='{' '.join(map(str, at))}'><freejoint/><geom size='{radius}'/></body>"
        for at, radius in ((p, r), (q, s))
    )
    found, _ = nearest(model_of(body), [0], [1])
    assert found.distance == pytest.approx(between - r - s, abs=1e-9)
    np.testing.assert_allclose(found.p_geom, p + (q - p) / between * r, atol=1e-6)
    np.testing.assert_allclose(found.p_other, q + (p - q) / between * s, atol=1e-6)


def test_nothing_within_reach_is_none():
    body = "<geom size='.1'/><body pos='3 0 0'><freejoint/><geom size='.1'/></body>"
    assert nearest(model_of(body), [1], [0], reach=2.7)[0] is None
    assert nearest(model_of(body), [1], [0], reach=2.9)[0].distance == pytest.approx(2.8)


def test_a_plane_is_measured_along_its_normal_and_its_far_side_counts_as_overlap():
    body = "<geom type='plane' size='1 1 .1' euler='0 90 0'/><body pos='{} 30 0'><freejoint/><geom size='.1'/></body>"
    for x, expected in ((0.5, 0.4), (-0.5, -0.6)):
        found, _ = nearest(model_of(body.format(x)), [1], [0])
        assert found.distance == pytest.approx(expected)


def random_scene(seed: int, count: int = 24) -> mujoco.MjModel:
    rng = np.random.default_rng(seed)
    kinds = ["sphere", "box", "capsule", "cylinder", "ellipsoid", "mesh"]
    bodies = []
    for _ in range(count):
        kind = rng.choice(kinds)
        shape = "mesh='egg'" if kind == "mesh" else "size='{} {} {}'".format(*rng.uniform(0.05, 0.4, 3))
        pose = "pos='{} {} {}' euler='{} {} {}'".format(*rng.uniform(-2, 2, 3), *rng.uniform(-180, 180, 3))
        bodies.append(f"<body {pose}><freejoint/><geom type='{kind}' {shape} pos='.1 0 .05'/></body>")
    ground = "<geom type='plane' size='9 9 1' pos='0 0 -3'/><geom type='hfield' hfield='h' pos='0 0 -2.5'/>"
    assets = (
        "<mesh name='egg' builtin='sphere' params='1' scale='.2 .1 .3'/>"
        "<hfield name='h' nrow='4' ncol='4' size='2 2 .3 .1' elevation='0 1 2 0 1 2 0 3 1 1 2 0 0 1 0 1'/>"
    )
    return model_of(ground + "".join(bodies), assets=assets)


@pytest.mark.parametrize("seed", range(8))
def test_the_search_finds_what_measuring_every_pair_finds(seed):
    model = random_scene(seed)
    geoms, others = np.arange(2, 8), np.r_[0, 1, 8 : model.ngeom]
    found, data = nearest(model, geoms, others)
    allowed = can_collide(model, geoms, others)
    every = [
        mujoco.mj_geomDistance(model, data, int(geom), int(other), 10.0, None)
        for row, geom in enumerate(geoms)
        for column, other in enumerate(others)
        if allowed[row, column]
    ]
    assert found.distance == pytest.approx(min(every), abs=1e-9)


TREE = """
<geom name='ground' size='1'/>
<body name='base'><joint type='slide'/><geom name='a' size='1'/>
  <body name='welded'><geom name='b' size='1'/>
    <body name='child'><joint/><geom name='c' size='1'/>
      <body name='grandchild'><joint/><geom name='d' size='1' contype='2' conaffinity='4'/></body></body></body></body>
<body name='other'><freejoint/><geom name='e' size='1'/><geom name='f' size='1' contype='4' conaffinity='2'/>
  <geom name='ghost' size='1' contype='0' conaffinity='0'/></body>
<body name='third'><freejoint/><geom name='g' size='1' contype='1' conaffinity='0'/></body>
"""
RULES = """<contact><exclude body1='other' body2='child'/><pair geom1='a' geom2='c'/><pair geom1='ghost' geom2='d'/>
</contact>"""


@pytest.mark.parametrize("filterparent", ["enable", "disable"])
@pytest.mark.parametrize("rest", ["", RULES])
def test_a_pair_can_collide_exactly_if_mujoco_makes_a_contact_of_it(filterparent, rest):
    rest += f"<option><flag filterparent='{filterparent}'/></option>"
    model = model_of(TREE, rest=rest)
    data = mujoco.MjData(model)
    data.qpos[0] = 0.01
    mujoco.mj_forward(model, data)
    every = np.arange(model.ngeom)
    allowed = can_collide(model, every, every)
    assert np.array_equal(allowed, allowed.T)
    touching = {tuple(sorted(pair)) for pair in data.contact.geom.tolist()}
    assert touching == {(i, j) for i in every for j in every if i < j and allowed[i, j]}
    assert len(touching) > 5


def test_planes_and_height_fields_are_not_told_apart():
    model = model_of("<geom type='plane' size='1 1 1'/><body><freejoint/><geom type='sphere' size='1'/></body>")
    assert can_collide(model, np.array([0, 1]), np.array([0, 1])).tolist() == [[False, True], [True, False]]


def test_two_groups_without_a_pair_have_no_distance():
    model = model_of("<geom size='.1'/><geom size='.1' pos='1 0 0'/>")
    found, _ = nearest(model, [0], [1])
    assert found is None


@pytest.mark.parametrize("seed", range(4))
def test_what_was_found_before_changes_no_bit_of_what_is_found(seed):
    rng = np.random.default_rng(seed)
    box = "<geom type='box' size='.3 .2 .4' pos='{} {} {}'/>"
    fixed = "".join(box.format(*rng.uniform(-4, 4, 3)) for _ in range(40))
    bodies = "<body name='m' mocap='true' pos='1 1 0'><geom type='box' size='.2 .2 .2'/></body>"
    bodies += "<body name='r'><freejoint/><geom size='.1'/><geom type='box' size='.1 .1 .1' pos='.3 0 0'/></body>"
    model = model_of(fixed + bodies)
    data = mujoco.MjData(model)
    geoms, others = np.array([41, 42]), np.arange(41)
    allowed = can_collide(model, geoms, others)
    going = Proximity(model, geoms, others, allowed, 2.0)
    partners = set()
    for _ in range(150):
        data.qpos[:3] += rng.normal(0, 0.15, 3)
        data.mocap_pos[0] += rng.normal(0, 0.1, 3)
        mujoco.mj_kinematics(model, data)
        one, fresh = going.find(data), Proximity(model, geoms, others, allowed, 2.0).find(data)
        if one is None or fresh is None:
            assert one is fresh
            continue
        assert (one.distance, one.geom, one.other) == (fresh.distance, fresh.geom, fresh.other)
        assert one.p_geom.tobytes() + one.p_other.tobytes() == fresh.p_geom.tobytes() + fresh.p_other.tobytes()
        partners.add(one.other)
    assert len(partners) > 3
