"""Where the worlds of one run come from, and what its command line says of each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from roqsim.config.world import SimConfig
from roqsim.seed import draw_seed

PACES = {"realtime": 1.0, "asap": None}
"""Simulated seconds a wall second, by word; None for as fast as possible."""


@dataclass
class WorldSource:
    """What is the same for every world of a run.

    Attributes:
        load: Reads the world; called again for each reload.
        pacing: A word of ``PACES`` or a factor; None leaves it to the world.
        seed: The seed; None leaves it to the world, and where that has none, one is drawn once.
        drawn: The seed that was drawn.
    """

    load: Callable[[], SimConfig]
    pacing: str | float | None = None
    seed: int | None = None
    drawn: int | None = None

    def factor(self, config: SimConfig) -> float | None:
        """Simulated seconds a wall second; None for as fast as possible."""
        speed = self.pacing if self.pacing is not None else config.sim.pacing or "realtime"
        return PACES.get(speed, speed)

    def seed_of(self, config: SimConfig) -> int:
        """The seed with which a world runs."""
        for seed in (self.seed, config.sim.seed):
            if seed is not None:
                return seed
        if self.drawn is None:
            self.drawn = draw_seed()
        return self.drawn
