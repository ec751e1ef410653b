from __future__ import annotations

import mujoco
import numpy as np
import pytest
from roqsim.viewer.flight import FASTER, MOVES, NEAR, Flight, direction

MODEL = mujoco.MjModel.from_xml_string('<mujoco><worldbody><geom size="1"/></worldbody></mujoco>')


@pytest.fixture
def cam():
    cam = mujoco.MjvCamera()
    cam.lookat[:], cam.distance, cam.azimuth, cam.elevation = [1, 2, 3], 4.0, 37.0, -25.0
    return cam


@pytest.fixture
def flight():
    return Flight(mujoco.MjvOption(), mujoco.MjvScene(MODEL, 10))


def frame(cam):
    """Eye, forward and up of a camera as MuJoCo draws it."""
    scn, data = mujoco.MjvScene(MODEL, 10), mujoco.MjData(MODEL)
    mujoco.mjv_updateScene(MODEL, data, mujoco.MjvOption(), None, cam, mujoco.mjtCatBit.mjCAT_ALL, scn)
    eyes = scn.camera
    return np.mean([each.pos for each in eyes], axis=0), np.array(eyes[0].forward), np.array(eyes[0].up)


def held(*keys):
    return lambda code: code in [ord(key) if isinstance(key, str) else key for key in keys]


def test_the_direction_is_the_one_that_mujoco_looks_in(cam):
    np.testing.assert_allclose(direction(cam), frame(cam)[1], atol=1e-6)


def test_taking_off_and_landing_leave_the_eye_where_it_is(cam, flight):
    eye, lookat = frame(cam)[0], np.array(cam.lookat)
    flight.begin(cam)
    assert cam.distance == NEAR
    np.testing.assert_allclose(frame(cam)[0], eye, atol=1e-5)
    flight.end(cam)
    assert not flight.is_on
    np.testing.assert_allclose(cam.lookat, lookat, atol=1e-9)
    assert cam.distance == 4.0


@pytest.mark.parametrize("key", sorted(MOVES))
def test_each_key_moves_along_its_axis_of_the_picture(cam, flight, key):
    _, forward, up = frame(cam)
    axes = np.array([forward, np.cross(forward, up), [0.0, 0.0, 1.0]])
    flight.begin(cam)
    before = np.array(cam.lookat)
    flight.move(cam, held(key), 0.5)
    np.testing.assert_allclose(cam.lookat - before, MOVES[key] @ axes * flight.speed * 0.5, atol=1e-6)


def test_opposite_keys_stand_still_and_shift_is_faster(cam, flight):
    flight.begin(cam)
    before = np.array(cam.lookat)
    flight.move(cam, held("A", "D"), 1.0)
    np.testing.assert_array_equal(cam.lookat, before)
    flight.move(cam, held("W", "D", 340), 1.0)
    assert np.linalg.norm(cam.lookat - before) == pytest.approx(FASTER * flight.speed)


def test_the_letters_of_the_flight_switch_nothing_meanwhile(cam):
    option, scene = mujoco.MjvOption(), mujoco.MjvScene(MODEL, 10)
    flight = Flight(option, scene)
    flags, drawn = option.flags.copy(), scene.flags.copy()
    flight.begin(cam)
    option.flags[int(mujoco.mjtVisFlag.mjVIS_STATIC)] ^= 1
    option.flags[int(mujoco.mjtVisFlag.mjVIS_CONTACTPOINT)] ^= 1
    scene.flags[int(mujoco.mjtRndFlag.mjRND_WIREFRAME)] ^= 1
    flight.move(cam, held("W"), 0.1)
    np.testing.assert_array_equal(scene.flags, drawn)
    changed = np.flatnonzero(option.flags != flags)
    assert changed.tolist() == [int(mujoco.mjtVisFlag.mjVIS_CONTACTPOINT)]
