"""From the names that an override selects to rows of the model, refusing what is certain to do nothing."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

import mujoco
import numpy as np

from roqsim.context import Entity, SimContext
from roqsim.errors import ConfigError, NotFoundError, suggest
from roqsim.mj.contacts import subtree
from roqsim.mj.names import KINDS, count, name_of, names
from roqsim.mj.state import qvel_slice
from roqsim.model_values.catalogue import FIELDS, NAMESPACES, Field
from roqsim.model_values.overlay import Change
from roqsim.presence import Presence

WILDCARDS = "*?["
"""What makes a name a pattern."""


def select(
    ctx: SimContext,
    field: Field,
    patterns: Sequence[str],
    values: tuple[float, ...],
    *,
    where: str,
    prefix: str = "",
    scales_inertia: bool = True,
) -> Change:
    """Resolves one override.

    Args:
        ctx: A simulation with model and data.
        field: What is changed.
        patterns: Names or shell patterns of the field's namespace, without the prefix.
        values: What is written into the leading columns of each row.
        where: Whose configuration asks; errors begin with it.
        prefix: What the names of the owning entity begin with.
        scales_inertia: For masses: whether inertias follow in proportion.

    Raises:
        NotFoundError: If a name or pattern matches nothing.
        ConfigError: If the override is certain to have no effect.
    """
    found: dict[int, None] = {}
    for pattern in patterns:
        found.update(dict.fromkeys(_matches(ctx.model, field.namespace, pattern, where, prefix)))
    ids = np.array(sorted(found), dtype=int)
    if not ids.size:
        raise ConfigError(f"{where}: expected at least one name, got none; name what to override")
    if field.namespace == "geom":
        ids = _touching_geoms(ctx, field, ids, where)
    elif field.namespace == "actuator":
        _check_limited(ctx.model, ids, where)
    elif field.namespace == "body":
        _check_movable(ctx.model, ids, where)
    rows = _degrees_of_freedom(ctx.model, ids) if field.namespace == "joint" else ids
    return Change(field, ids, rows, values, scales_inertia)


def _matches(model: mujoco.MjModel, kind: str, pattern: str, where: str, prefix: str) -> list[int]:
    full = prefix + pattern
    is_pattern = any(letter in pattern for letter in WILDCARDS)
    known = [(index, name_of(model, kind, index)) for index in range(count(model, kind))]
    found = [i for i, name in known if name and (name == full or (is_pattern and fnmatchcase(name, full)))]
    if found:
        return found
    offered = [name.removeprefix(prefix) for _, name in known if name and name.startswith(prefix)]
    what = f"the name of {'an' if kind == 'actuator' else 'a'} {kind}"
    what = f"a pattern that matches {what}" if is_pattern else what
    raise NotFoundError(f"{where}: expected {what}, got {pattern!r}; {suggest(pattern, offered)}")


def _touching_geoms(ctx: SimContext, field: Field, ids: np.ndarray, where: str) -> np.ndarray:
    """The selected geoms that can touch anything.

    Raises:
        ConfigError: If none can, one is part of an explicit pair, or one belongs to an entity that starts absent.
    """
    model, presence = ctx.model, ctx.blackboard.require("presence", Presence)
    masks = presence.values("geom_contype") | presence.values("geom_conaffinity")
    in_pairs = {int(geom): row for row in range(model.npair) for geom in (model.pair_geom1[row], model.pair_geom2[row])}
    for geom in ids.tolist():
        name = name_of(model, "geom", geom)
        if geom in in_pairs:
            pair = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_PAIR, in_pairs[geom]) or f"number {in_pairs[geom]}"
            raise ConfigError(
                f"{where}: expected a geom outside explicit pairs, got {name!r} of pair {pair!r}, which has its own "
                f"friction and ignores masks; {field.field} would do nothing there"
            )
        entity = _absent_owner(ctx, int(model.geom_bodyid[geom]))
        if entity is not None:
            raise ConfigError(
                f"{where}: expected a geom of an entity that is there, got {name!r} of {entity.name!r}, which starts "
                "absent and touches nothing; take it out of the selection"
            )
    touching = ids[masks[ids] != 0]
    if not touching.size:
        shown = ", ".join(repr(name_of(model, "geom", geom)) for geom in ids[:3])
        raise ConfigError(
            f"{where}: expected a geom that can touch something, got only geoms that are drawn ({shown}); select the "
            "collision geoms of the same body"
        )
    return touching


def _absent_owner(ctx: SimContext, body: int) -> Entity | None:
    """The entity that a body belongs to and that starts absent, or None."""
    for entity in ctx.entities:
        if entity.body and not entity.starts_present and body in subtree(ctx.model, entity.body):
            return entity
    return None


def _check_limited(model: mujoco.MjModel, ids: np.ndarray, where: str) -> None:
    for actuator in ids.tolist():
        if not model.actuator_forcelimited[actuator]:
            name = name_of(model, "actuator", actuator)
            raise ConfigError(
                f"{where}: expected an actuator with a limited force, got {name!r} without a limit, where a range is "
                "ignored; give it a forcerange in the model or an effort_limit under `actuators:`"
            )


def _check_movable(model: mujoco.MjModel, ids: np.ndarray, where: str) -> None:
    for body in ids.tolist():
        name = name_of(model, "body", body)
        if not model.body_dofnum[model.body_weldid[body]]:
            raise ConfigError(
                f"{where}: expected a body that forces move, got {name!r}, which is fixed or driven and whose mass "
                "changes nothing; select one with a joint"
            )
        if not model.body_mass[body] > 0.0:
            raise ConfigError(
                f"{where}: expected a body with a mass of its own, got {name!r} without one; select the body that "
                "carries the mass"
            )


def _degrees_of_freedom(model: mujoco.MjModel, joints: np.ndarray) -> np.ndarray:
    slices = [qvel_slice(model, int(joint)) for joint in joints]
    return np.concatenate([np.arange(each.start, each.stop) for each in slices])


def check_partners(changes: Sequence[Change], where: str) -> None:
    """Refuses a geom_contype without a geom_conaffinity for the same geoms.

    Raises:
        ConfigError: Naming the override that lacks its partner; its number counts from zero.
    """
    answered = [change.ids for change in changes if change.field.field == "geom_conaffinity"]
    partners = np.concatenate(answered) if answered else np.zeros(0, dtype=int)
    for index, change in enumerate(changes):
        if change.field.field == "geom_contype" and not np.isin(change.ids, partners).all():
            raise ConfigError(
                f"{where}.overrides[{index}]: expected a geom_conaffinity for the same geoms, got geom_contype alone, "
                "which leaves every contact as it is; add an override of geom_conaffinity"
            )


def targets(ctx: SimContext, pattern: str) -> dict[str, list[dict[str, object]]]:
    """What overrides can select, by namespace, with the values that hold now.

    Args:
        ctx: A simulation with model and data.
        pattern: A shell pattern of compiled names.

    Returns:
        For each object its ``name``, for a geom also ``body`` and ``geom_priority``, and the value of every field of
        the namespace. Unnamed objects can't be selected and are left out, as are those of absent entities.
    """
    return {kind: _targets_of(ctx, kind, pattern) for kind in NAMESPACES}


def _targets_of(ctx: SimContext, kind: str, pattern: str) -> list[dict[str, object]]:
    model, presence = ctx.model, ctx.blackboard.require("presence", Presence)
    fields = [field.field for field in FIELDS.values() if field.namespace == kind]
    found = []
    for name in names(model, kind):
        index = mujoco.mj_name2id(model, KINDS[kind][0], name)
        if not fnmatchcase(name, pattern) or (kind == "body" and index == 0):
            continue
        if kind == "joint":
            body, row = int(model.jnt_bodyid[index]), int(model.jnt_dofadr[index])
        else:
            body = {"geom": lambda i: int(model.geom_bodyid[i]), "body": int}.get(kind, lambda _: 0)(index)
            row = index
        if presence.is_absent(body):
            continue
        entry: dict[str, object] = {"name": name}
        if kind == "geom":
            entry |= {"body": name_of(model, "body", body), "geom_priority": int(model.geom_priority[index])}
        found.append(entry | {field: getattr(model, field)[row].tolist() for field in fields})
    return found
