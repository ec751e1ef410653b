"""Faults of the physical world and of sensors."""

from __future__ import annotations

from py_trees.common import Status
from roqsim.context import SimContext
from roqsim.errors import NotFoundError, suggest

from roqsim_scenario.actions.action import CommandAction
from roqsim_scenario.verdict import judge


class _Switch(CommandAction):
    """Switches what a component left under ``<kind>:<address>`` on the blackboard."""

    kind = ""
    what = ""

    def execute(self, instance: str, active: bool, require_landed: bool) -> None:
        """Posts the command."""
        self._handle = find_handle(self.ctx, self.kind, instance, self.what)
        self._require_landed = require_landed
        self.post(lambda ctx: self._handle.set_active(active))

    def check(self, result: object) -> Status:
        """Waits for the verdict, where one is wanted and the component gives any."""
        if not self._require_landed or not hasattr(self._handle, "read_state"):
            return Status.SUCCESS
        status, self.feedback_message = judge(self._handle)
        return status


class SetModelOverride(_Switch):
    """Switches a ``model_override``."""

    kind = "model_override"
    what = "a model_override"


class SetSensorOverride(_Switch):
    """Switches the ``fault:`` of a sensor."""

    kind = "sensor_fault"
    what = "a sensor with a 'fault:'"


def find_handle(ctx: SimContext, kind: str, instance: str, what: str) -> object:
    """What lies on the blackboard under a kind and an address, or under the end of one that no other has.

    Raises:
        NotFoundError: If there is none, or more than one.
    """
    handle = ctx.blackboard.get(f"{kind}:{instance}")
    if handle is not None:
        return handle
    known = ctx.blackboard.keys()
    addresses = [key.removeprefix(f"{kind}:") for key in known if key.startswith(f"{kind}:")]
    nested = [address for address in addresses if address.endswith(f".{instance}")]
    if len(nested) == 1:
        return ctx.blackboard.get(f"{kind}:{nested[0]}")
    if nested:
        choices = " or ".join(map(repr, nested))
        raise NotFoundError(
            f"instance: expected one component, got {instance!r}, which several are called; write {choices}"
        )
    raise NotFoundError(f"instance: expected {what}, got {instance!r}; {suggest(instance, addresses)}")
