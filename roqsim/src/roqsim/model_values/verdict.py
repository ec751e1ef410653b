"""Whether a change of the model had an effect, read from what the solver used rather than predicted.

A probe is armed just before the values are written and looked at after each step until it can tell.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Protocol

import mujoco
import numpy as np

from roqsim.context import SimContext
from roqsim.mj.contacts import between
from roqsim.mj.names import name_of
from roqsim.model_values.overlay import Change
from roqsim.presence import Presence

Verdict = Literal["landed", "no_effect", "untested"]

LEAST_FRICTION = 1e-5
"""MuJoCo raises the friction of every contact to this (mjMINMU)."""

KINDS_OF_FRICTION = {1: (), 3: (0,), 4: (0, 1), 6: (0, 1, 2)}
"""Which kinds of friction (sliding, torsional, rolling) a contact of a dimension has."""

SLIDING_COLUMNS = (0, 2, 3)
"""Where sliding, torsional and rolling friction stand in a contact's five numbers."""

MOVING = 1e-6
"""The speed in rad/s or m/s below which a joint shows no damping."""

EXACT = 1e-9
"""The relative difference up to which a force counts as the expected one."""


class Probe(Protocol):
    """Looks for the effect of one change.

    Attributes:
        reason: What was seen instead of an effect.
    """

    reason: str

    def look(self, ctx: SimContext) -> Verdict: ...


def probe(ctx: SimContext, change: Change) -> Probe:
    """The probe of a change that is about to be written."""
    return PROBES[change.field.field](ctx, change)


def combined(verdicts: Iterable[Verdict]) -> Verdict:
    """One verdict for several changes: a change without effect tells on all, else one that landed speaks for all."""
    found = set(verdicts)
    return "no_effect" if "no_effect" in found else "landed" if "landed" in found else "untested"


class FrictionProbe:
    """Compares the friction of contacts with what the selected geoms ask for."""

    def __init__(self, ctx: SimContext, change: Change) -> None:
        self.reason = ""
        self._geoms = frozenset(change.ids.tolist())
        self._own = {geom: ctx.model.geom_friction[geom].copy() for geom in self._geoms}
        self._before = {self._pair(ctx, index): self._applied(ctx, index) for index in self._contacts(ctx)}

    def _contacts(self, ctx: SimContext) -> list[int]:
        """The contacts of the selected geoms that the solver used."""
        used = ctx.data.contact.efc_address
        return [index for index in between(ctx.data, self._geoms, range(ctx.model.ngeom)) if used[index] >= 0]

    def look(self, ctx: SimContext) -> Verdict:
        """Landed where a contact has the selected geom's own new friction, or another one than it had."""
        contacts = self._contacts(ctx)
        if any(self._has_landed(ctx, index) for index in contacts):
            return "landed"
        if not contacts:
            return "untested"
        self.reason = self._seen(ctx, contacts[0])
        return "no_effect"

    def _seen(self, ctx: SimContext, index: int) -> str:
        first, second = (name_of(ctx.model, "geom", geom) for geom in self._pair(ctx, index))
        if int(ctx.data.contact.dim[index]) == 1:
            return f"the contact of {first!r} with {second!r} has no friction (condim 1)"
        return (
            f"the contact of {first!r} with {second!r} has a friction of {self._applied(ctx, index)[0]:g}: it takes "
            "the larger of the two, or that of the geom with the higher priority"
        )

    def _has_landed(self, ctx: SimContext, index: int) -> bool:
        pair, applied = self._pair(ctx, index), self._applied(ctx, index)
        kinds = KINDS_OF_FRICTION[int(ctx.data.contact.dim[index])]
        before = self._before.get(pair)
        for geom in self._geoms.intersection(pair):
            own = np.maximum(ctx.model.geom_friction[geom], LEAST_FRICTION)
            for kind in kinds:
                if own[kind] != np.maximum(self._own[geom][kind], LEAST_FRICTION) and (
                    applied[kind] == own[kind] or (before is not None and applied[kind] != before[kind])
                ):
                    return True
        return False

    @staticmethod
    def _pair(ctx: SimContext, index: int) -> tuple[int, int]:
        return tuple(ctx.data.contact.geom[index].tolist())

    @staticmethod
    def _applied(ctx: SimContext, index: int) -> np.ndarray:
        return ctx.data.contact.friction[index, SLIDING_COLUMNS].copy()


class MaskProbe:
    """Compares which geoms touch with which ones may touch under the old and the new masks."""

    def __init__(self, ctx: SimContext, change: Change) -> None:
        self.reason = ""
        self._geoms = change.ids
        self._before = self._allowed(ctx)
        self._touched = _pairs(ctx, frozenset(change.ids.tolist()))

    def _allowed(self, ctx: SimContext) -> np.ndarray:
        """``(n, ngeom)`` whether each selected geom may touch each geom."""
        presence = ctx.blackboard.require("presence", Presence)
        kind, affinity = presence.values("geom_contype"), presence.values("geom_conaffinity")
        asks = kind[self._geoms, None] & affinity[None, :]
        return (asks | (affinity[self._geoms, None] & kind[None, :])) != 0

    def look(self, ctx: SimContext) -> Verdict:
        """Landed where a pair stopped or began touching because it may not, or may, any more."""
        allowed = self._allowed(ctx)
        changed = allowed != self._before
        if not changed.any():
            self.reason = "the new masks let every pair of geoms touch that could touch before, and no other"
            return "no_effect"
        touching = _pairs(ctx, frozenset(self._geoms.tolist()))
        row = {geom: index for index, geom in enumerate(self._geoms.tolist())}
        verdicts = set()
        for pair in self._touched | touching:
            for geom, other in (pair, pair[::-1]):
                if geom in row and changed[row[geom], other]:
                    verdicts.add("landed" if (pair in touching) == allowed[row[geom], other] else "no_effect")
        return combined(verdicts)


class ForceRangeProbe:
    """Sees whether an actuator's force stands at a limit that it did not have."""

    def __init__(self, ctx: SimContext, change: Change) -> None:
        self.reason = ""
        self._rows = change.rows
        self._before = ctx.model.actuator_forcerange[change.rows].copy()

    def look(self, ctx: SimContext) -> Verdict:
        """Landed where a force is at the new limit, or beyond the old one."""
        force, limits = ctx.data.actuator_force[self._rows], ctx.model.actuator_forcerange[self._rows]
        beyond = (force < self._before[:, 0]) | (force > self._before[:, 1])
        at_limit = (limits != self._before) & (force[:, None] == limits)
        return "landed" if beyond.any() or at_limit.any() else "untested"


class MassProbe:
    """Sees whether the mass matrix was made from the new masses."""

    def __init__(self, ctx: SimContext, change: Change) -> None:
        self.reason = ""
        self._bodies = change.rows
        self._before = ctx.model.body_mass[change.rows].copy()

    def look(self, ctx: SimContext) -> Verdict:
        """Landed where every body's share of the composite inertias, and of the mass matrix, is its new mass."""
        model, presence = ctx.model, ctx.blackboard.require("presence", Presence)
        if np.array_equal(self._before, model.body_mass[self._bodies]):
            self.reason = "the masses are what they were"
            return "no_effect"
        there = [int(body) for body in self._bodies if not presence.is_absent(int(body))]
        if not there:
            return "untested"
        return "landed" if all(self._is_used(ctx, body) for body in there) else "no_effect"

    def _is_used(self, ctx: SimContext, body: int) -> bool:
        model, data = ctx.model, ctx.data
        mass = float(model.body_mass[body])
        below = data.crb[model.body_parentid == body, 9].sum()
        if not np.isclose(data.crb[body, 9] - below, mass, rtol=EXACT):
            self.reason = f"body {name_of(model, 'body', body)!r} moves with a mass of {data.crb[body, 9] - below:g} kg"
            return False
        return not model.body_simple[body] or self._moves_with(ctx, body)

    def _moves_with(self, ctx: SimContext, body: int) -> bool:
        """Whether the mass matrix has the mass of a body on sliding or free joints, which is not made from crb."""
        model, data = ctx.model, ctx.data
        dof = int(model.body_dofadr[body])
        joint = int(model.dof_jntid[dof])
        if int(model.jnt_type[joint]) == int(mujoco.mjtJoint.mjJNT_HINGE):
            return True
        unit, column = np.zeros(model.nv), np.zeros(model.nv)
        unit[dof] = 1.0
        mujoco.mj_mulM(model, data, column, unit)
        expected = model.body_mass[body] + model.dof_armature[dof]
        if np.isclose(column[dof], expected, rtol=EXACT):
            return True
        self.reason = f"body {name_of(model, 'body', body)!r} moves with an inertia of {column[dof]:g} kg"
        return False


class DampingProbe:
    """Compares damping forces with velocities."""

    def __init__(self, ctx: SimContext, change: Change) -> None:
        self.reason = ""
        self._rows = change.rows
        self._speed = ctx.data.qvel[change.rows].copy()

    def look(self, ctx: SimContext) -> Verdict:
        """Landed where a moving joint is damped as the new value says."""
        model, data, speed = ctx.model, ctx.data, self._speed
        self._speed = data.qvel[self._rows].copy()
        moving = np.abs(speed) > MOVING
        if not moving.any():
            return "untested"
        if model.dof_dampingpoly[self._rows].any():
            return "untested"
        expected = -model.dof_damping[self._rows] * speed
        close = np.isclose(data.qfrc_damper[self._rows], expected, rtol=EXACT, atol=0.0)
        if close[moving].all():
            return "landed"
        self.reason = "the joints are not damped by the new value"
        return "no_effect"


class FrictionLossProbe:
    """Looks for the friction constraints of joints."""

    def __init__(self, ctx: SimContext, change: Change) -> None:
        self.reason = ""
        self._rows = change.rows

    def look(self, ctx: SimContext) -> Verdict:
        """Landed where each degree of freedom has a constraint of the new strength, or none for zero."""
        data = ctx.data
        is_friction = data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF)
        used = dict(zip(data.efc_id[is_friction].tolist(), data.efc_frictionloss[is_friction].tolist(), strict=True))
        wanted = {int(row): float(ctx.model.dof_frictionloss[row]) for row in self._rows}
        if all(used.get(row, 0.0) == value for row, value in wanted.items()):
            return "landed"
        self.reason = "the solver has no friction constraint of the new strength"
        return "no_effect"


def _pairs(ctx: SimContext, geoms: frozenset[int]) -> set[tuple[int, int]]:
    """The pairs of geoms that touch and of which one is selected."""
    contacts = between(ctx.data, geoms, range(ctx.model.ngeom))
    return {tuple(ctx.data.contact.geom[index].tolist()) for index in contacts}


PROBES = {
    "geom_friction": FrictionProbe,
    "geom_contype": MaskProbe,
    "geom_conaffinity": MaskProbe,
    "actuator_forcerange": ForceRangeProbe,
    "body_mass": MassProbe,
    "dof_damping": DampingProbe,
    "dof_frictionloss": FrictionLossProbe,
}
"""How the effect of each field is seen."""
