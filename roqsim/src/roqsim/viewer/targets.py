"""What a camera can follow."""

from __future__ import annotations

from roqsim.context import SimContext


def find_targets(ctx: SimContext) -> list[tuple[str, int]]:
    """Name and root body of each entity that has a body: robots first, then everything else.

    Args:
        ctx: A simulation with a compiled model.
    """
    entities = [entity for entity in ctx.entities if entity.body]
    entities.sort(key=lambda entity: entity.kind != "robot")
    return [(entity.name, int(entity.body)) for entity in entities]
