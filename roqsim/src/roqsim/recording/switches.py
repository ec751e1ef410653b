"""What can be switched in a running world and is no part of its state: model overrides, faults of sensors.

A plugin offers such a switch on the blackboard under ``<kind>:<name>``, with ``is_active()`` and ``set_active(bool)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from roqsim.context import SimContext


class Handle(Protocol):
    """What a plugin offers."""

    def is_active(self) -> bool: ...

    def set_active(self, active: bool) -> None: ...


@dataclass(frozen=True)
class Switch:
    """One switch of a world.

    Attributes:
        kind: What it switches, such as ``model_override``.
        name: The address of its component.
        handle: How it is switched.
    """

    kind: str
    name: str
    handle: Handle

    def is_active(self) -> bool:
        """Whether it is on."""
        return bool(self.handle.is_active())


def switches_of(ctx: SimContext) -> list[Switch]:
    """Every switch of a world."""
    found = []
    keys = ctx.blackboard.keys()
    for key in keys:
        kind, colon, name = key.partition(":")
        handle = ctx.blackboard.get(key)
        if colon and callable(getattr(handle, "is_active", None)) and callable(getattr(handle, "set_active", None)):
            found.append(Switch(kind, name, handle))
    return found
