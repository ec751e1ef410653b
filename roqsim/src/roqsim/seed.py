"""Random numbers as a pure function of the run: its seed, the episode, the tick and who is asking."""

from __future__ import annotations

import hashlib
import operator
import secrets
from typing import TYPE_CHECKING

from roqsim.errors import RoqsimError, SeedError

if TYPE_CHECKING:
    import numpy as np

PREVIEW_SEED = 0
"""What a world is previewed with, so that two pictures of it are the same picture."""

SEED_BITS = 63
"""A drawn seed fits a signed 64-bit integer, which every file format can hold."""


def draw_seed() -> int:
    """A fresh seed for a run that was given none."""
    return secrets.randbits(SEED_BITS)


def checked_seed(seed: object, where: str) -> int:
    """A seed as an int.

    Args:
        seed: Any kind of integer that is not negative.
        where: What an error begins with.

    Raises:
        RoqsimError: If it is anything else.
    """
    try:
        number = -1 if isinstance(seed, bool) else operator.index(seed)
    except TypeError:
        number = -1
    if number < 0:
        raise RoqsimError(f"{where}: expected an int >= 0, got {seed!r}")
    return number


class Streams:
    """Generators whose numbers depend on nothing but the seed, the episode, the tick and the name.

    Philox (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) is counter-based: the key holds the
    run's seed and the name, the counter the episode and the tick, so a draw at any time is reached without the draws
    before it. A generator is made once a name and set to its counter each time, which is ten times as fast.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[int, str], tuple[np.random.Generator, dict]] = {}

    def at(self, seed: int | None, episode: int, tick: int, name: str) -> np.random.Generator:
        """The generator of a name, at the beginning of what a tick may draw; to be used before the next call.

        Args:
            seed: The run's seed; None raises.
            episode: How many resets the run has seen.
            tick: Physics steps since the last reset.
            name: Who draws, such as ``robot.lidar``.

        Raises:
            SeedError: If the run has no seed.
        """
        if seed is None:
            raise SeedError(
                f"{name}: expected a seed before the first random number, got none; "
                "set sim.seed, pass --seed, or make the engine with Engine(cfg, seed=...)"
            )
        kept = self._kept.get((seed, name))
        if kept is None:
            kept = self._kept[seed, name] = _generator(seed, name)
        generator, state = kept
        counter = state["state"]["counter"]
        counter[2], counter[3] = tick, episode
        generator.bit_generator.state = state
        return generator


def _generator(seed: int, name: str) -> tuple[np.random.Generator, dict]:
    """A generator at counter zero, and its state."""
    import numpy as np

    digest = hashlib.blake2b(f"{seed}\0{name}".encode(), digest_size=16).digest()
    bits = np.random.Philox(key=np.frombuffer(digest, dtype="<u8"), counter=[0, 0, 0, 0])
    return np.random.Generator(bits), bits.state
