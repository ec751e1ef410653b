"""A camera: colour, depth, segmentation and points."""

from __future__ import annotations

from dataclasses import dataclass

from roqsim_sensors.cameras.config import CameraSensorConfig
from roqsim_sensors.cameras.sensor import CameraSensor


@dataclass(frozen=True, kw_only=True)
class CameraConfig(CameraSensorConfig):
    """A camera with ideal optics; without a word it delivers colour pictures of 640 x 480 at 30 Hz."""


class Camera(CameraSensor):
    """A camera on a body or site of its owner, in the world, or one that the owner's model has."""

    Config = CameraConfig
