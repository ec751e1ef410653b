"""The things of a world that can be named from outside: robots, props, sensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from roqsim.errors import ConfigError, NotFoundError, RoqsimError, suggest


@dataclass
class Entity:
    """Something in the world with a name, a root body and, as a rule, an entry in the document.

    Attributes:
        name: How programs outside refer to it; unique in the world.
        kind: ``robot``, ``object``, ``sensor``, ``door``, …
        body: The id of its root body; filled in after compile where ``body_name`` is given.
        meta: Further facts: ``base_joint`` names the free joint that carries it.
        prefix: What its model's element names were prefixed with.
        namespace: The scope of its topics and frames.
        address: The address of the entry that made it; for one of a population, that address and its name.
        population: The address of the entry that made it beside others; empty for an entity with an entry of its own.
        body_name: The compiled name of its root body.
        carrier: The entity whose entry it is nested under, or None; the registry fills it in.
        present: False while it is absent (see ``roqsim.presence``).
        starts_present: What ``present`` is set to by a reset.
        home: Positions by compiled joint name: ``(nq,)`` values each, applied by every reset.
        home_ctrl: Controls by compiled actuator name, applied by every reset.
        home_act: Activations by compiled actuator name, applied by every reset.
    """

    name: str
    kind: str
    body: int | None = None
    meta: dict[str, object] = field(default_factory=dict)
    prefix: str = ""
    namespace: str = ""
    address: str = ""
    population: str = ""
    body_name: str = ""
    carrier: Entity | None = field(default=None, repr=False, compare=False)
    present: bool = True
    starts_present: bool = True
    home: dict[str, tuple[float, ...]] = field(default_factory=dict)
    home_ctrl: dict[str, tuple[float, ...]] = field(default_factory=dict)
    home_act: dict[str, tuple[float, ...]] = field(default_factory=dict)


class EntityRegistry:
    """Every entity of a world, by name, in the order in which they were added."""

    def __init__(self) -> None:
        self._entities: dict[str, Entity] = {}
        self._at: dict[str, Entity] = {}
        self._members: dict[str, dict[str, Entity]] = {}

    def add(self, entity: Entity) -> Entity:
        """Registers an entity.

        Raises:
            RoqsimError: If the name is taken.
        """
        if entity.name in self._entities:
            other = self._entities[entity.name]
            raise RoqsimError(
                f"{entity.address or entity.name}: expected an entity name of its own, got {entity.name!r}, "
                f"which {other.address or 'another entity'} has; give one of them another `name:`"
            )
        entity.carrier = self._nearest_above(entity.population or entity.address)
        self._entities[entity.name] = entity
        if entity.address:
            self._at.setdefault(entity.address, entity)
        if entity.population:
            self._members.setdefault(entity.population, {})[entity.name] = entity
        return entity

    def _nearest_above(self, address: str) -> Entity | None:
        """The entity whose entry an address is nested under; None for a population of several."""
        while address := address.rpartition(".")[0]:
            if (carrier := self.at(address)) is not None:
                return carrier
            if members := self.members(address):
                return members[0] if len(members) == 1 else None
        return None

    def owner_of(self, address: str, owner: str | None) -> Entity | None:
        """The nearest entity that an entry is nested under, or None; for a population, its only member.

        Args:
            address: The entry's address.
            owner: The address of the entry that it is nested under, or None.

        Raises:
            ConfigError: If that is a population of several.
        """
        while owner:
            if (entity := self.at(owner)) is not None:
                return entity
            if members := self.members(owner):
                if len(members) == 1:
                    return members[0]
                raise ConfigError(_no_single_owner(address, owner, members))
            owner = owner.rpartition(".")[0]
        return None

    def remove(self, name: str) -> None:
        """Forgets an entity; its body stays in the model."""
        entity = self._entities.pop(self.require(name).name)
        if self._at.get(entity.address) is entity:
            del self._at[entity.address]
        self._members.get(entity.population, {}).pop(name, None)

    def get(self, name: str) -> Entity | None:
        """The entity of a name, absent ones included, or None."""
        return self._entities.get(name)

    def require(self, name: str, where: str = "") -> Entity:
        """The entity of a name, absent ones included.

        Args:
            name: The name.
            where: Who names it, such as ``robot.monitor.entity``; the error begins with it.

        Raises:
            NotFoundError: If there is none.
        """
        if name not in self._entities:
            start = f"{where}: " if where else ""
            rule = f"{start}expected the name of an entity, got {name!r}"
            raise NotFoundError(f"{rule}; {suggest(name, self._entities)}")
        return self._entities[name]

    def at(self, address: str) -> Entity | None:
        """The entity that the entry at an address made, or None."""
        return self._at.get(address)

    def members(self, address: str) -> list[Entity]:
        """The entities of the population that the entry at an address made, absent ones included."""
        return list(self._members.get(address, {}).values())

    def is_present(self, entity: Entity) -> bool:
        """Whether an entity is there: neither itself nor anything that carries it is absent."""
        while entity is not None:
            if not entity.present:
                return False
            entity = entity.carrier
        return True

    def names(self) -> list[str]:
        """The names of the present entities, in the order of their registration."""
        return [entity.name for entity in self.all()]

    def all(self) -> list[Entity]:
        """The present entities, in the order of their registration; what an absent one carries is absent too."""
        return [entity for entity in self._entities.values() if self.is_present(entity)]

    def absent(self) -> list[Entity]:
        """The entities that are absent on their own account: what can be spawned."""
        return [entity for entity in self._entities.values() if not entity.present]

    def __iter__(self) -> Iterator[Entity]:
        """Every entity, absent ones included."""
        return iter(list(self._entities.values()))

    def __len__(self) -> int:
        return len(self._entities)

    def __contains__(self, name: str) -> bool:
        return name in self._entities


def _no_single_owner(address: str, population: str, members: Sequence[Entity]) -> str:
    named = ", ".join(repr(member.name) for member in members[:2])
    more = f" and {len(members) - 2} more" if len(members) > 2 else ""
    rule = f"{address}: expected to be nested under one entity, got {population!r}, a population of {named}{more}"
    return f"{rule}; give what carries it an entry of its own"
