"""The entity that the first camera goes along with: looked for once all entities are known, before anything opens."""

from __future__ import annotations

from roqsim.config.nodes import Node, Origin
from roqsim.config.world import SimConfig
from roqsim.context import EntityRegistry
from roqsim.errors import ConfigError, Problem, suggest

TRACK = ("view", "track")


def check_track(cfg: SimConfig, entities: EntityRegistry) -> None:
    """Makes sure that ``sim.view.track`` names an entity with a body; it may be one that is absent at first.

    Raises:
        ConfigError: If it does not.
    """
    view = cfg.sim.view
    if view is None or view.track is None:
        return
    known = [entity.name for entity in entities if entity.body or entity.body_name]
    if view.track not in known:
        where = ".".join(("sim", *TRACK))
        hint = suggest(view.track, known)
        place = _origin(cfg, view.track)
        raise ConfigError(Problem(where, "the name of an entity with a body", repr(view.track), place, hint))


def _origin(cfg: SimConfig, name: str) -> Origin | None:
    """Where the document says so; None where an override does."""
    node: Node | None = cfg.document.sim if cfg.document is not None else None
    for key in TRACK:
        node = node.value.get(key) if node is not None and node.is_mapping else None
    return node.origin if node is not None and node.value == name else None
