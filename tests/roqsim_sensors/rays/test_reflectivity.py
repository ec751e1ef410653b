from __future__ import annotations

import mujoco
import numpy as np
import pytest
from roqsim_sensors.rays.reflectivity import Reflectivity, incidence_cosines, reflectivities

MODEL = """
<mujoco>
  <asset>
    <material name="matt" rgba="0 1 0 1"/>
    <material name="mirror" rgba="1 1 1 1" reflectance="0.75"/>
  </asset>
  <worldbody>
    <geom name="white" size=".1" rgba="1 1 1 1"/>
    <geom name="black" size=".1" rgba="0 0 0 1"/>
    <geom name="unset" size=".1"/>
    <geom name="green" size=".1" material="matt"/>
    <geom name="own" size=".1" material="matt" rgba="0 0 1 1"/>
    <geom name="mirror" size=".1" material="mirror"/>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def model() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(MODEL)


def test_a_geom_sends_back_the_luminance_of_the_colour_that_is_drawn(model):
    expected = {"white": 1.0, "black": 0.0, "unset": 0.5, "green": 0.7152, "own": 0.0722, "mirror": 0.25}
    found = reflectivities(model)
    assert {model.geom(index).name: found[index] for index in range(model.ngeom)} == pytest.approx(expected)


def test_the_drawn_colour_is_the_one_that_mujoco_draws(model):
    data, scene = mujoco.MjData(model), mujoco.MjvScene(model, 20)
    mujoco.mj_forward(model, data)
    option, camera = mujoco.MjvOption(), mujoco.MjvCamera()
    mujoco.mjv_updateScene(model, data, option, None, camera, mujoco.mjtCatBit.mjCAT_ALL, scene)
    found = reflectivities(model)
    for geom in scene.geoms[: scene.ngeom]:
        luminance = float(np.dot(geom.rgba[:3], [0.2126, 0.7152, 0.0722])) * (1.0 - geom.reflectance)
        assert found[geom.objid] == pytest.approx(luminance, abs=1e-6)


def test_a_colour_written_while_it_runs_is_noticed(model):
    reflectivity = Reflectivity(model)
    before = reflectivity.table().copy()
    model.geom_rgba[model.geom("black").id] = [1, 1, 1, 1]
    model.mat_rgba[model.material("matt").id] = [0, 0, 0, 1]
    after = reflectivity.table()
    assert after[model.geom("black").id] == pytest.approx(100.0)
    assert after[model.geom("green").id] == 0.0
    assert before[-1] == after[-1] == 0.0


def test_the_cosine_is_that_of_the_angle_to_the_normal_from_either_side():
    angles = np.linspace(0, np.pi, 19)
    rays = np.stack([np.sin(angles), np.zeros(19), np.cos(angles)], axis=1)
    found = incidence_cosines(np.tile([0.0, 0.0, 1.0], (19, 1)), rays)
    np.testing.assert_allclose(found, np.abs(np.cos(angles)), atol=1e-15)
