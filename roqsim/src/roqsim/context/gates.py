"""Named barriers on which a simulation in lockstep would wait."""

from __future__ import annotations

from dataclasses import dataclass

ROLES = ("producer", "consumer")


@dataclass
class Gate:
    """One barrier of a tick.

    Attributes:
        name: What it waits for.
        role: ``producer`` for a sensor that has to publish, ``consumer`` for a command that has to arrive.
        pending: True until it is satisfied.
    """

    name: str
    role: str
    pending: bool = True

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"gate {self.name!r}: expected a role of {' or '.join(ROLES)}, got {self.role!r}")

    def satisfy(self) -> None:
        """Marks the barrier as passed for this tick."""
        self.pending = False

    def reset(self) -> None:
        """Makes the barrier pending again."""
        self.pending = True
