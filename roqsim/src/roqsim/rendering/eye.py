"""Where a camera is while its picture is taken."""

from __future__ import annotations

import mujoco
import numpy as np


class Eye:
    """Where a camera stood and looked when its picture was taken, in the world.

    Attributes:
        position: ``(3,)`` metres.
        forward: ``(3,)`` unit vector along the optical axis.
        up: ``(3,)`` unit vector to the top of the picture.
    """

    __slots__ = ("_right", "forward", "position", "up")

    def __init__(self) -> None:
        self.position, self.forward, self.up = np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
        self._right = np.zeros(3)

    def look(self, camera: int | mujoco.MjvCamera, data: mujoco.MjData) -> None:
        """Takes the pose of a camera.

        Args:
            camera: See ``View``.
            data: A state with current kinematics.
        """
        if isinstance(camera, mujoco.MjvCamera):
            mujoco.mjv_cameraFrame(self.position, self.forward, self.up, self._right, data, camera)
            return
        axes = data.cam_xmat[camera]
        self.position[:] = data.cam_xpos[camera]
        # MuJoCo's cameras look along their negative z axis.
        np.negative(axes[2::3], out=self.forward)
        self.up[:] = axes[1::3]
