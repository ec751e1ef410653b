"""Changes laid over the model's own values, in force or not, and undone to the bit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from roqsim.context import SimContext
from roqsim.model_values.catalogue import Field
from roqsim.model_values.constants import Constants
from roqsim.presence import Presence

KEY = "model_values"
"""The blackboard's key for the overlay of a simulation."""

MASKS = {"geom_contype": "body_contype", "geom_conaffinity": "body_conaffinity"}
"""The masks of geoms, and those of bodies with which MuJoCo sorts pairs out before it looks at geoms."""


@dataclass(frozen=True)
class Change:
    """Other values for some rows of one field.

    Attributes:
        field: The field.
        ids: ``(n,)`` ids of the selected geoms, actuators, bodies or joints.
        rows: ``(m,)`` rows of the array; a joint has as many as it has degrees of freedom.
        values: What is written: the leading columns of each row, the others keep their own value.
        scales_inertia: For masses: whether the body's inertia follows in proportion.
    """

    field: Field
    ids: np.ndarray
    rows: np.ndarray
    values: tuple[float, ...]
    scales_inertia: bool = True


class Overlay:
    """The changes of one simulation; where two touch the same value, the one that came into force last holds.

    Args:
        ctx: A simulation with model and data; the values it has now are the ones that come back.
    """

    def __init__(self, ctx: SimContext) -> None:
        self._ctx = ctx
        self._presence = ctx.blackboard.require("presence", Presence)
        self._nominal: dict[str, np.ndarray] = {}
        self._touched: dict[str, np.ndarray] = {}
        self._sets: dict[str, tuple[Change, ...]] = {}
        self._in_force: list[str] = []
        ctx.blackboard.set(KEY, self)

    @classmethod
    def of(cls, ctx: SimContext) -> Overlay:
        """The overlay of a simulation, made when it is first asked for."""
        found = ctx.blackboard.get(KEY)
        return found if isinstance(found, Overlay) else cls(ctx)

    @cached_property
    def _constants(self) -> Constants:
        return Constants(self._ctx)

    def add(self, name: str, changes: tuple[Change, ...]) -> None:
        """Declares a set of changes, not in force yet, and keeps the values that it will replace."""
        self._sets[name] = changes
        for change in changes:
            for field in self._arrays(change):
                self._nominal.setdefault(field, self._presence.values(field))
                touched = self._touched.get(field, np.zeros(0, dtype=int))
                rows = change.rows if field not in MASKS.values() else self._bodies(change)
                self._touched[field] = np.union1d(touched, rows)
            if change.field.write == "needs_setconst":
                _ = self._constants

    def is_in_force(self, name: str) -> bool:
        """Whether a set of changes is in force."""
        return name in self._in_force

    def set(self, name: str, in_force: bool) -> None:
        """Brings a set of changes into force, or undoes it."""
        if in_force == self.is_in_force(name):
            return
        if in_force:
            self._in_force.append(name)
        else:
            self._in_force.remove(name)
        self._compose(self._sets[name])

    def _compose(self, changed: tuple[Change, ...]) -> None:
        fields = {field for change in changed for field in self._arrays(change)}
        for field in sorted(fields):
            rows = self._touched[field]
            values = self._nominal[field].copy()
            for name in self._in_force:
                for change in self._sets[name]:
                    self._lay(field, change, values)
            self._presence.write(field, rows, values[rows])
        if "body_mass" in fields:
            self._follow_masses()

    def _follow_masses(self) -> None:
        active = [change for name in self._in_force for change in self._sets[name]]
        if any(change.field.field == "body_mass" for change in active):
            self._constants.follow()
        else:
            self._constants.restore()

    def _lay(self, field: str, change: Change, values: np.ndarray) -> None:
        """Writes one change into a copy of an array, where it has anything to do with it."""
        own, rows = change.field.field, change.rows
        if field == own and values.ndim == 1:
            values[rows] = change.values[0]
        elif field == own:
            values[rows, : len(change.values)] = change.values
        elif field == MASKS.get(own):
            # A body's mask may have more bits than its geoms need, never fewer.
            values[self._bodies(change)] |= int(change.values[0])
        elif field == "body_inertia" and own == "body_mass":
            factor = change.values[0] / self._nominal["body_mass"][rows] if change.scales_inertia else 1.0
            values[rows] = self._nominal["body_inertia"][rows] * np.reshape(factor, (-1, 1))

    def _bodies(self, change: Change) -> np.ndarray:
        return np.unique(self._ctx.model.geom_bodyid[change.ids])

    @staticmethod
    def _arrays(change: Change) -> tuple[str, ...]:
        """The arrays that a change writes."""
        own = change.field.field
        if own == "body_mass":
            return (own, "body_inertia")
        return (own, MASKS[own]) if own in MASKS else (own,)
