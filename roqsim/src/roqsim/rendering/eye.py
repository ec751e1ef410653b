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

    __slots__ = ("_axes", "_backward", "_place", "_right", "position", "up")

    def __init__(self) -> None:
        self.position, axes = np.zeros(3), np.eye(3)
        # The camera's axes are the columns, as MuJoCo has them; its cameras look along their negative z axis.
        self._right, self.up, self._backward = axes.T
        self._place, self._axes = memoryview(self.position), memoryview(axes.reshape(9))

    @property
    def forward(self) -> np.ndarray:
        return -self._backward

    def look(self, camera: mujoco.MjvCamera, data: mujoco.MjData) -> None:
        """Takes the pose of a camera that is no part of the model.

        Args:
            camera: Where it is.
            data: A state with current kinematics, for a camera that follows a body.
        """
        position, forward, up, right = np.empty((4, 3))
        mujoco.mjv_cameraFrame(position, forward, up, right, data, camera)
        self.position[:], self._backward[:], self.up[:], self._right[:] = position, -forward, up, right

    def stand(self, position: memoryview, axes: memoryview) -> None:
        """Takes the pose of a camera of the model.

        Args:
            position: ``(3,)`` metres.
            axes: ``(9,)`` rotation into the world, row by row.
        """
        self._place[:] = position
        self._axes[:] = axes
