"""What components and the world say about an entity, as values of a scenario."""

from __future__ import annotations

import math

from py_trees.common import Status
from roqsim.errors import RoqsimError
from roqsim.lookup import resolve_body_id
from roqsim.mj import poses
from scenario_execution.model.types import VariableReference

from roqsim_scenario.actions.action import SimAction
from roqsim_scenario.dwell import Dwell
from roqsim_scenario.geometry import AXES, name_of_enumerator, roll_pitch_yaw
from roqsim_scenario.report_value import ReportValue, comparison, from_json


class _Writing(SimAction):
    """An action that writes into a variable of the scenario."""

    def __init__(self) -> None:
        super().__init__(resolve_variable_reference_arguments_in_execute=False)

    def aim(self, variable: object) -> None:
        """Takes the variable.

        Raises:
            RoqsimError: If it is none.
        """
        if not isinstance(variable, VariableReference):
            raise RoqsimError(f"target_variable: expected a variable ('var name: type = ...'), got {variable!r}")
        self._variable = variable


def current(value: object) -> object:
    """What a parameter is now: a variable where the scenario passed one."""
    return value.get_value() if isinstance(value, VariableReference) else value


class EntityMonitor(_Writing):
    """Keeps a variable equal to a published value."""

    def execute(self, entity: str, value: str, target_variable: object) -> None:
        """Finds the report."""
        self.aim(target_variable)
        self._value = ReportValue(self.ctx, current(entity), current(value))

    def look(self) -> Status:
        """Copies the value, if there is one."""
        now = self._value.read()
        if now is not None:
            self._variable.set_value(now)
            self.feedback_message = f"{now!r}"
        return Status.RUNNING


class EntityReports(SimAction):
    """Waits for a published value."""

    def execute(self, entity: str, value: str, expected: str, operator: str, dwell: float) -> None:
        """Finds the report."""
        self._value = ReportValue(self.ctx, entity, value)
        self._expected, self._compare, self._dwell = from_json(expected), comparison(operator), Dwell(dwell)

    def look(self) -> Status:
        """Compares.

        Raises:
            RoqsimError: If the two can't be compared.
        """
        now = self._value.read()
        self.feedback_message = f"{now!r}"
        try:
            is_so = now is not None and bool(self._compare(now, self._expected))
        except TypeError:
            raise RoqsimError(
                f"expected: expected something that compares with {now!r}, got {self._expected!r}"
            ) from None
        return Status.SUCCESS if self._dwell.is_over(is_so, self.ctx.sim_time) else Status.RUNNING


class EntityWhere(_Writing):
    """Puts a coordinate of an entity into a variable."""

    def execute(self, entity: str, coordinate: object, target_variable: object) -> None:
        """Finds the entity."""
        self.aim(target_variable)
        self._coordinate = name_of_enumerator(current(coordinate))
        self._body = resolve_body_id(self.ctx, current(entity), movable=False, what="entity")

    def look(self) -> Status:
        """Measures it."""
        value = self._measure()
        self._variable.set_value(value)
        self.feedback_message = f"{value:.6g}"
        return Status.SUCCESS

    def _measure(self) -> float:
        ctx, name = self.ctx, self._coordinate
        ctx.refresh()
        if name in AXES:
            return float(ctx.data.xpos[self._body, AXES.index(name)])
        if name in ("roll", "pitch", "yaw"):
            return roll_pitch_yaw(ctx.data.xquat[self._body])[("roll", "pitch", "yaw").index(name)]
        linear, angular = poses.velocity(ctx.model, ctx.data, "body", self._body, local=False)
        return math.hypot(*(linear if name == "speed" else angular))
