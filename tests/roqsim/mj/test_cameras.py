from __future__ import annotations

import mujoco
import numpy as np
import pytest
from roqsim.mj import cameras

CAMERAS = {
    "field of view": "fovy='50'",
    "sensor": "sensorsize='.004 .003' focal='.005 .005'",
    "off axis": "sensorsize='.004 .003' focal='.005 .005' principal='.0005 -.0002'",
    "wide pixels": "resolution='64 96' sensorsize='.004 .003' focal='.005 .004' principal='.0001 .0003'",
    "in pixels": "resolution='640 480' sensorsize='.004 .003' focalpixel='500 450' principalpixel='20 -30'",
}


def compiled(camera):
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody><geom size='1'/><camera name='eye' {camera}/></worldbody></mujoco>"
    )


@pytest.mark.parametrize("camera", CAMERAS.values(), ids=CAMERAS)
def test_a_camera_sees_what_mujoco_lets_it_see(camera):
    model = compiled(camera)
    data, scene = mujoco.MjData(model), mujoco.MjvScene(model, 10)
    mujoco.mj_forward(model, data)
    fixed = mujoco.MjvCamera()
    fixed.type, fixed.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
    mujoco.mjv_updateCamera(model, data, fixed, scene)
    left, right = scene.camera  # the two eyes of a stereo pair, whose mean is the one that draws
    near = left.frustum_near
    columns, rows = model.cam_resolution[0].tolist()
    width, height = (640, 480) if columns == 1 else (columns * 10, rows * 10)
    fx, fy, cx, cy = cameras.intrinsics(model, 0, width, height)
    assert (cy + 0.5) / fy == pytest.approx(left.frustum_top / near, rel=1e-5)
    assert (cy + 0.5 - height) / fy == pytest.approx(left.frustum_bottom / near, rel=1e-5)
    if not model.cam_sensorsize.any():
        assert fx == fy
        return
    centre = np.mean([left.frustum_center, right.frustum_center])
    half = (left.frustum_width + right.frustum_width) / 2.0
    assert (width - 0.5 - cx) / fx == pytest.approx((centre + half) / near, rel=1e-3)
    assert -(cx + 0.5) / fx == pytest.approx((centre - half) / near, rel=1e-3)


def test_a_picture_of_another_shape_keeps_the_height_and_the_shape_of_the_pixels():
    model = compiled(CAMERAS["off axis"])
    fx, fy, cx, _ = cameras.intrinsics(model, 0, 1280, 480)
    assert fx == fy == pytest.approx(0.005 / 0.003 * 480)
    assert cx == pytest.approx(639.5 - 0.0005 / 0.003 * 480)


def test_a_camera_that_projects_in_parallel_is_told_apart():
    assert cameras.is_perspective(compiled("fovy='50'"), 0)
    assert not cameras.is_perspective(compiled("fovy='2' projection='orthographic'"), 0)
