"""Waiting until something is somewhere."""

from __future__ import annotations

from collections.abc import Mapping

from py_trees.common import Status
from roqsim.lookup import resolve_body_id

from roqsim_scenario.actions.action import SimAction
from roqsim_scenario.dwell import Dwell, checked
from roqsim_scenario.geometry import Region, name_of_enumerator, separation, vector


class _Place(SimAction):
    """Waits until a condition on positions has held for long enough."""

    def position(self, body: int) -> tuple[float, ...]:
        """``(3,)`` metres: where the origin of a body is in the world."""
        ctx = self.ctx
        ctx.refresh()
        return tuple(ctx.data.xpos[body].tolist())

    def wait(self, is_true: bool, feedback: str) -> Status:
        """Takes a look."""
        self.feedback_message = feedback
        return Status.SUCCESS if self._dwell.is_over(is_true, self.ctx.sim_time) else Status.RUNNING


class EntityNear(_Place):
    """Waits until two entities are close to each other."""

    def execute(self, entity: str, target: str, distance: float, mode: object, dwell: float) -> None:
        """Begins to wait; one of the two has to be able to move."""
        ctx = self.ctx
        self._distance, self._mode = checked("distance", distance), name_of_enumerator(mode)
        self._dwell = Dwell(dwell)
        self._target = resolve_body_id(ctx, target, movable=False, what="target")
        self._body = resolve_body_id(ctx, entity, movable=False, what="entity")
        if not ctx.model.body_weldid[self._target]:
            self._body = resolve_body_id(ctx, entity, what="entity")

    def look(self) -> Status:
        """Measures the distance."""
        apart = separation(self.position(self._body), self.position(self._target), self._mode)
        return self.wait(apart <= self._distance, f"{apart:.3g} of {self._distance:g} m")


class EntityNearPosition(_Place):
    """Waits until an entity is close to a place."""

    def execute(self, entity: str, position: Mapping[str, float], distance: float, mode: object, dwell: float) -> None:
        """Begins to wait."""
        self._distance, self._mode = checked("distance", distance), name_of_enumerator(mode)
        self._dwell, self._goal = Dwell(dwell), vector(position)
        self._body = resolve_body_id(self.ctx, entity, what="entity")

    def look(self) -> Status:
        """Measures the distance."""
        apart = separation(self.position(self._body), self._goal, self._mode)
        return self.wait(apart <= self._distance, f"{apart:.3g} of {self._distance:g} m")


class EntityInRegion(_Place):
    """Waits until an entity is in a box, or outside of it."""

    def execute(
        self, entity: str, lower: Mapping[str, float], upper: Mapping[str, float], inside: bool, dwell: float
    ) -> None:
        """Begins to wait."""
        self._region, self._inside = Region(vector(lower), vector(upper)), inside
        self._dwell = Dwell(dwell)
        self._body = resolve_body_id(self.ctx, entity, what="entity")

    def look(self) -> Status:
        """Looks where it is."""
        position = self.position(self._body)
        shown = ", ".join(f"{each:.3g}" for each in position)
        return self.wait(self._region.contains(position) is self._inside, f"at ({shown}) m")
