"""What a camera can follow."""

from __future__ import annotations

from roqsim.config.sim import View
from roqsim.context import SimContext
from roqsim.errors import ConfigError, suggest


def find_targets(ctx: SimContext, view: View | None) -> list[tuple[str, int]]:
    """Name and root body of each entity that has a body: robots first, then everything else.

    Args:
        ctx: A simulation with a compiled model.
        view: The world's ``sim.view``.

    Raises:
        ConfigError: If the view tracks none of them.
    """
    entities = [entity for entity in ctx.entities if entity.body]
    entities.sort(key=lambda entity: entity.kind != "robot")
    targets = [(entity.name, int(entity.body)) for entity in entities]
    names = [name for name, _ in targets]
    if view is not None and view.track is not None and view.track not in names:
        raise ConfigError(
            f"sim.view.track: expected the name of an entity with a body, got {view.track!r}; "
            f"{suggest(view.track, names)}"
        )
    return targets
