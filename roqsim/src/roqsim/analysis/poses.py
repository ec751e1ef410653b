"""Where bodies are and how fast they move."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import mujoco

from roqsim.analysis.quantity import vector
from roqsim.analysis.table import Column, Row
from roqsim.mj import poses

Thing = tuple[str, int]
"""A name and the id of the body that it stands for."""


class Poses:
    """Poses and velocities of body frames in the world, along the world's axes.

    Args:
        model: The compiled model.
        data: Its state.
        things: Whose poses, in the order of the rows.
        is_absent: Whether a body is absent; it then has no row.
    """

    title = "poses"
    columns = (
        Column("body", kind=str),
        *vector("position", "m"),
        *vector("orientation", "", "wxyz"),
        Column("yaw", "rad"),
        *vector("linear", "m/s"),
        *vector("angular", "rad/s"),
    )
    keys = ("body",)
    drawn = ()

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        things: Sequence[Thing],
        is_absent: Callable[[int], bool] = lambda body: False,
    ) -> None:
        self._model, self._data, self._things, self._is_absent = model, data, things, is_absent

    def rows(self) -> Iterator[Row]:
        """One row a body."""
        for name, body in self._things:
            if self._is_absent(body):
                continue
            position, quaternion = poses.pose(self._model, self._data, "body", body)
            linear, angular = poses.velocity(self._model, self._data, "body", body, local=False)
            yield (name, *position, *quaternion, poses.yaw_of(quaternion), *linear, *angular)
