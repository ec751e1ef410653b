"""Whether a command had an effect, as far as the component that carried it out can tell."""

from __future__ import annotations

from typing import Protocol

from py_trees.common import Status
from roqsim.errors import RoqsimError


class Confirmation(Protocol):
    """A component's state after a command: ``verified`` is ``landed``, ``no_effect`` or ``untested``."""

    verified: str


class Confirming(Protocol):
    """A component that says whether what it was told had an effect."""

    def read_state(self) -> Confirmation: ...


def judge(component: Confirming) -> tuple[Status, str]:
    """What a component's state means for the action that told it something.

    Returns:
        ``RUNNING`` until a step was made; and a text to show.

    Raises:
        RoqsimError: If the solver is seen not to use what was told.
    """
    state = component.read_state()
    if getattr(state, "pending", False):
        return Status.RUNNING, "waits for a step to see the effect"
    if state.verified == "no_effect":
        reason = getattr(state, "reason", "")
        raise RoqsimError(f"expected an effect, got none{f': {reason}' if reason else ''}")
    return Status.SUCCESS, state.verified
