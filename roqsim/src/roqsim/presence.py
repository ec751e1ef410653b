"""Entities that come and go: present or absent, without a recompile and without a change to anything else.

An absent entity makes no contacts, returns no rays, is not rendered and not listed, and is frozen; when it comes back
it stands where it stood. Its geoms move to a group that nothing looks at, their contact masks go to zero, its lights go
out, its constraints are switched off and its joints become immovable. What is written is put back exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import mujoco
import numpy as np

from roqsim.context import Entity, SimContext
from roqsim.mj.state import qpos_slice

ABSENT_GROUP = 5
"""The geom group of what is absent; MuJoCo has groups 0 to 5."""

UNREACHABLE = -1e10
"""A pair margin in metres at which an explicit contact pair never touches."""

IMMOVABLE = 1e30
"""An armature in kg m² (or kg) that no force moves: 1e6 N reach 1e-24 m/s², which only a zero does not swallow."""

WRITTEN = 1e-12
"""A frozen coordinate that moved by more than this was placed by somebody and keeps its new value."""


class _Field:
    """Rows of one array that take another value while what they belong to is absent."""

    def __init__(self, array: np.ndarray, bodies: Sequence[np.ndarray], value: float) -> None:
        self._array = array
        self._bodies = [np.asarray(each, dtype=int) for each in bodies]
        self._value = value
        self._before = array.copy()
        self._replaced = np.zeros(len(array), dtype=bool)

    def apply(self, absent: np.ndarray) -> None:
        """Replaces the rows of absent bodies, ``(nbody,)`` bool, and puts those of the others back."""
        gone = np.logical_or.reduce([absent[bodies] for bodies in self._bodies])
        going, coming = gone & ~self._replaced, self._replaced & ~gone
        self._before[going] = self._array[going]
        self._array[going] = self._value
        self._array[coming] = self._before[coming]
        self._replaced = gone

    def forget(self) -> None:
        """Takes the array as it is: it was written anew."""
        self._replaced[:] = False

    def values(self) -> np.ndarray:
        """A copy of the array in which nothing is replaced."""
        values = self._array.copy()
        values[self._replaced] = self._before[self._replaced]
        return values

    def write(self, rows: np.ndarray, values: np.ndarray) -> None:
        """Writes rows; those that are replaced take the value when they are put back."""
        hidden = self._replaced[rows]
        self._before[rows[hidden]] = values[hidden]
        self._array[rows[~hidden]] = values[~hidden]


class Presence:
    """The presence of every entity of one simulation.

    Args:
        ctx: A simulation with model and data.
    """

    def __init__(self, ctx: SimContext) -> None:
        model, data = ctx.model, ctx.data
        self._ctx = ctx
        pairs = [model.geom_bodyid[model.pair_geom1], model.geom_bodyid[model.pair_geom2]]
        self._fields = {
            name: _Field(getattr(model, name), bodies, value)
            for name, bodies, value in (
                ("geom_group", [model.geom_bodyid], ABSENT_GROUP),
                ("geom_contype", [model.geom_bodyid], 0),
                ("geom_conaffinity", [model.geom_bodyid], 0),
                ("site_group", [model.site_bodyid], ABSENT_GROUP),
                ("light_active", [model.light_bodyid], 0),
                ("pair_margin", pairs, UNREACHABLE),
                ("dof_armature", [model.dof_bodyid], IMMOVABLE),
                # The inertia of a body with diagonal inertia is read from here instead (mj_crb).
                ("dof_M0", [model.dof_bodyid], IMMOVABLE),
            )
        }
        self._constraints = _Field(data.eq_active, _bodies_of_equalities(model), 0)
        self._activations = _bodies_of_activations(model)
        self._absent = np.zeros(model.nbody, dtype=bool)
        self._release()
        if len(ctx.entities):
            _solve_apart(model)
        ctx.blackboard.set("presence", self)

    @property
    def frozen(self) -> bool:
        """Whether anything is held in place, so that ``freeze`` has something to do."""
        return bool(self._v.size or self._act.size)

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
        self._release()
        self._constraints.forget()
        self._apply()

    def recall(self, absent: Collection[str]) -> None:
        """Makes exactly the entities of these names absent, for a state that is put in place as a whole afterwards."""
        data = self._ctx.data
        for entity in self._ctx.entities:
            entity.present = entity.name not in absent
        self._release()
        self._constraints.forget()
        data.eq_active[:] = self._ctx.model.eq_active0
        self._apply()

    def hold(self) -> None:
        """Takes the places of what is absent as they are now."""
        self._q_held, self._act_held = self._ctx.data.qpos[self._q], self._ctx.data.act[self._act]

    @property
    def absent(self) -> np.ndarray:
        """``(nbody,)`` whether each body belongs to an absent entity; not to be written."""
        return self._absent

    def is_absent(self, body: int) -> bool:
        """Whether a body belongs to an absent entity."""
        return bool(self._absent[body])

    def values(self, field: str) -> np.ndarray:
        """A copy of an array of the model, by its name, as it is with every entity present."""
        replaced = self._fields.get(field)
        return getattr(self._ctx.model, field).copy() if replaced is None else replaced.values()

    def write(self, field: str, rows: np.ndarray, values: np.ndarray) -> None:
        """Writes rows of an array of the model; what absence replaces takes its value when its entity is back.

        Args:
            field: The array's name, such as ``geom_contype``.
            rows: ``(n,)`` ids.
            values: ``(n, ...)`` values.
        """
        replaced = self._fields.get(field)
        if replaced is None:
            getattr(self._ctx.model, field)[rows] = values
        else:
            replaced.write(rows, values)

    def freeze(self, ctx: SimContext) -> None:
        """Puts the joints and activations of absent entities back to where they froze.

        What somebody placed meanwhile stays where it was put.
        """
        if not self.frozen:
            return
        data = ctx.data
        q = data.qpos[self._q]
        np.copyto(self._q_held, q, where=np.abs(q - self._q_held) > WRITTEN)
        data.qpos[self._q] = self._q_held
        data.qvel[self._v] = 0.0
        data.act[self._act] = self._act_held

    def _apply(self) -> None:
        model, data = self._ctx.model, self._ctx.data
        self.freeze(self._ctx)
        absent = self._bodies_of_absent()
        for field in (*self._fields.values(), self._constraints):
            field.apply(absent)
        joints = np.flatnonzero(absent[model.jnt_bodyid])
        rows = [np.r_[qpos_slice(model, int(joint))] for joint in joints]
        self._q = np.concatenate(rows) if rows else np.zeros(0, dtype=int)
        self._v = np.flatnonzero(absent[model.dof_bodyid])
        self._act = np.array([row for bodies, row in self._activations if absent[bodies].any()], dtype=int)
        self._q_held, self._act_held = data.qpos[self._q], data.act[self._act]
        data.qvel[self._v] = 0.0
        self._absent = absent
        self._ctx.state_changed()

    def _release(self) -> None:
        self._q = self._v = self._act = np.zeros(0, dtype=int)
        self._q_held = self._act_held = np.zeros(0)

    def _bodies_of_absent(self) -> np.ndarray:
        """``(nbody,)`` whether a body hangs below an absent entity's root, or is that root."""
        model = self._ctx.model
        absent = np.zeros(model.nbody, dtype=bool)
        roots = [entity.body for entity in self._ctx.entities if not entity.present and entity.body]
        absent[roots] = True
        for body in range(1, model.nbody):
            absent[body] |= absent[model.body_parentid[body]]
        return absent


def set_present(ctx: SimContext, name: str, present: bool) -> None:
    """Makes an entity appear (True) or disappear (False); on the physics thread.

    Raises:
        NotFoundError: If there is no entity of that name.
    """
    entity = ctx.entities.require(name)
    ctx.blackboard.require("presence", Presence).set(entity, present)


def _solve_apart(model: mujoco.MjModel) -> None:
    """Keeps what does not touch from being solved together: one body's result must not tell whether another is there.

    MuJoCo solves each island of touching bodies by itself, but starts all of them warm or all of them cold, and PGS and
    the noslip pass sum over all constraints unless these are sparse.
    """
    options = model.opt
    options.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_WARMSTART)
    if options.noslip_iterations or int(options.solver) == int(mujoco.mjtSolver.mjSOL_PGS):
        options.jacobian = int(mujoco.mjtJacobian.mjJAC_SPARSE)


def _bodies_of_equalities(model: mujoco.MjModel) -> list[np.ndarray]:
    """Two ``(neq,)`` arrays: the bodies that each equality constrains, 0 (the world) where there is none."""
    first, second = (np.zeros(model.neq, dtype=int) for _ in range(2))
    for index in range(model.neq):
        for bodies, objects in ((first, model.eq_obj1id), (second, model.eq_obj2id)):
            if objects[index] >= 0:
                bodies[index] = _body_of_equality(model, index, int(objects[index]))
    return [first, second]


def _body_of_equality(model: mujoco.MjModel, index: int, target: int) -> int:
    kind = int(model.eq_type[index])
    if kind == int(mujoco.mjtEq.mjEQ_JOINT):
        return int(model.jnt_bodyid[target])
    if kind == int(mujoco.mjtEq.mjEQ_TENDON):
        return int(_bodies_of_tendon(model, target)[0])
    if kind not in (int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD)):
        return 0
    is_site = int(model.eq_objtype[index]) == int(mujoco.mjtObj.mjOBJ_SITE)
    return int(model.site_bodyid[target]) if is_site else target


def _bodies_of_tendon(model: mujoco.MjModel, tendon: int) -> np.ndarray:
    """The bodies that a tendon passes, in its order."""
    owners = {
        int(mujoco.mjtWrap.mjWRAP_JOINT): model.jnt_bodyid,
        int(mujoco.mjtWrap.mjWRAP_SITE): model.site_bodyid,
        int(mujoco.mjtWrap.mjWRAP_SPHERE): model.geom_bodyid,
        int(mujoco.mjtWrap.mjWRAP_CYLINDER): model.geom_bodyid,
    }
    start = int(model.tendon_adr[tendon])
    rows = range(start, start + int(model.tendon_num[tendon]))
    wraps = [(owners.get(int(model.wrap_type[row])), int(model.wrap_objid[row])) for row in rows]
    return np.array([bodies[target] for bodies, target in wraps if bodies is not None] or [0], dtype=int)


def _bodies_of_activations(model: mujoco.MjModel) -> list[tuple[np.ndarray, int]]:
    """For each activation variable: the bodies that its actuator acts on, and its row in ``data.act``."""
    found = []
    for actuator in range(model.nactuator):
        start, count = int(model.actuator_actadr[actuator]), int(model.actuator_actnum[actuator])
        if start >= 0:
            bodies = _bodies_of_actuator(model, actuator)
            found += [(bodies, row) for row in range(start, start + count)]
    return found


def _bodies_of_actuator(model: mujoco.MjModel, actuator: int) -> np.ndarray:
    kind = int(model.actuator_trntype[actuator])
    target, reference = model.actuator_trnid[actuator].tolist()
    transmissions = mujoco.mjtTrn
    if target < 0:
        return np.zeros(1, dtype=int)
    if kind == int(transmissions.mjTRN_TENDON):
        return _bodies_of_tendon(model, target)
    if kind == int(transmissions.mjTRN_BODY):
        return np.array([target])
    has_site = kind in (int(transmissions.mjTRN_SITE), int(transmissions.mjTRN_SLIDERCRANK))
    if has_site or (kind == int(transmissions.mjTRN_SO3) and reference >= 0):
        return model.site_bodyid[[target]]
    return model.jnt_bodyid[[target]]
