"""The world ``studio`` suits things of any size."""

from __future__ import annotations

import mujoco
import pytest
from roqsim.config.sim import BUILTIN_WORLDS
from roqsim.scene.base import BUILTIN
from roqsim.scene.studio import LAMPS, studio


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_the_extent_is_that_of_what_stands_on_the_floor(size):
    spec = studio()
    spec.worldbody.add_body(name="thing", pos=[0, 0, size]).add_geom(size=[size, 0, 0])
    assert spec.compile().stat.extent == pytest.approx(3.0 * size, rel=0.5)


def test_the_floor_carries_and_three_lamps_shine():
    model = studio().compile()
    assert model.geom("floor").type == mujoco.mjtGeom.mjGEOM_PLANE
    assert model.geom("floor").contype == 1
    assert [model.light(name).active[0] for name, *_ in LAMPS] == [1, 1, 1]
    assert model.light("key").castshadow[0] == 1


def test_a_world_can_name_every_built_in_one():
    assert set(BUILTIN_WORLDS) == set(BUILTIN)
