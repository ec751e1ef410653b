"""Cameras of a model: what is written in it, as the pinhole camera of a picture of some size."""

from __future__ import annotations

import math

import mujoco


def is_perspective(model: mujoco.MjModel, camera: int) -> bool:
    """Whether a camera has a focal length at all; one that projects in parallel has none."""
    return int(model.cam_projection[camera]) == int(mujoco.mjtProjection.mjPROJ_PERSPECTIVE)


def intrinsics(model: mujoco.MjModel, camera: int, width: int, height: int) -> tuple[float, float, float, float]:
    """What a camera sees in a picture of a size: by its field of view, or by its sensor where it has one.

    The height of the picture shows what the camera's own height shows. Pixels are square, or of the shape that sensor
    and resolution give them, so a picture of another shape than the sensor's shows more or less at its sides.

    Args:
        model: The compiled model.
        camera: The camera's id.
        width: Columns.
        height: Rows.

    Returns:
        ``fx, fy, cx, cy`` in pixels, integers at the middle of pixels, rows downwards (OpenCV).
    """
    middle_x, middle_y = (width - 1) / 2.0, (height - 1) / 2.0
    sensor_width, sensor_height = model.cam_sensorsize[camera].tolist()
    if not sensor_height > 0.0:
        focal = height / 2.0 / math.tan(math.radians(float(model.cam_fovy[camera])) / 2.0)
        return focal, focal, middle_x, middle_y
    columns, rows = model.cam_resolution[camera].tolist()
    is_stated = columns > 1 or rows > 1  # MuJoCo's default is a single pixel
    per_y = height / sensor_height
    per_x = per_y * (columns / sensor_width) / (rows / sensor_height) if is_stated else per_y
    focal_x, focal_y, offset_x, offset_y = model.cam_intrinsic[camera].tolist()
    return focal_x * per_x, focal_y * per_y, middle_x - offset_x * per_x, middle_y - offset_y * per_y
