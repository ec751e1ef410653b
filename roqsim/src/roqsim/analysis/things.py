"""From what people write to bodies and joints: entities by name, compiled names, patterns with ``*`` and ``?``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fnmatch import fnmatchcase

from roqsim.analysis.poses import Thing
from roqsim.context import SimContext
from roqsim.errors import NotFoundError, suggest
from roqsim.mj.contacts import subtree
from roqsim.mj.names import name_of
from roqsim.presence import Presence

WILD = ("*", "?")
"""What makes a pattern of a name."""


def find_bodies(ctx: SimContext, wanted: Sequence[str], where: str) -> list[Thing]:
    """The bodies that names stand for.

    Args:
        ctx: A simulation with a model.
        wanted: Entities, compiled names of bodies, or patterns of them; none for every entity, or, in a world
            without any, for every body that has a name.
        where: Whose option asks; an error begins with it.

    Raises:
        NotFoundError: A name or a pattern leads to nothing.
    """
    entities = {entity.name: int(entity.body) for entity in ctx.entities if entity.body is not None}
    bodies = {name_of(ctx.model, "body", body): body for body in range(1, ctx.model.nbody)}
    bodies.pop("", None)
    if not wanted:
        return list((entities or bodies).items())
    known = {**bodies, **entities}
    found: dict[str, int] = {}
    for name in wanted:
        if any(letter in name for letter in WILD):
            matching = {each: body for each, body in known.items() if fnmatchcase(each, name)}
        else:
            matching = {name: known[name]} if name in known else {}
        if name == "world":
            matching = {name: 0}
        if not matching:
            raise NotFoundError(f"{where}: expected an entity or a body, got {name!r}; {suggest(name, known)}")
        found.update(matching)
    return list(found.items())


def find_tree(ctx: SimContext, wanted: Sequence[str], where: str) -> frozenset[int] | None:
    """The bodies that names stand for with all that hangs on them; None where no name is given."""
    if not wanted:
        return None
    return frozenset().union(*(subtree(ctx.model, body) for _, body in find_bodies(ctx, wanted, where)))


def find_joints(ctx: SimContext, wanted: Sequence[str], where: str) -> list[int]:
    """The joints that names stand for.

    Args:
        ctx: A simulation with a model.
        wanted: Compiled names of joints, patterns of them, or entities, for all joints of theirs; none for all.
        where: Whose option asks; an error begins with it.

    Raises:
        NotFoundError: A name or a pattern leads to nothing.
    """
    model = ctx.model
    if not wanted:
        return list(range(model.njnt))
    known = {name_of(model, "joint", joint): joint for joint in range(model.njnt)}
    known.pop("", None)
    of_entities = _joints_of_entities(ctx)
    found: dict[int, None] = {}
    for name in wanted:
        if name in of_entities and name not in known:
            matching = of_entities[name]
        else:
            matching = [joint for each, joint in known.items() if each == name or fnmatchcase(each, name)]
        if not matching:
            hint = suggest(name, {*known, *of_entities})
            raise NotFoundError(f"{where}: expected a joint, or an entity with joints, got {name!r}; {hint}")
        found.update(dict.fromkeys(matching))
    return list(found)


def _joints_of_entities(ctx: SimContext) -> dict[str, list[int]]:
    """The joints of every entity that has any."""
    bodies = ctx.model.jnt_bodyid.tolist()
    found = {}
    for entity in ctx.entities:
        tree = subtree(ctx.model, int(entity.body)) if entity.body else frozenset()
        if joints := [joint for joint, body in enumerate(bodies) if body in tree]:
            found[entity.name] = joints
    return found


def owner_names(ctx: SimContext) -> Callable[[int], str]:
    """What tells the nearest entity that a body belongs to, or the body's own name where there is none."""
    by_body = {int(entity.body): entity.name for entity in ctx.entities if entity.body}
    parents: Collection[int] = ctx.model.body_parentid.tolist()

    def owner(body: int) -> str:
        above = body
        while above:
            if above in by_body:
                return by_body[above]
            above = parents[above]
        return name_of(ctx.model, "body", body) or f"body {body}"

    return owner


def absence(ctx: SimContext) -> Callable[[int], bool]:
    """What tells whether a body is absent."""
    presence = ctx.blackboard.get("presence")
    return presence.is_absent if isinstance(presence, Presence) else lambda body: False
