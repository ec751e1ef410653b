"""Rays meet turned bodies wherever their centre of mass is: the same as ``mj_ray``, which knows no bounding spheres."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from roqsim.raycast import RayCaster, cast
from roqsim.raycast.bounds import bounds_to_turn, leaves_bounds_unturned

SHAPES = ["box", "cylinder", "capsule", "ellipsoid", "sphere"]

TURNED = """
<mujoco>
  <worldbody>
    <body pos="3 0 0" euler="0 90 40">
      <freejoint/>
      <inertial pos="2 0 0" mass="1" diaginertia="1 1 1"/>
      <geom type="box" size=".1 .3 1"/>
    </body>
  </worldbody>
</mujoco>
"""


def load(xml: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def one_by_one(model, data, origin, rays) -> tuple[np.ndarray, np.ndarray]:
    groups, geom = np.ones(6, dtype=np.uint8), np.zeros(1, dtype=np.int32)
    distances, geoms = [], []
    for ray in rays:
        found = mujoco.mj_ray(model, data, origin, ray, groups, 1, -1, geom)
        distances.append(found[0] if isinstance(found, tuple) else found)
        geoms.append(geom[0])
    distances = np.array(distances)
    return np.where(distances < 0, np.inf, distances), np.array(geoms)


def scattered(rng: np.random.Generator) -> str:
    def numbers(low, high):
        return " ".join(f"{value:.6f}" for value in rng.uniform(low, high, 3))

    bodies = []
    for _ in range(4):
        geoms = "".join(
            f'<geom type="{rng.choice(SHAPES)}" size="{numbers(0.05, 1.2)}" '
            f'pos="{numbers(-2, 2)}" euler="{numbers(-180, 180)}"/>'
            for _ in range(rng.integers(1, 4))
        )
        bodies.append(f'<body pos="{numbers(-3, 3)}" euler="{numbers(-180, 180)}">{geoms}</body>')
    return f"<mujoco><worldbody>{''.join(bodies)}</worldbody></mujoco>"


def test_a_turned_box_far_from_its_centre_of_mass_is_hit():
    model, data = load(TURNED)
    distances, geoms = cast(model, data, (0.0, 0.0, 0.0), [(1.0, 0.0, 0.0)])
    expected, _ = one_by_one(model, data, np.zeros(3), np.array([(1.0, 0.0, 0.0)]))
    assert math.isfinite(expected[0])
    assert (distances[0], geoms[0]) == (expected[0], 0)


@pytest.mark.parametrize("seed", range(60))
def test_many_rays_find_what_each_ray_finds_by_itself(seed):
    rng = np.random.default_rng(seed)
    model, data = load(scattered(rng))
    rays = rng.standard_normal((300, 3))
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    distances, geoms = cast(model, data, np.zeros(3), rays)
    expected, expected_geoms = one_by_one(model, data, np.zeros(3), rays)
    np.testing.assert_allclose(distances, expected, rtol=1e-12)
    np.testing.assert_array_equal(geoms, expected_geoms)


def test_a_cast_leaves_the_state_as_it_was():
    model, data = load(TURNED)
    before = [data.xipos.tobytes(), data.ximat.tobytes(), data.geom_xpos.tobytes()]
    RayCaster(model, 1).cast(data, np.zeros(3), np.array([[1.0, 0.0, 0.0]]))
    assert [data.xipos.tobytes(), data.ximat.tobytes(), data.geom_xpos.tobytes()] == before


def test_only_the_mujoco_that_needs_it_and_the_bodies_that_need_it_cost_anything():
    model, _ = load(TURNED)
    assert (bounds_to_turn(model, np.zeros(0, dtype=int)) is not None) == leaves_bounds_unturned()
    assert bounds_to_turn(model, np.array([1])) is None
    centred, _ = load('<mujoco><worldbody><body euler="0 30 0"><geom size=".1"/></body></worldbody></mujoco>')
    assert bounds_to_turn(centred, np.zeros(0, dtype=int)) is None
    assert leaves_bounds_unturned() == (mujoco.mj_version() < 4_000_001)
