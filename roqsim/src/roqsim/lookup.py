"""From a name that a program outside wrote to a body: an entity's root, or any body by its compiled name."""

from __future__ import annotations

import mujoco

from roqsim.context import SimContext
from roqsim.errors import NotFoundError, suggest
from roqsim.mj.names import find, name_of, names


class LookupError_(NotFoundError, LookupError):
    """A name that leads to no body, or to one that can't do what is asked of it."""


def is_movable(model: mujoco.MjModel, body: int) -> bool:
    """Whether a body can ever change its pose: a joint or a mocap body is among itself and what carries it."""
    while body:
        if model.body_dofnum[body] or model.body_mocapid[body] >= 0:
            return True
        body = int(model.body_parentid[body])
    return False


def resolve_body_id(ctx: SimContext, name: str, *, movable: bool = True, what: str = "") -> int:
    """The body that a name stands for.

    Args:
        ctx: A simulation with a model.
        name: An entity, absent ones included, or the compiled name of a body.
        movable: Whether a body that can never move is refused: whoever waits for it to move would wait for ever.
        what: Who asks; the error begins with it.

    Raises:
        LookupError_: If nothing has the name, or it can't move.
    """
    where = f"{what}: " if what else ""
    entity = ctx.entities.get(name)
    body = entity.body if entity is not None else find(ctx.model, "body", name)
    if body is None:
        known = {entity.name for entity in ctx.entities} | set(names(ctx.model, "body"))
        raise LookupError_(f"{where}expected the name of an entity or a body, got {name!r}; {suggest(name, known)}")
    if movable and not is_movable(ctx.model, body):
        raise LookupError_(
            f"{where}expected a body that can move, got {name!r}, whose body {name_of(ctx.model, 'body', body)!r} is "
            "welded to the world; write `motion: physics` in its entry"
        )
    return int(body)
