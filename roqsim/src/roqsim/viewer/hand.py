"""What a person does in a window or on a page, as commands of the engine."""

from __future__ import annotations

import numpy as np

from roqsim.context import SimContext
from roqsim.forces.applied_force import AppliedForce
from roqsim.mj.names import name_of


class Hand:
    """The person at one simulation; what is asked for here is done on the physics thread, between two ticks.

    Args:
        ctx: A simulation with model and data.
        owner: Whose share of the forces on bodies it is.
    """

    def __init__(self, ctx: SimContext, owner: str = "window") -> None:
        self._ctx = ctx
        self._owner = owner
        self._episode = ctx.episode
        self._is_known = False

    def set_controls(self, values: list[tuple[int, float]]) -> None:
        """Sets controls by their place in ``data.ctrl``; refused while controllers own them."""

        def command(ctx: SimContext) -> None:
            for index, value in values:
                ctx.data.ctrl[index] = value

        if self._ctx.manual_control:
            self._ctx.post(command)

    def push(self, body: int, wrench: list[float]) -> None:
        """Puts a force on a body, beside what others put there; it stays until the next one or ``release``."""
        self._tell(body)

        def command(ctx: SimContext) -> None:
            self._forget_after_reset(ctx)
            AppliedForce.of(ctx).set(self._owner, body, np.array(wrench))

        self._ctx.post(command)

    def release(self, body: int) -> None:
        """Takes the force away."""

        def command(ctx: SimContext) -> None:
            self._forget_after_reset(ctx)
            AppliedForce.of(ctx).remove(self._owner, body)

        self._ctx.post(command)

    def _forget_after_reset(self, ctx: SimContext) -> None:
        if ctx.episode != self._episode:
            self._episode = ctx.episode
            AppliedForce.of(ctx).forget(self._owner)

    def _tell(self, body: int) -> None:
        if not self._is_known:
            self._is_known = True
            name = name_of(self._ctx.model, "body", body) or f"number {body}"
            self._ctx.log.warning(
                "%s: somebody pulled at body %r; its seed alone does not repeat this run", self._owner, name
            )
