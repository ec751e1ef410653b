"""Forces on bodies from several sources: each owns its share of ``xfrc_applied``, and none touches another's.

MuJoCo keeps what is written there until somebody writes something else. The shares that are known here are added up on
top of what others wrote, and taken away again to the bit.
"""

from __future__ import annotations

import numpy as np

from roqsim.context import SimContext

KEY = "applied_force"
"""The blackboard's key for the shares of a simulation."""


class _Row:
    """The force on one body.

    Attributes:
        shares: By owner: ``(6,)`` force in N and torque in Nm in the world, at the body's centre of mass.
        others: ``(6,)`` what was there without the shares.
        written: ``(6,)`` what was written last, or None before the first time.
    """

    def __init__(self, row: np.ndarray) -> None:
        self._row = row
        self.shares: dict[str, np.ndarray] = {}
        self.others = row.copy()
        self.written: np.ndarray | None = None

    def write(self) -> None:
        # Whoever writes the array itself replaces its content, so what is found there is all theirs.
        if self.written is None or not np.array_equal(self._row, self.written):
            self.others[:] = self._row
        self._row[:] = self.others
        for share in self.shares.values():
            self._row += share
        self.written = self._row.copy()


class AppliedForce:
    """The shares of one simulation; use ``of`` to get at it.

    Args:
        ctx: A simulation with model and data.
    """

    def __init__(self, ctx: SimContext) -> None:
        self._data = ctx.data
        self._rows: dict[int, _Row] = {}
        ctx.blackboard.set(KEY, self)

    @classmethod
    def of(cls, ctx: SimContext) -> AppliedForce:
        """The shares of a simulation, made when they are first asked for."""
        found = ctx.blackboard.get(KEY)
        return found if isinstance(found, AppliedForce) else cls(ctx)

    def set(self, owner: str, body: int, wrench: np.ndarray) -> None:
        """Replaces an owner's share of the force on a body; it holds until it is replaced or taken away.

        Args:
            owner: Who pushes: a component's address.
            body: The body's id.
            wrench: ``(6,)`` force in N and torque in Nm along the world's axes, at the body's centre of mass.
        """
        row = self._rows.get(body)
        if row is None:
            row = self._rows[body] = _Row(self._data.xfrc_applied[body])
        row.shares[owner] = np.array(wrench, dtype=float)
        row.write()

    def remove(self, owner: str, body: int) -> None:
        """Takes an owner's share away; with the last one, what others wrote is there again to the bit."""
        row = self._rows.get(body)
        if row is not None and row.shares.pop(owner, None) is not None:
            row.write()

    def forget(self, owner: str) -> None:
        """Drops an owner's shares without writing: a reset has cleared the array."""
        for row in self._rows.values():
            row.shares.pop(owner, None)
            row.written = None
