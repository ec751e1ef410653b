"""Stills and videos of a world, a model or a mesh: the loop behind ``roqsim render``."""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import mujoco
import numpy as np

from roqsim.context import SimContext
from roqsim.drivers.aim import FixedAim, FreeAim, aim_of, check_names
from roqsim.drivers.order import Order
from roqsim.drivers.subject import Subject
from roqsim.engine import Engine
from roqsim.mj.names import name_of
from roqsim.rendering.backend import Device
from roqsim.rendering.bounds import carried_geoms, drawn_geoms, lowest_point
from roqsim.rendering.grade import AUTO, grade
from roqsim.rendering.overlays import Overlays
from roqsim.rendering.stills import Photographer, encode
from roqsim.rendering.video import VideoWriter, open_video
from roqsim.scene.studio import LAMPS

LOG = logging.getLogger("roqsim")

CHUNK = 0.1
"""Simulated seconds between two reports of the progress."""

HOVER = 1e-5
"""The height in extents by which a thing may miss the studio's floor."""

LAMP_EXTENTS = 2.0
"""How far a lamp stands from the middle of the studio, in extents of what is shown."""

STUDIO_LAMPS = {name for name, *_ in LAMPS}

SLICES = 60
"""Facets around a cylinder or sphere in the best pictures, which take twice as long by it."""

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is, and how much there is to do."""


def render(subject: Subject, order: Order, progress: Progress = lambda what, done, total: None) -> dict[str, object]:
    """Makes a still or a video.

    Args:
        subject: What it shows.
        order: What it is to be; checked by now.
        progress: Told how it is getting on.

    Returns:
        The reply: ``out``, ``target``, ``size``, ``time`` (simulated seconds of the first frame), ``frames``, ``fps``
        (None for a still), ``camera`` (its name, or None), ``view`` (the free camera in the words of ``--view``, or
        None), ``quality``, ``renderer``.

    Raises:
        RoqsimError: The world is wrong, a name in the order leads nowhere, or the simulation failed.
        GLError: Nothing can be drawn here.
    """
    stage = _Stage(subject, order)
    try:
        stage.set_up()
        return stage.shoot(progress)
    finally:
        stage.close()


class _Stage:
    """A simulation with one camera in front of it."""

    def __init__(self, subject: Subject, order: Order) -> None:
        self._subject, self._order = subject, order
        self._overlays = Overlays(order.overlays)
        self._engine = Engine(subject.config, seed=order.seed, preview=True)

    @property
    def _ctx(self) -> SimContext:
        return self._engine.ctx

    def set_up(self) -> None:
        """Starts the simulation, and puts a model or mesh on the studio's floor."""
        _start(self._engine)
        if self._subject.entry is not None:
            self._put_on_floor()
            _arrange_lamps(self._ctx.model)
        check_names(self._ctx, self._order)

    def _put_on_floor(self) -> None:
        """Starts again with the thing as much higher or lower as its lowest point misses the floor."""
        ctx = self._ctx
        entity = ctx.entities.require(str(self._subject.entry["name"]))
        shown = np.intersect1d(drawn_geoms(ctx.model), carried_geoms(ctx.model, entity.body))
        height = lowest_point(ctx.model, ctx.data, shown)
        if math.isfinite(height) and abs(height) > HOVER * ctx.model.stat.extent:
            self._engine.shutdown()
            with _quiet():
                config = self._subject.raised(-height).config
                self._engine = Engine(config, seed=self._order.seed, preview=True)
                _start(self._engine)

    def close(self) -> None:
        """Ends the simulation."""
        self._engine.shutdown()

    def shoot(self, progress: Progress) -> dict[str, object]:
        """Takes the still or the video, and tells what it took."""
        order, ctx = self._order, self._ctx
        if order.quality == "high" or (order.quality == AUTO and not order.is_video):
            _smooth(ctx.model)
        device: Device = ctx.render.prepare()
        self._advance_to(round(order.at / ctx.dt), lambda done, total: progress("simulated steps", done, total))
        began = ctx.sim_time
        chosen = grade(order.quality, software=device.is_software, moving=order.is_video)
        width, height = order.columns_rows
        aim = aim_of(ctx, order, self._engine.cfg.sim.view)
        photographer = Photographer(ctx.render, aim.camera, aim.lens(width, height), chosen)
        self._overlays.prepare(width, height)
        if order.is_video:
            frames = self._film(photographer, aim, progress)
        else:
            picture = self._overlays.draw(photographer.take(), ctx.sim_time)
            order.out.write_bytes(encode(picture, order.suffix))
            frames = 1
        return {
            "out": str(order.out),
            "target": self._subject.target,
            "size": [width, height],
            "time": began,
            "frames": frames,
            "fps": order.rate if order.is_video else None,
            "camera": order.camera,
            "view": aim.words(),
            "quality": order.quality,
            "renderer": device.renderer,
        }

    def _advance_to(self, tick: int, report: Callable[[int, int], None] = lambda done, total: None) -> None:
        ctx, first = self._ctx, self._ctx.tick
        chunk = max(1, round(CHUNK / ctx.dt))
        while ctx.tick < tick and not ctx.stop_requested:
            self._engine.advance(min(chunk, tick - ctx.tick))
            report(ctx.tick - first, tick - first)
        if ctx.tick < tick:
            LOG.warning("the run ended by itself at %.6g s: %s", ctx.sim_time, ctx.stop_reason)

    def _film(self, photographer: Photographer, aim: FixedAim | FreeAim, progress: Progress) -> int:
        order, ctx = self._order, self._ctx
        writer = open_video(order.out, *order.columns_rows, order.rate)
        done = 0
        try:
            waiting: deque = deque()
            first = ctx.tick
            for index in range(order.frames):
                self._advance_to(first + round(index / (order.rate * ctx.dt)))
                aim.follow()
                waiting.append((photographer.begin(), ctx.sim_time))
                if len(waiting) > 1:
                    done += self._finish(photographer, writer, *waiting.popleft())
                    progress("frames", done, order.frames)
                if ctx.stop_requested:
                    break
            while waiting:
                done += self._finish(photographer, writer, *waiting.popleft())
                progress("frames", done, order.frames)
        finally:
            writer.close()
            if not done:
                order.out.unlink(missing_ok=True)
        return done

    def _finish(self, photographer: Photographer, writer: VideoWriter, turn: object, t: float) -> int:
        writer.add(self._overlays.draw(photographer.develop(turn), t))
        return 1


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


def _smooth(model: mujoco.MjModel) -> None:
    """Gives round things finer facets than MuJoCo's own; to be done before they are uploaded."""
    model.vis.quality.numslices = max(int(model.vis.quality.numslices), SLICES)
    model.vis.quality.numstacks = max(int(model.vis.quality.numstacks), SLICES // 2)
