"""What stands in front of a picture's camera: a simulation that goes on."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import mujoco
import numpy as np

from roqsim.config.sim import View
from roqsim.context import SimContext
from roqsim.drivers.pictures.subject import Subject
from roqsim.engine import Engine
from roqsim.mj.names import name_of
from roqsim.rendering.bounds import carried_geoms, drawn_geoms, lowest_point
from roqsim.scene.studio import LAMPS

LOG = logging.getLogger("roqsim")

CHUNK = 0.1
"""Simulated seconds between two reports of the progress."""

HOVER = 1e-5
"""The height in extents by which a thing may miss the studio's floor."""

LAMP_EXTENTS = 2.0
"""How far a lamp stands from the middle of the studio, in extents of what is shown."""

STUDIO_LAMPS = {name for name, *_ in LAMPS}

Report = Callable[[int, int], None]
"""Told how much is done, and of how much."""


def untold(done: int, total: int) -> None:
    """Tells nobody."""


class Stage(Protocol):
    """Something with a state that can be drawn, and that goes on."""

    @property
    def ctx(self) -> SimContext:
        """The simulation that is drawn."""

    @property
    def view(self) -> View | None:
        """The world's own camera."""

    @property
    def target(self) -> str:
        """How it was named."""

    @property
    def recording(self) -> object | None:
        """The recording that is shown; None for a simulation."""

    def set_up(self) -> None:
        """Makes it ready, in its first state."""

    def begin(self, report: Report = untold) -> None:
        """Goes to where the picture begins."""

    def go_on(self, seconds: float) -> bool:
        """Goes to so many seconds of the video after its beginning; false where there is nothing beyond."""

    def close(self) -> None:
        """Ends it."""


class Simulation:
    """A world, model or mesh that is simulated while its picture is taken.

    Args:
        subject: What it is.
        seed: The seed of the run, or None.
        at: Simulated seconds before the picture begins.
    """

    def __init__(self, subject: Subject, seed: int | None = None, at: float = 0.0) -> None:
        self._subject, self._seed, self._at = subject, seed, at
        self._first = 0
        self._engine = Engine(subject.config, seed=seed, preview=True)

    @property
    def ctx(self) -> SimContext:
        """The simulation."""
        return self._engine.ctx

    @property
    def view(self) -> View | None:
        """The world's ``sim.view``."""
        return self._engine.cfg.sim.view

    @property
    def target(self) -> str:
        """How it was named."""
        return self._subject.target

    @property
    def recording(self) -> None:
        """None: it is simulated."""
        return None

    def set_up(self) -> None:
        """Starts the simulation, and puts a model or mesh on the studio's floor."""
        _start(self._engine)
        if self._subject.entry is not None:
            self._put_on_floor()
            _arrange_lamps(self.ctx.model)

    def _put_on_floor(self) -> None:
        """Starts again with the thing as much higher or lower as its lowest point misses the floor."""
        ctx = self.ctx
        entity = ctx.entities.require(str(self._subject.entry["name"]))
        shown = np.intersect1d(drawn_geoms(ctx.model), carried_geoms(ctx.model, entity.body))
        height = lowest_point(ctx.model, ctx.data, shown)
        if math.isfinite(height) and abs(height) > HOVER * ctx.model.stat.extent:
            self._engine.shutdown()
            with _quiet():
                config = self._subject.raised(-height).config
                self._engine = Engine(config, seed=self._seed, preview=True)
                _start(self._engine)

    def begin(self, report: Report = untold) -> None:
        """Simulates what comes before the picture."""
        self._advance_to(round(self._at / self.ctx.dt), report)
        self._first = self.ctx.tick

    def go_on(self, seconds: float) -> bool:
        """Simulates on; false where the run ended by itself."""
        self._advance_to(self._first + round(seconds / self.ctx.dt))
        return not self.ctx.stop_requested

    def _advance_to(self, tick: int, report: Report = untold) -> None:
        ctx, first = self.ctx, self.ctx.tick
        chunk = max(1, round(CHUNK / ctx.dt))
        while ctx.tick < tick and not ctx.stop_requested:
            self._engine.advance(min(chunk, tick - ctx.tick))
            report(ctx.tick - first, tick - first)
        if ctx.tick < tick:
            LOG.warning("the run ended by itself at %.6g s: %s", ctx.sim_time, ctx.stop_reason)

    def close(self) -> None:
        """Ends the simulation."""
        self._engine.shutdown()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps back what the second start of one thing says again."""
    before, LOG.disabled = LOG.disabled, True
    try:
        yield
    finally:
        LOG.disabled = before


def _start(engine: Engine) -> None:
    engine.setup()
    engine.reset()


def _arrange_lamps(model: mujoco.MjModel) -> None:
    """Moves the studio's lamps to where they suit the size of what is there, and puts out those that it brings."""
    for light in range(model.nlight):
        if name_of(model, "light", light) in STUDIO_LAMPS:
            # A shadow is drawn from a lamp's place on, as far as the world's extent allows.
            model.light_pos[light] = model.stat.center - LAMP_EXTENTS * model.stat.extent * model.light_dir[light]
        else:
            model.light_active[light] = 0
