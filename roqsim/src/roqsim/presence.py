"""Entities that come and go: present or absent, without a recompile and without a change to anything else.

An absent entity makes no contacts, returns no rays, is not rendered and not listed, and is frozen; when it comes back it
stands where it stood. Its geoms move to a group that nothing looks at, their contact masks go to zero, gravity is taken off
its bodies, and its constraints are switched off. What is written is the model as it was compiled, so coming back is exact.
"""

from __future__ import annotations

import mujoco
import numpy as np

from roqsim.context import Entity, SimContext

ABSENT_GROUP = 5
"""The geom group of what is absent; MuJoCo has groups 0 to 5."""

UNREACHABLE = -1e10
"""A pair margin in metres at which an explicit contact pair never touches."""


class Presence:
    """The presence of every entity of one simulation.

    Args:
        ctx: A simulation with model and data; the values that its model has now are the ones that are restored.
    """

    def __init__(self, ctx: SimContext) -> None:
        model = ctx.model
        self._ctx = ctx
        self._group = model.geom_group.copy()
        self._contype = model.geom_contype.copy()
        self._conaffinity = model.geom_conaffinity.copy()
        self._gravcomp = model.body_gravcomp.copy()
        self._site_group = model.site_group.copy()
        self._margin = model.pair_margin.copy()
        self._absent_bodies = np.zeros(model.nbody, dtype=bool)
        self._frozen_q = np.zeros(0, dtype=int)
        self._frozen_v = np.zeros(0, dtype=int)
        self._frozen_at = np.zeros(0)
        self._eq_before: dict[int, int] = {}
        ctx.blackboard.set("presence", self)

    def set(self, entity: Entity, present: bool) -> None:
        """Makes an entity appear or disappear; asking for what is already so changes nothing."""
        if entity.present == present:
            return
        entity.present = present
        self._apply()

    def restore(self) -> None:
        """Gives every entity the presence that the world declares; for a reset, on freshly reset data."""
        for entity in self._ctx.entities:
            entity.present = entity.starts_present
        self._frozen_q = self._frozen_v = np.zeros(0, dtype=int)
        self._absent_bodies[:] = False
        self._eq_before.clear()
        self._apply()

    def is_absent(self, body: int) -> bool:
        """Whether a body belongs to an absent entity."""
        return bool(self._absent_bodies[body])

    def freeze(self, ctx: SimContext) -> None:
        """Puts the joints of absent entities back to where they froze; the engine calls it now and then."""
        if self._frozen_v.size:
            ctx.data.qpos[self._frozen_q] = self._frozen_at
            ctx.data.qvel[self._frozen_v] = 0.0

    def _apply(self) -> None:
        model = self._ctx.model
        absent = self._bodies_of_absent()
        geoms = absent[model.geom_bodyid]
        model.geom_group[:] = np.where(geoms, ABSENT_GROUP, self._group)
        model.geom_contype[:] = np.where(geoms, 0, self._contype)
        model.geom_conaffinity[:] = np.where(geoms, 0, self._conaffinity)
        model.site_group[:] = np.where(absent[model.site_bodyid], ABSENT_GROUP, self._site_group)
        model.body_gravcomp[:] = np.where(absent, 1.0, self._gravcomp)
        pairs = geoms[model.pair_geom1] | geoms[model.pair_geom2]
        model.pair_margin[:] = np.where(pairs, UNREACHABLE, self._margin)
        self._thaw_and_freeze(absent)
        self._switch_constraints(absent)
        self._absent_bodies = absent
        self._ctx.state_changed()

    def _bodies_of_absent(self) -> np.ndarray:
        """``(nbody,)`` whether a body hangs below an absent entity's root, or is that root."""
        model = self._ctx.model
        absent = np.zeros(model.nbody, dtype=bool)
        roots = [entity.body for entity in self._ctx.entities if not entity.present and entity.body]
        absent[roots] = True
        for body in range(1, model.nbody):
            absent[body] |= absent[model.body_parentid[body]]
        return absent

    def _thaw_and_freeze(self, absent: np.ndarray) -> None:
        """Stops what disappears where it is, and sets what comes back to where it stopped."""
        model, data = self._ctx.model, self._ctx.data
        self.freeze(self._ctx)
        dofs = np.flatnonzero(absent[model.dof_bodyid])
        joints = np.flatnonzero(absent[model.jnt_bodyid])
        self._frozen_q = np.concatenate([_qpos_rows(model, int(joint)) for joint in joints] or [np.zeros(0, dtype=int)])
        self._frozen_v = dofs
        self._frozen_at = data.qpos[self._frozen_q]
        data.qvel[dofs] = 0.0

    def _switch_constraints(self, absent: np.ndarray) -> None:
        model, data = self._ctx.model, self._ctx.data
        for index in range(model.neq):
            gone = any(absent[body] for body in _bodies_of_equality(model, index))
            if gone and index not in self._eq_before:
                self._eq_before[index] = int(data.eq_active[index])
                data.eq_active[index] = 0
            elif not gone and index in self._eq_before:
                data.eq_active[index] = self._eq_before.pop(index)


def set_present(ctx: SimContext, name: str, present: bool) -> None:
    """Makes an entity appear (True) or disappear (False); on the physics thread.

    Raises:
        NotFoundError: If there is no entity of that name.
    """
    entity = ctx.entities.require(name)
    ctx.blackboard.require("presence", Presence).set(entity, present)


def _qpos_rows(model: mujoco.MjModel, joint: int) -> np.ndarray:
    start = int(model.jnt_qposadr[joint])
    width = {int(mujoco.mjtJoint.mjJNT_FREE): 7, int(mujoco.mjtJoint.mjJNT_BALL): 4}.get(int(model.jnt_type[joint]), 1)
    return np.arange(start, start + width)


def _bodies_of_equality(model: mujoco.MjModel, index: int) -> list[int]:
    first, second = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    ids = [identifier for identifier in (first, second) if identifier >= 0]
    kind = int(model.eq_type[index])
    if kind == int(mujoco.mjtEq.mjEQ_JOINT):
        return [int(model.jnt_bodyid[identifier]) for identifier in ids]
    if int(model.eq_objtype[index]) == int(mujoco.mjtObj.mjOBJ_SITE):
        return [int(model.site_bodyid[identifier]) for identifier in ids]
    if kind in (int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD)):
        return ids
    return []
