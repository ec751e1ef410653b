"""Sending an entity somewhere, where a component can take it there.

A navigator offers the commands ``navigate_through_poses`` (``poses``: a list of ``[x, y]`` in metres; it returns the
number ``seq`` of the route), ``start_route`` and ``cancel_route``, and the report ``route_status`` (``seq``,
``finished``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from py_trees.common import Status
from roqsim.context import Endpoint, SimContext
from roqsim.errors import NotFoundError, RoqsimError

from roqsim_scenario.actions.action import CommandAction
from roqsim_scenario.actions.placement import Pose
from roqsim_scenario.ports import find_port


class EntityNavigate(CommandAction):
    """Sends an entity through places."""

    def execute(self, entity: str, goal_poses: Sequence[Pose], success_on_acceptance: bool, action_name: str) -> None:
        """Posts the route.

        Raises:
            RoqsimError: If there are no places, or the entity has no navigator.
        """
        if not goal_poses:
            raise RoqsimError("goal_poses: expected at least one pose, got none")
        ctx = self.ctx
        route = [[pose["position"]["x"], pose["position"]["y"]] for pose in goal_poses]
        go = navigator_port(ctx, entity, action_name, "navigate_through_poses", "in")
        self._status = navigator_port(ctx, entity, action_name, "route_status", "out")
        self._cancel = navigator_port(ctx, entity, action_name, "cancel_route", "in")
        self._success_on_acceptance, self._route = success_on_acceptance, None
        self._is_under_way = True
        self.post(lambda ctx: go.write({"poses": route}))

    def check(self, result: object) -> Status:
        """Waits for the end of the route.

        Raises:
            RoqsimError: If another route took its place.
        """
        self._route = int(_field(result, "seq"))
        if self._success_on_acceptance:
            return self._over()
        report = self._status.read()
        current = int(_field(report, "seq")) if report is not None else self._route
        if current != self._route:
            self._over()
            raise RoqsimError(f"expected to go on with route {self._route}, got route {current} in its place")
        if report is not None and _field(report, "finished"):
            return self._over()
        self.feedback_message = f"on route {self._route}"
        return Status.RUNNING

    def _over(self) -> Status:
        self._is_under_way = False
        return Status.SUCCESS

    def request_cancel(self) -> bool:
        """Ends the route where the action is left before its end; the scenario does."""
        if getattr(self, "_is_under_way", False):
            self._is_under_way = False
            cancel = self._cancel
            self.ctx.post(lambda ctx: cancel.write(None))
        return True


class EntityNavigateStart(CommandAction):
    """Lets an entity set out on the route that its navigator has."""

    def execute(self, entity: str, action_name: str) -> None:
        """Posts the command."""
        start = navigator_port(self.ctx, entity, action_name, "start_route", "in")
        self.post(lambda ctx: start.write(None))


def navigator_port(ctx: SimContext, entity: str, navigator: str, name: str, direction: str) -> Endpoint:
    """An endpoint of an entity's navigator.

    Raises:
        NotFoundError: If the entity has none.
    """
    ctx.entities.require(entity)
    try:
        return find_port(ctx, entity, f"{navigator}/{name}" if navigator else name, direction)
    except NotFoundError as error:
        who = f"{entity!r}, which has no {navigator!r}" if navigator else f"{entity!r} without"
        raise NotFoundError(f"entity: expected one with a navigator that offers {name!r}, got {who}: {error}") from None


def _field(value: object, name: str) -> object:
    """A field of a payload, however it is made; a bare number is the route itself.

    Raises:
        RoqsimError: If it has none.
    """
    if isinstance(value, Mapping) and name in value:
        return value[name]
    if hasattr(value, name):
        return getattr(value, name)
    if name == "seq" and isinstance(value, int):
        return value
    raise RoqsimError(f"expected the navigator to say {name!r}, got {value!r}")
