"""Random numbers as a pure function of the run: its seed, the episode, the tick and who is asking."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING

from roqsim.errors import SeedError

if TYPE_CHECKING:
    import numpy as np

PREVIEW_SEED = 0
"""What a world is previewed with, so that two pictures of it are the same picture."""

SEED_BITS = 63
"""A drawn seed fits a signed 64-bit integer, which every file format can hold."""


def draw_seed() -> int:
    """A fresh seed for a run that was given none."""
    return secrets.randbits(SEED_BITS)


def generator(seed: int | None, episode: int, tick: int, name: str) -> np.random.Generator:
    """A generator whose numbers depend on nothing but the arguments.

    Philox (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) is counter-based: the key holds the
    run's seed and the name, the counter the episode and the tick, so a draw at any time is reached without the draws
    before it.

    Args:
        seed: The run's seed; None raises.
        episode: How many resets the run has seen.
        tick: Physics steps since the last reset.
        name: Who draws, such as ``robot.lidar``.

    Raises:
        SeedError: If the run has no seed.
    """
    import numpy as np

    if seed is None:
        raise SeedError(
            f"{name}: expected a seed before the first random number, got none; "
            "set sim.seed, pass --seed, or make the engine with Engine(cfg, seed=...)"
        )
    digest = hashlib.blake2b(f"{seed}\0{name}".encode(), digest_size=16).digest()
    key = np.frombuffer(digest, dtype="<u8")
    counter = np.array([0, 0, tick, episode], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=counter))
