"""Commands over the entities of a world: where they are, placing them, making them appear and disappear."""

from __future__ import annotations

from dataclasses import dataclass

from roqsim.command_value import command_value
from roqsim.config.schema import need, opt
from roqsim.context import Endpoint, Entity, SimContext
from roqsim.entities.commands import change_presence, delete, place, spawn
from roqsim.entities.state import EntityState, read_state
from roqsim.plugin import Plugin

ROOT = "sim/entities"
"""The owner of the commands; an entity's pose belongs to ``sim/entities/<name>``."""

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@dataclass(frozen=True, kw_only=True)
class Placement:
    """An entity and, where it is to stand somewhere else, its pose."""

    entity: str = need()
    """The entity's name."""
    position: Vector | None = opt(None, unit="m")
    """Position in the world; as it is where nothing is said."""
    orientation: Quaternion | None = opt(None)
    """Quaternion wxyz in the world; as it is where nothing is said."""


@dataclass(frozen=True, kw_only=True)
class SetState(Placement):
    """A pose and a velocity."""

    linear_velocity: Vector | None = opt(None, unit="m/s")
    """Velocity of its origin in the world; at rest after a pose where nothing is said."""
    angular_velocity: Vector | None = opt(None, unit="rad/s")
    """Turn rate about the world's axes; likewise."""


@dataclass(frozen=True, kw_only=True)
class SetPresence(Placement):
    """Whether an entity is there, and where."""

    present: bool = need()
    """Whether it is there; asking for what is so already is no error."""


@dataclass(frozen=True, kw_only=True)
class Spawn(Placement):
    """An absent entity that is to appear, and where."""


@dataclass(frozen=True, kw_only=True)
class Delete:
    """An entity that is to disappear."""

    entity: str = need()
    """The entity's name."""


@dataclass(frozen=True)
class EntityNames:
    """Who is there and who could be.

    Attributes:
        stamp_ns: The time of the state in nanoseconds.
        present: The entities that are there.
        absent: The entities that can be spawned.
    """

    stamp_ns: int
    present: tuple[str, ...]
    absent: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class EntityControlConfig:
    """What is offered."""

    poses: bool = opt(True)
    """Whether every entity has an endpoint with its pose."""


class EntityControl(Plugin):
    """Offers ``sim/entities/set_state``, ``spawn``, ``delete``, ``set_presence``, ``list`` and ``<name>/pose``.

    Spawning activates an entity that the world declares (``present: false``), and deleting takes it away again: nothing
    is compiled. The commands take instances of the classes above or mappings of their fields, check everything before
    they write anything, and return the state that the entity has then.
    """

    Config = EntityControlConfig

    def configure(self, ctx: SimContext) -> None:
        """Offers the commands, and a pose for every entity."""
        self._ctx = ctx
        for name, write, doc in (
            ("set_state", self._set_state, "Places an entity: entity, position, orientation, velocities."),
            ("set_presence", self._set_presence, "Makes an entity appear or disappear: entity, present, pose."),
            ("spawn", self._spawn, "Makes an absent entity appear: entity, pose."),
            ("delete", self._delete, "Makes an entity disappear: entity."),
        ):
            ctx.interface.add(Endpoint(name, "in", ROOT, write=write, doc=doc))
        ctx.interface.add(
            Endpoint(
                "list",
                "out",
                ROOT,
                read=self._list,
                rate_hz=0.0,
                reads_derived=False,
                stateless=True,
                doc="Who is there.",
            )
        )
        for entity in ctx.entities if self.config.poses else ():
            if entity.body is not None:
                self._offer_pose(ctx, entity)

    def _offer_pose(self, ctx: SimContext, entity: Entity) -> None:
        def read() -> EntityState | None:
            return read_state(ctx, entity.name) if ctx.entities.is_present(entity) else None

        path = f"{ROOT}/{entity.name}"
        pose = Endpoint("pose", "out", path, read=read, rate_hz=0.0, lazy=True, stateless=True, doc="Where it is.")
        ctx.interface.add(pose)

    def _list(self) -> EntityNames:
        entities = self._ctx.entities
        return EntityNames(
            self._ctx.time_ns, tuple(entities.names()), tuple(entity.name for entity in entities.absent())
        )

    def _set_state(self, payload: object) -> EntityState:
        command = command_value(SetState, payload, f"{ROOT}/set_state")
        return place(
            self._ctx,
            command.entity,
            position=command.position,
            orientation=command.orientation,
            linear_velocity=command.linear_velocity,
            angular_velocity=command.angular_velocity,
        )

    def _set_presence(self, payload: object) -> EntityState | None:
        command = command_value(SetPresence, payload, f"{ROOT}/set_presence")
        pose = {"position": command.position, "orientation": command.orientation}
        return change_presence(self._ctx, command.entity, command.present, **pose)

    def _spawn(self, payload: object) -> EntityState | None:
        command = command_value(Spawn, payload, f"{ROOT}/spawn")
        return spawn(self._ctx, command.entity, position=command.position, orientation=command.orientation)

    def _delete(self, payload: object) -> None:
        delete(self._ctx, command_value(Delete, payload, f"{ROOT}/delete").entity)
