"""Sending a component a command that it offers."""

from __future__ import annotations

from py_trees.common import Status
from roqsim.context import Endpoint, SimContext

from roqsim_scenario.actions.action import CommandAction
from roqsim_scenario.payload import payload
from roqsim_scenario.ports import find_port
from roqsim_scenario.verdict import Confirming, judge


class _Call(CommandAction):
    """Sends a command and waits until it was carried out and, where the component can tell, had an effect."""

    def call(self, entity: str, command: str, value: str, require_verified: bool) -> None:
        """Posts the command.

        Raises:
            RoqsimError: If the value can't be read, or there is no such command.
        """
        what = payload(value)
        endpoint = find_port(self.ctx, entity, command, "in")
        self._confirming = confirming(self.ctx, endpoint) if require_verified else None
        self.post(lambda ctx: endpoint.write(what))

    def check(self, result: object) -> Status:
        """Waits for the verdict, where one is wanted and the component gives any."""
        if self._confirming is None:
            return Status.SUCCESS
        status, self.feedback_message = judge(self._confirming)
        return status


class EntityCall(_Call):
    """Sends a command."""

    def execute(self, entity: str, command: str, value: str, require_verified: bool) -> None:
        """Sends it."""
        self.call(entity, command, value, require_verified)


class EndpointCall(_Call):
    """The same with another name for the command."""

    def execute(self, entity: str, endpoint: str, value: str, require_verified: bool) -> None:
        """Sends it."""
        self.call(entity, endpoint, value, require_verified)


def confirming(ctx: SimContext, endpoint: Endpoint) -> Confirming | None:
    """The component that says whether a command had an effect, where its endpoint names one."""
    keys = (hints.get("state_key") for hints in endpoint.backend.values())
    handles = (ctx.blackboard.get(key) for key in keys if key)
    return next((each for each in handles if hasattr(each, "read_state")), None)
