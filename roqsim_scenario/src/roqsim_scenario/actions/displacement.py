"""Waiting until entities are elsewhere, or turned."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from py_trees.common import Status
from roqsim.errors import RoqsimError
from roqsim.lookup import resolve_body_id

from roqsim_scenario.actions.action import SimAction
from roqsim_scenario.dwell import Dwell, checked
from roqsim_scenario.geometry import name_of_enumerator, separation, turned

QUANTIFIERS: dict[str, Callable[[Sequence[bool]], bool]] = {"all": all, "any": any}


class _Changed(SimAction):
    """Waits until enough of some bodies differ from how they were when the action began."""

    unit = ""

    def begin(self, entities: Sequence[str], limit: float, dwell: float, require: object) -> None:
        """Remembers where the bodies are.

        Raises:
            RoqsimError: If a name leads to no body that can move.
        """
        if not entities:
            raise RoqsimError("entities: expected at least one name, got none")
        ctx = self.ctx
        self._names, self._limit = list(entities), limit
        self._dwell, self._enough = Dwell(dwell), QUANTIFIERS[name_of_enumerator(require)]
        self._bodies = [resolve_body_id(ctx, name, what="entities") for name in entities]
        self._began = self._poses()

    def look(self) -> Status:
        """Measures all of them."""
        measured = [self.measure(now, then) for now, then in zip(self._poses(), self._began, strict=True)]
        shown = ", ".join(f"{name} {value:.3g}" for name, value in zip(self._names, measured, strict=True))
        self.feedback_message = f"{shown} of {self._limit:g} {self.unit}"
        is_enough = self._enough([value >= self._limit for value in measured])
        return Status.SUCCESS if self._dwell.is_over(is_enough, self.ctx.sim_time) else Status.RUNNING

    def _poses(self) -> list[tuple[np.ndarray, np.ndarray]]:
        ctx = self.ctx
        ctx.refresh()
        return [(ctx.data.xpos[body].copy(), ctx.data.xquat[body].copy()) for body in self._bodies]

    def measure(self, now: tuple[np.ndarray, np.ndarray], then: tuple[np.ndarray, np.ndarray]) -> float:
        """How far two poses, each position and orientation, are apart."""
        raise NotImplementedError


class EntityMoved(_Changed):
    """Waits for a displacement."""

    unit = "m"

    def execute(self, entities: list[str], threshold: float, mode: object, dwell: float, require: object) -> None:
        """Begins to wait."""
        self._mode = name_of_enumerator(mode)
        self.begin(entities, checked("threshold", threshold), dwell, require)

    def measure(self, now: tuple[np.ndarray, np.ndarray], then: tuple[np.ndarray, np.ndarray]) -> float:
        """The displacement in metres."""
        return separation(now[0], then[0], self._mode)


class EntityRotated(_Changed):
    """Waits for a turn."""

    unit = "rad"

    def execute(self, entities: list[str], angle: float, dwell: float, require: object) -> None:
        """Begins to wait.

        Raises:
            RoqsimError: If the angle is one that nothing can be turned by.
        """
        if checked("angle", angle) > np.pi:
            raise RoqsimError(f"angle: expected at most pi, got {angle!r}; a turn is the shortest one")
        self.begin(entities, angle, dwell, require)

    def measure(self, now: tuple[np.ndarray, np.ndarray], then: tuple[np.ndarray, np.ndarray]) -> float:
        """The turn in radians."""
        return turned(then[1], now[1])
