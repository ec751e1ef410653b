"""The mechanical energy of everything that moves, and what the actuators add to it."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco

from roqsim.analysis.table import Column, Row


class Energy:
    """Kinetic and potential energy (gravity and springs), their sum, and the power of the actuators.

    Args:
        model: The compiled model.
        data: Its state, solved.
    """

    title = "energy"
    columns = (Column("kinetic", "J"), Column("potential", "J"), Column("total", "J"), Column("power", "W"))
    keys = ()
    drawn = ()

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self._model, self._data = model, data

    def rows(self) -> Iterator[Row]:
        """One row."""
        model, data = self._model, self._data
        mujoco.mj_energyPos(model, data)
        mujoco.mj_energyVel(model, data)
        potential, kinetic = data.energy.tolist()
        yield kinetic, potential, kinetic + potential, float(data.qfrc_actuator @ data.qvel)
