"""What a sensor gives in the states of a recording, its noise included.

Noise is a function of seed, episode, tick and name, so a sensor that is read in a recorded state gives what it would
have given there. What depends on more than the state (sums, latches, delays) can't be read off it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roqsim.analysis.curves import stem
from roqsim.analysis.flat import UNITS, TooLargeError, flatten
from roqsim.analysis.selection import Selection
from roqsim.analysis.table import TIME, Cell, Column, Row, Table
from roqsim.context import Endpoint, SimContext
from roqsim.errors import LISTED_NAMES, ConfigError, NotFoundError, RoqsimError, suggest

if TYPE_CHECKING:
    from roqsim.engine import Engine
    from roqsim.recording import Recording

Reading = tuple[float, dict[str, Cell]]
"""A simulated time in seconds, and the cells of a payload."""


def find_stream(ctx: SimContext, address: str) -> Endpoint:
    """The stream that an address names.

    Args:
        ctx: A simulation that was set up.
        address: An endpoint's path (``robot/scan``), or the address of a component with one stream (``robot.lidar``).

    Raises:
        NotFoundError: Nothing has the address, or a component with several streams has it.
    """
    streams = {endpoint.path: endpoint for endpoint in ctx.interface.by_direction("out")}
    if address in streams:
        return streams[address]
    made = [endpoint for endpoint in streams.values() if endpoint.producer == address]
    if len(made) == 1:
        return made[0]
    if made:
        paths = " or ".join(repr(endpoint.path) for endpoint in made[:LISTED_NAMES])
        raise NotFoundError(f"--sensor: expected one of the streams of {address!r}: {paths}; name its path")
    known = {*streams, *(endpoint.producer for endpoint in streams.values() if endpoint.producer)}
    raise NotFoundError(f"--sensor: expected the path of a stream, got {address!r}; {suggest(address, known)}")


def table(recording: Recording, engine: Engine, stream: Endpoint, selection: Selection) -> Table:
    """The payloads of a stream in the selected samples.

    Args:
        recording: The recording.
        engine: Its engine, which the stream belongs to.
        stream: The stream.
        selection: Which samples; checked by now.

    Raises:
        ConfigError: The payload is no row of numbers, or there is none in the selection.
    """
    return as_table(stream, readings(recording, engine, stream, selection))


def readings(recording: Recording, engine: Engine, stream: Endpoint, selection: Selection) -> Iterator[Reading]:
    """Reads a stream in the selected samples; see ``table``."""
    for sample in recording.restored(engine, selection.samples(recording)):
        yield from read(stream, sample.time)


def read(stream: Endpoint, t: float) -> Iterator[Reading]:
    """The reading of a stream at a time; none where it has nothing to say.

    Raises:
        ConfigError: The payload is no row of numbers.
    """
    payload = stream.read()
    if payload is None:
        return
    try:
        yield t, flatten(payload)
    except TooLargeError as error:
        raise ConfigError(
            f"--sensor: expected a stream of numbers, got {stream.path!r} with {error}; "
            "'roqsim render --state' makes pictures, 'roqsim export mcap' writes every payload"
        ) from None


def as_table(stream: Endpoint, found: Iterator[Reading]) -> Table:
    """Readings as a table whose columns are those of the first one.

    Raises:
        ConfigError: There is no reading.
    """
    first = next(found, None)
    if first is None:
        raise ConfigError(
            f"--sensor: expected a stream that says something, got {stream.path!r} with nothing in this range"
        )
    names = list(first[1])

    def rows() -> Iterator[Row]:
        yield (first[0], *first[1].values())
        for t, cells in found:
            if list(cells) != names:
                changed = sorted(set(cells) ^ set(names))[:3]
                raise RoqsimError(
                    f"--sensor: expected {stream.path!r} to have the same numbers all the time, got another set of "
                    f"them at {t:.6g} s ({', '.join(changed)}); take one moment with --at"
                )
            yield (t, *cells.values())

    return Table(stream.path, (TIME, *(_column(*each) for each in first[1].items())), rows())


def _column(name: str, cell: Cell) -> Column:
    unit = UNITS.get(stem(name), "")
    return Column(name, unit, float if cell is None else type(cell))
