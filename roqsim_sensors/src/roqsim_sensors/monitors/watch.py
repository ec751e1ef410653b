"""What a monitor looks at: the geoms it watches, those that count as others, and what all of them are called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import mujoco
import numpy as np
from roqsim.config.schema import opt
from roqsim.context import Entity, EntityRegistry, SimContext
from roqsim.context.reports import Part
from roqsim.errors import NotFoundError, RoqsimError, suggest
from roqsim.mj import contacts, names
from roqsim.plugin import Plugin

OTHER, WATCHED, IGNORED, OWN = range(4)
"""What a geom is to a monitor; OWN is a part of the watched entity that is not itself watched."""

STEEPEST_GROUND = np.cos(np.radians(45.0))
"""A plane whose normal is less upright than this is a wall."""

GROUND_TYPES = (int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD))


@dataclass(frozen=True, kw_only=True)
class WatchConfig:
    """What is watched, and what counts."""

    entity: str | None = opt(None)
    """Entity that is watched; the one it is nested under where nothing is said."""
    bodies: tuple[str, ...] = opt(())
    """Bodies of the entity, with all they carry, that are watched; the whole entity where nothing is said."""
    geoms: tuple[str, ...] = opt(())
    """Geoms of the entity that are watched, beside `bodies`."""
    ignore: tuple[str, ...] = opt(())
    """What does not count: names of entities, of bodies with all they carry, or of geoms, as they are in the world."""
    ground: bool = opt(False)
    """Whether the ground counts: planes and height fields that are fixed and lie flat."""
    own_parts: bool = opt(False)
    """Whether the other parts of the same entity count."""


@dataclass(frozen=True)
class Watch:
    """The geoms of a compiled model as a monitor sees them.

    Attributes:
        entity: The entity that is watched, or None.
        label: What is watched, in a word.
        kinds: ``(ngeom + 1,)`` uint8: ``OTHER``, ``WATCHED``, ``IGNORED`` or ``OWN``; the last one stands for flexes.
        own_parts: Whether ``OWN`` geoms, and contacts among watched ones, count.
    """

    entity: Entity | None
    label: str
    kinds: np.ndarray
    own_parts: bool

    @property
    def watched(self) -> np.ndarray:
        """``(n,)`` the ids of the watched geoms."""
        return np.flatnonzero(self.kinds[:-1] == WATCHED)

    @property
    def others(self) -> np.ndarray:
        """``(n,)`` the ids of the geoms that count when they come near, watched ones among them if own parts do."""
        kinds = self.kinds[:-1]
        counts = kinds == OTHER
        if self.own_parts:
            counts |= (kinds == OWN) | (kinds == WATCHED)
        return np.flatnonzero(counts)


@dataclass
class Names:
    """What geoms are called.

    Args:
        model: The compiled model.
        entities: The world's entities.
    """

    model: mujoco.MjModel
    entities: EntityRegistry
    _parts: dict[int, Part] = field(default_factory=dict, repr=False)
    _owners: list[str] | None = field(default=None, repr=False)

    def part(self, geom: int) -> Part:
        """What a geom is called; ``-1 - flex`` asks for a flex."""
        if geom not in self._parts:
            self._parts[geom] = self._name(geom)
        return self._parts[geom]

    def _name(self, geom: int) -> Part:
        model = self.model
        if geom < 0:
            flex = -1 - geom
            body = int(model.flex_vertbodyid[model.flex_vertadr[flex]])
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_FLEX, flex) or f"flex[{flex}]"
        else:
            body = int(model.geom_bodyid[geom])
            first = int(model.body_geomadr[body])
            name = names.name_of(model, "geom", geom) or f"{names.name_of(model, 'body', body)}[{geom - first}]"
        return Part(self._entity_of(body), names.name_of(model, "body", body), name)

    def _entity_of(self, body: int) -> str:
        if self._owners is None:
            roots = {entity.body: entity.name for entity in self.entities if entity.body}
            self._owners = [""]
            for index in range(1, self.model.nbody):
                above = self._owners[int(self.model.body_parentid[index])]
                self._owners.append(roots.get(index, above))
        return self._owners[body]


def watch(ctx: SimContext, plugin: Plugin, config: WatchConfig) -> Watch:
    """Finds what a monitor watches; to be called in ``configure``.

    Raises:
        NotFoundError: If a name is nowhere.
        RoqsimError: If there is nothing to watch.
    """
    model, address = ctx.model, plugin.address
    entity = _entity(ctx, plugin, config)
    kinds = np.full(model.ngeom + 1, OTHER, dtype=np.uint8)
    if not config.ground:
        kinds[ground_geoms(model, ctx.data)] = IGNORED
    if entity is not None and entity.body:
        kinds[list(contacts.geoms_of(model, contacts.subtree(model, _outermost(entity).body)))] = OWN
    chosen = _chosen(model, address, config, entity)
    kinds[list(chosen)] = WATCHED
    kinds[list(_ignored(ctx, f"{address}.ignore", config.ignore))] = IGNORED
    found = Watch(entity, _label(entity, config), kinds, config.own_parts)
    if not any(can_touch(model, int(geom)) for geom in found.watched):
        raise RoqsimError(
            f"{address}: expected something to watch that can touch, got {found.label!r} without a colliding geom; "
            "name other geoms or bodies"
        )
    return found


def _entity(ctx: SimContext, plugin: Plugin, config: WatchConfig) -> Entity | None:
    named = config.entity
    entity = ctx.owner_of(plugin) if named is None else ctx.entities.require(named, f"{plugin.address}.entity")
    has_body = entity is not None and entity.body
    if not (has_body or config.bodies or config.geoms):
        raise RoqsimError(
            f"{plugin.address}: expected something to watch, got nothing; nest it under an entity, or add 'entity:', "
            "'bodies:' or 'geoms:'"
        )
    return entity


def _outermost(entity: Entity) -> Entity:
    """What carries an entity in the end, such as the robot of a scanner."""
    while entity.carrier is not None and entity.carrier.body:
        entity = entity.carrier
    return entity


def _chosen(model: mujoco.MjModel, address: str, config: WatchConfig, entity: Entity | None) -> set[int]:
    prefix = entity.prefix if entity is not None else ""
    if not (config.bodies or config.geoms):
        return set(contacts.geoms_of(model, contacts.subtree(model, entity.body)))
    chosen: set[int] = set()
    for name in config.bodies:
        body = names.body_id(model, name, where=f"{address}.bodies", prefix=prefix)
        chosen |= contacts.geoms_of(model, contacts.subtree(model, body))
    for name in config.geoms:
        chosen.add(names.geom_id(model, name, where=f"{address}.geoms", prefix=prefix))
    return chosen


def _ignored(ctx: SimContext, where: str, ignored: Iterable[str]) -> set[int]:
    """The geoms of entities, bodies and geoms of these names."""
    model, found = ctx.model, set()
    for name in ignored:
        entity, body = ctx.entities.get(name), names.find(model, "body", name)
        geom = names.find(model, "geom", name)
        root = entity.body if entity is not None and entity.body else body
        if root is None and geom is None:
            known = {*(each.name for each in ctx.entities), *names.names(model, "body"), *names.names(model, "geom")}
            raise NotFoundError(
                f"{where}: expected the name of an entity, a body or a geom, got {name!r}; {suggest(name, known)}"
            )
        if root is not None:
            found |= contacts.geoms_of(model, {0} if root == 0 else contacts.subtree(model, root))
        if geom is not None:
            found.add(geom)
    return found


def _label(entity: Entity | None, config: WatchConfig) -> str:
    return entity.name if entity is not None else ", ".join((*config.bodies, *config.geoms))


def can_touch(model: mujoco.MjModel, geom: int) -> bool:
    """Whether a geom takes part in contacts, by its masks or by an explicit pair."""
    in_pair = geom in model.pair_geom1 or geom in model.pair_geom2
    return bool(model.geom_contype[geom] or model.geom_conaffinity[geom] or in_pair)


def ground_geoms(model: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """``(n,)`` the ids of planes and height fields that are fixed and whose normal points up."""
    is_fixed = model.body_weldid[model.geom_bodyid] == 0
    is_flat = data.geom_xmat[:, 8] > STEEPEST_GROUND
    return np.flatnonzero(is_fixed & is_flat & np.isin(model.geom_type, GROUND_TYPES))
