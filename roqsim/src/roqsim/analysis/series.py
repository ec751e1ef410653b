"""A recording and what is to be read off it, as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roqsim.analysis.distance import Distance
from roqsim.analysis.energy import Energy
from roqsim.analysis.joints import Joints
from roqsim.analysis.poses import Poses
from roqsim.analysis.quantity import Quantity
from roqsim.analysis.selection import Selection
from roqsim.analysis.table import TIME, Row, Table
from roqsim.analysis.things import absence, find_bodies, find_joints, find_tree, owner_names
from roqsim.analysis.touches import Touches
from roqsim.context import SimContext
from roqsim.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roqsim.engine import Engine
    from roqsim.recording import Recording


def poses(ctx: SimContext, names: Sequence[str] = ()) -> Poses:
    """Poses of entities and bodies; see ``find_bodies`` for the names."""
    return Poses(ctx.model, ctx.data, find_bodies(ctx, names, "--poses"), absence(ctx))


def joints(ctx: SimContext, names: Sequence[str] = ()) -> Joints:
    """Joints by name, or all of an entity.

    Raises:
        NotFoundError: A name leads to nothing.
        ConfigError: There are none but free joints.
    """
    found = Joints(ctx.model, ctx.data, find_joints(ctx, names, "--joints"))
    if not found.names:
        asked = f"those of {', '.join(names)}" if names else "this world"
        raise ConfigError(f"--joints: expected joints that are not free, got {asked} with none; take --poses")
    return found


def contacts(ctx: SimContext, names: Sequence[str] = ()) -> Touches:
    """Contacts, or those of some entities and bodies."""
    return Touches(ctx.model, ctx.data, owner_names(ctx), find_tree(ctx, names, "--contacts"))


def energy(ctx: SimContext) -> Energy:
    """Energy and power."""
    return Energy(ctx.model, ctx.data)


def distance(ctx: SimContext, first: str, second: str) -> Distance:
    """The distance between two entities or bodies.

    Raises:
        NotFoundError: A name leads to nothing.
        ConfigError: Both are the same.
    """
    things = [thing for name in (first, second) for thing in find_bodies(ctx, [name], "--distance")]
    if len(things) != 2 or things[0][1] == things[1][1]:
        raise ConfigError(f"--distance: expected two things, got {first!r} and {second!r}; name one body each")
    return Distance(ctx.model, ctx.data, (things[0], things[1]), absence(ctx))


def table(recording: Recording, engine: Engine, quantity: Quantity, selection: Selection) -> Table:
    """Reads a quantity off the selected samples.

    Args:
        recording: The recording.
        engine: Its engine (``recording.rebuild()``), which the rows are read from while they are gone through.
        quantity: What is read, off this engine's state.
        selection: At which moments; checked by now.
    """

    def rows() -> Iterator[Row]:
        for sample in recording.restored(engine, selection.samples(recording)):
            for row in quantity.rows():
                yield (sample.time, *row)

    return Table(quantity.title, (TIME, *quantity.columns), rows(), quantity.keys, quantity.drawn)
