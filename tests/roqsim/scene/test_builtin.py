from __future__ import annotations

import mujoco
import numpy as np
import pytest
from roqsim.scene.builtin import HALF, empty_room


@pytest.fixture(scope="module")
def room():
    model = empty_room().compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def ray(room, origin, direction):
    model, data = room
    hit = np.zeros(1, np.int32)
    distance = mujoco.mj_ray(model, data, np.array(origin, float), np.array(direction, float), None, 1, -1, hit, None)
    return distance, model.geom(int(hit[0])).name if hit[0] >= 0 else None


@pytest.mark.parametrize("angle", np.linspace(0.05, 2 * np.pi, 12))
def test_every_ray_in_the_room_meets_a_wall_at_its_closed_form_distance(room, angle):
    direction = np.array([np.cos(angle), np.sin(angle), 0.0])
    distance, name = ray(room, [0, 0, 1], direction)
    assert distance == pytest.approx(HALF / np.abs(direction[:2]).max())
    assert name.startswith("wall_")


def test_the_floor_is_a_plane_named_floor_at_zero(room):
    assert ray(room, [1, 1, 0.7], [0, 0, -1]) == (pytest.approx(0.7), "floor")
    model, _ = room
    assert model.geom("floor").type == mujoco.mjtGeom.mjGEOM_PLANE
    assert model.mat_texid[model.geom("floor").matid[0]].max() >= 0


def test_the_room_is_lit_and_nothing_in_it_moves(room):
    model, _ = room
    assert model.nlight == 1
    assert (model.nq, model.nbody) == (0, 1)


def test_a_wall_stops_what_runs_into_it():
    spec = empty_room()
    body = spec.worldbody.add_body(pos=[4.0, 0, 0.2])
    body.add_freejoint()
    body.add_geom(size=[0.1, 0, 0], condim=1)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[0] = 3.0
    reached = []
    for _ in range(1000):
        mujoco.mj_step(model, data)
        reached.append(data.qpos[0])
    assert HALF - 0.12 < max(reached) < HALF - 0.05


@pytest.mark.gl
def test_a_camera_outside_looks_into_the_room(room):
    model, data = room
    camera = mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(model, camera)
    with mujoco.Renderer(model, 60, 80) as renderer:
        renderer.enable_segmentation_rendering()
        renderer.update_scene(data, camera)
        seen = renderer.render()[:, :, 0]
    assert (seen == model.geom("floor").id).mean() > 0.15
