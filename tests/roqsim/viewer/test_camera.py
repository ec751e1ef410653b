from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from roqsim.viewer.camera import FREE, HEADING, TRACK, Camera, heading

MJCF = """
<mujoco><worldbody>
  <geom type="plane" size="5 5 1"/>
  <body name="cart" pos="1 2 0.5"><freejoint/><geom size="0.1"/>
    <body name="arm" pos="0 0 0.3"><joint axis="0 0 1"/><geom size="0.05"/></body></body>
  <body name="ball" pos="-1 0 0.5"><freejoint/><geom size="0.1"/></body>
</worldbody></mujoco>
"""
TARGETS = [("robot", 1), ("ball", 3)]


@pytest.fixture
def scene():
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data, mujoco.MjvCamera()


def turn(model, data, yaw):
    data.qpos[3:7] = [math.cos(yaw / 2), 0, 0, math.sin(yaw / 2)]
    mujoco.mj_kinematics(model, data)


def test_keys_that_a_world_leaves_out_are_what_the_model_suggests(scene):
    model, _, cam = scene
    default = mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(model, default)
    Camera(model, cam, {"distance": 4.0, "azimuth": None}, TARGETS)
    assert cam.distance == 4.0
    assert (cam.azimuth, cam.elevation) == (default.azimuth, default.elevation)
    np.testing.assert_array_equal(cam.lookat, default.lookat)


def test_a_view_that_is_saved_and_loaded_is_the_same_view(scene):
    model, _, cam = scene
    view = {"lookat": [1.0, -2.0, 0.25], "distance": 4.125, "azimuth": 100.5, "elevation": -30.0}
    saved = Camera(model, cam, view, TARGETS).view()
    assert saved == {**view, "track": None, "follow_heading": False}


def test_a_tracked_entity_is_in_the_middle_wherever_it_goes(scene):
    model, data, cam = scene
    Camera(model, cam, {"track": "ball", "distance": 3.0}, TARGETS)
    data.qpos[:3], data.qpos[8:11] = [0, 0, 9], [4, -4, 1]
    mujoco.mj_forward(model, data)
    scn = mujoco.MjvScene(model, 100)
    mujoco.mjv_updateScene(model, data, mujoco.MjvOption(), None, cam, mujoco.mjtCatBit.mjCAT_ALL, scn)
    np.testing.assert_allclose(cam.lookat, [4, -4, 1], atol=1e-9)


def test_a_camera_that_turns_with_an_entity_keeps_its_side_through_whole_turns(scene):
    model, data, cam = scene
    turn(model, data, 0.5)
    camera = Camera(model, cam, {"track": "robot", "follow_heading": True, "azimuth": 30.0}, TARGETS)
    for yaw in np.arange(0.5, 4 * math.pi, 0.4):
        turn(model, data, yaw)
        camera.update(data)
        assert math.remainder(cam.azimuth - 30.0 - math.degrees(yaw), 360.0) == pytest.approx(0.0, abs=1e-6)
    assert camera.view()["azimuth"] == 30.0


def test_what_the_person_turns_is_kept_on_top_of_the_heading(scene):
    model, data, cam = scene
    camera = Camera(model, cam, {"track": "robot", "follow_heading": True, "azimuth": 0.0}, TARGETS)
    camera.update(data)
    cam.azimuth += 20.0
    turn(model, data, 1.0)
    camera.update(data)
    assert cam.azimuth == pytest.approx(20.0 + math.degrees(1.0))


def test_modes_go_round_and_entering_one_moves_nothing(scene):
    model, data, cam = scene
    turn(model, data, 1.0)
    camera = Camera(model, cam, {}, TARGETS)
    azimuth, modes = cam.azimuth, []
    for _ in range(4):
        camera.cycle(0, model.body_parentid, data)
        camera.update(data)
        modes.append(camera.mode)
        assert cam.azimuth == azimuth
    assert modes == [TRACK, HEADING, FREE, TRACK]
    assert camera.describe() == "on robot"


def test_the_entity_of_the_body_that_was_picked_is_followed(scene):
    model, data, cam = scene
    camera = Camera(model, cam, {}, [("ball", 3), ("robot", 1)])
    camera.cycle(model.body("arm").id, model.body_parentid, data)
    assert (camera.target, cam.trackbodyid) == (("robot", 1), 1)
    assert camera.view()["track"] == "robot"


def test_without_anything_to_follow_the_camera_stays_free(scene):
    model, data, cam = scene
    camera = Camera(model, cam, {}, [])
    camera.cycle(0, model.body_parentid, data)
    assert (camera.mode, camera.describe()) == (FREE, "")


def test_the_windows_own_way_back_to_a_free_camera_is_noticed(scene):
    model, data, cam = scene
    camera = Camera(model, cam, {"track": "ball"}, TARGETS)
    assert not camera.update(data)
    cam.type = int(mujoco.mjtCamera.mjCAMERA_FREE)
    assert camera.update(data)
    assert camera.view()["track"] is None


def test_the_heading_is_that_of_the_x_axis(scene):
    model, data, _ = scene
    turn(model, data, 2.5)
    assert heading(data, 1) == pytest.approx(2.5)
