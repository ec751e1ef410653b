"""What programs outside a world ask of its entities: to stand somewhere, to appear, to disappear.

Everything is checked before anything is written. All of it is for the physics thread, between two steps.
"""

from __future__ import annotations

from collections.abc import Sequence

from roqsim.context import SimContext
from roqsim.entities.state import EntityState, read_state, set_state
from roqsim.errors import RoqsimError
from roqsim.presence import set_present

ROOT = "sim/entities"
"""What errors begin with: the place of these commands among the endpoints of a world."""


def place(
    ctx: SimContext,
    name: str,
    *,
    position: Sequence[float] | None = None,
    orientation: Sequence[float] | None = None,
    linear_velocity: Sequence[float] | None = None,
    angular_velocity: Sequence[float] | None = None,
) -> EntityState:
    """Places an entity that is there; arguments, result and errors are those of ``entities.state.set_state``.

    Raises:
        RoqsimError: Also if it is absent.
    """
    _require_present(ctx, name, "set_state")
    return set_state(
        ctx,
        name,
        position=position,
        orientation=orientation,
        linear_velocity=linear_velocity,
        angular_velocity=angular_velocity,
    )


def spawn(
    ctx: SimContext,
    name: str,
    *,
    position: Sequence[float] | None = None,
    orientation: Sequence[float] | None = None,
) -> EntityState:
    """Makes an absent entity appear.

    Args:
        ctx: A simulation with model and data.
        name: An entity that the world declares.
        position: ``(3,)`` metres in the world; where it stood last where nothing is said.
        orientation: ``(4,)`` wxyz in the world; likewise.

    Raises:
        NotFoundError: If the world declares no such entity.
        RoqsimError: If it is there, its carrier is absent, or it can't take that pose.
    """
    entity = ctx.entities.require(name)
    if entity.present:
        raise RoqsimError(f"{ROOT}/spawn: expected an absent entity, got {name!r}, which is there")
    return change_presence(ctx, name, True, position=position, orientation=orientation)


def delete(ctx: SimContext, name: str) -> None:
    """Makes an entity disappear.

    Raises:
        NotFoundError: If there is no such entity.
        RoqsimError: If it is absent already.
    """
    _require_present(ctx, name, "delete")
    set_present(ctx, name, False)


def change_presence(
    ctx: SimContext,
    name: str,
    present: bool,
    *,
    position: Sequence[float] | None = None,
    orientation: Sequence[float] | None = None,
) -> EntityState | None:
    """Makes an entity appear or disappear, and places it first; asking for what is so already is no error.

    Returns:
        Its state; None where it is absent then.

    Raises:
        NotFoundError: If there is no such entity.
        RoqsimError: If what carries it is absent, or it can't take that pose.
    """
    entity = ctx.entities.require(name)
    if present and entity.carrier is not None and not ctx.entities.is_present(entity.carrier):
        carrier = entity.carrier.name
        raise RoqsimError(f"{ROOT}: expected a carrier that is there, got {carrier!r}, which is absent; spawn it first")
    if position is not None or orientation is not None:
        set_state(ctx, name, position=position, orientation=orientation)
    set_present(ctx, name, present)
    return read_state(ctx, name) if present else None


def _require_present(ctx: SimContext, name: str, command: str) -> None:
    if not ctx.entities.is_present(ctx.entities.require(name)):
        raise RoqsimError(
            f"{ROOT}/{command}: expected an entity that is there, got {name!r}, which is absent; spawn it first"
        )
