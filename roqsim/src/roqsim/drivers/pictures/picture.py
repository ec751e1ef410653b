"""Stills and videos of whatever stands on a stage: the loop behind ``roqsim render``."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

import mujoco

from roqsim.destination import new_file
from roqsim.drivers.pictures.aim import FixedAim, FreeAim, aim_of, check_names
from roqsim.drivers.pictures.order import Order
from roqsim.drivers.pictures.stage import Simulation, Stage
from roqsim.drivers.pictures.subject import Subject
from roqsim.rendering.backend import Device
from roqsim.rendering.grade import AUTO, grade
from roqsim.rendering.overlays import Overlays
from roqsim.rendering.stills import Photographer, encode
from roqsim.rendering.turn import Turn
from roqsim.rendering.video import open_video

SLICES = 60
"""Facets around a cylinder or sphere in the best pictures, which take twice as long by it."""

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is, and how much there is to do."""


def render(subject: Subject, order: Order, progress: Progress = lambda what, done, total: None) -> dict[str, object]:
    """Makes a still or a video of a world, a model or a mesh; see ``shoot``."""
    return shoot(Simulation(subject, order.seed, order.at), order, progress)


def shoot(stage: Stage, order: Order, progress: Progress = lambda what, done, total: None) -> dict[str, object]:
    """Makes a still or a video.

    Args:
        stage: What it shows; closed in the end.
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
    try:
        stage.set_up()
        check_names(stage.ctx, order)
        return _Shot(stage, order).take(progress)
    finally:
        stage.close()


class _Shot:
    """A stage with one camera in front of it."""

    def __init__(self, stage: Stage, order: Order) -> None:
        self._stage, self._order = stage, order
        self._overlays = Overlays(order.overlays)

    def take(self, progress: Progress) -> dict[str, object]:
        """Takes the still or the video, and tells what it took."""
        order, stage = self._order, self._stage
        ctx = stage.ctx
        if order.quality == "high" or (order.quality == AUTO and not order.is_video):
            _smooth(ctx.model)
        device: Device = ctx.render.prepare()
        stage.begin(lambda done, total: progress("simulated steps", done, total))
        began = ctx.sim_time
        chosen = grade(order.quality, software=device.is_software, moving=order.is_video)
        width, height = order.columns_rows
        aim = aim_of(ctx, order, stage.view)
        photographer = Photographer(ctx.render, aim.camera, aim.lens(width, height), chosen)
        self._overlays.prepare(width, height, stage.recording)
        if order.is_video:
            frames = self._film(photographer, aim, progress)
        else:
            picture = self._overlays.draw(photographer.take(), ctx.sim_time)
            with new_file(order.out, overwrite=True) as beside:
                beside.write_bytes(encode(picture, order.suffix))
            frames = 1
        return {
            "out": str(order.out),
            "target": stage.target,
            "size": [width, height],
            "time": began,
            "frames": frames,
            "fps": order.rate if order.is_video else None,
            "camera": order.camera,
            "view": aim.words(),
            "quality": order.quality,
            "renderer": device.renderer,
        }

    def _film(self, photographer: Photographer, aim: FixedAim | FreeAim, progress: Progress) -> int:
        """Writes the video; what was finished before an interrupt is a video too."""
        order, interrupt, done = self._order, None, 0
        with new_file(order.out, overwrite=True) as beside:
            writer = open_video(beside, *order.columns_rows, order.rate)
            try:
                for picture, t in self._pictures(photographer, aim):
                    writer.add(self._overlays.draw(photographer.develop(picture), t))
                    done += 1
                    progress("frames", done, order.frames)
            except KeyboardInterrupt as signal:
                if not done:
                    raise
                interrupt = signal
            finally:
                writer.close()
        if interrupt is not None:
            raise interrupt
        return done

    def _pictures(self, photographer: Photographer, aim: FixedAim | FreeAim) -> Iterator[tuple[Turn, float]]:
        """Each frame on its way, with its simulated time; one is drawn while the stage goes on to the next."""
        order, ctx = self._order, self._stage.ctx
        waiting: deque[tuple[Turn, float]] = deque()
        for index in range(order.frames):
            goes_on = self._stage.go_on(index / order.rate)
            aim.follow()
            waiting.append((photographer.begin(), ctx.sim_time))
            if len(waiting) > 1:
                yield waiting.popleft()
            if not goes_on:
                break
        yield from waiting


def _smooth(model: mujoco.MjModel) -> None:
    """Gives round things finer facets than MuJoCo's own; to be done before they are uploaded."""
    model.vis.quality.numslices = max(int(model.vis.quality.numslices), SLICES)
    model.vis.quality.numstacks = max(int(model.vis.quality.numstacks), SLICES // 2)
