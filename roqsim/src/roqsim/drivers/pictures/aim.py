"""Where the camera of a picture stands: at a camera of the model, or where a person would put it."""

from __future__ import annotations

import math
from dataclasses import replace

import mujoco
import numpy as np

from roqsim.config.sim import View
from roqsim.context import SimContext
from roqsim.drivers.pictures.order import Order
from roqsim.errors import NotFoundError, RoqsimError, suggest
from roqsim.mj.cameras import intrinsics, is_perspective
from roqsim.mj.names import object_id
from roqsim.mj.poses import from_euler, rotate, yaw_of
from roqsim.rendering.framing import Wish, find_viewpoint
from roqsim.rendering.pinhole import Pinhole
from roqsim.rendering.sight import Sight
from roqsim.rendering.stills import clip_for
from roqsim.rendering.subject import facing, find_entity, preferred_angles, subject_boxes
from roqsim.rendering.viewpoint import ANGLE_DIGITS

PLACE = ("lookat", "distance", "azimuth", "elevation")
"""The keys of ``sim.view`` that say where a camera is."""


def check_names(ctx: SimContext, order: Order) -> None:
    """Makes sure that the camera and the entities of an order exist, so that nothing is simulated in vain.

    Raises:
        NotFoundError: One does not.
        RoqsimError: The camera is none that a picture can be taken with.
    """
    if order.camera is not None:
        FixedAim(ctx, order.camera)
    for name in order.focus:
        if name not in ctx.entities:
            known = [entity.name for entity in ctx.entities]
            raise NotFoundError(f"--focus: expected the name of an entity, got {name!r}; {suggest(name, known)}")


def aim_of(ctx: SimContext, order: Order, view: View | None) -> FixedAim | FreeAim:
    """The camera for an order, in the current state.

    Args:
        ctx: A simulation.
        order: What is to be shown.
        view: The ``sim.view`` of its world.
    """
    return FreeAim(ctx, order, view or View()) if order.camera is None else FixedAim(ctx, order.camera)


class FixedAim:
    """A camera of the model, with its own place and optics.

    Attributes:
        camera: Its id.
        distance: A length in metres by which the clip range is chosen.
    """

    def __init__(self, ctx: SimContext, name: str) -> None:
        model = ctx.model
        self.camera = object_id(model, "camera", name, where="--camera")
        if not is_perspective(model, self.camera):
            raise RoqsimError(
                f"--camera: expected a camera with a perspective projection, got {name!r}, which is orthographic; "
                "choose another one, or leave it out"
            )
        self.distance = float(model.stat.extent)
        self._model = model

    def lens(self, width: int, height: int) -> Pinhole:
        """Its optics for a picture of a size, which shows the height that the camera shows."""
        clip = clip_for(self.distance, self.distance)
        return Pinhole(width, height, *intrinsics(self._model, self.camera, width, height), *clip)

    def follow(self) -> None:
        """Nothing to do: MuJoCo moves it."""

    def words(self) -> None:
        """Nothing that ``--view`` could say."""


class FreeAim:
    """A camera that stands where a person would put it, and goes along with an entity where ``track`` names one.

    Attributes:
        camera: MuJoCo's free camera.
        distance: To the subject in metres.
    """

    def __init__(self, ctx: SimContext, order: Order, view: View) -> None:
        ctx.refresh()
        model = ctx.model
        self._fovy = math.radians(float(model.vis.global_.fovy))
        self.camera = mujoco.MjvCamera()
        self._ctx, self._track, self._body = ctx, view.track, None
        self._turns = view.follow_heading
        focus = order.focus
        if view.track is not None:
            self._body = int(find_entity(ctx, view.track, "sim.view.track").body or 0)
            self._from, self._heading = self._tracked()
            focus = focus or (view.track,)
        angles = preferred_angles(model)
        if order.focus or "track" in order.viewed:
            view = _given(view, order.viewed)
        if order.focus:
            angles = facing(ctx, find_entity(ctx, order.focus[0], "--focus"))
        if self._turns and view.azimuth is not None:
            view = replace(view, azimuth=view.azimuth + self._heading)
        half = math.tan(self._fovy / 2.0)
        width, height = order.columns_rows
        boxes = subject_boxes(ctx, focus)
        slopes = (half * width / height, half)
        self._viewpoint = find_viewpoint(boxes, Sight(model, ctx.data, boxes), Wish(view, *angles), slopes).rounded()
        if self._turns:
            # What is reported counts from the heading, and what is drawn follows from the report.
            self._azimuth = round((self._viewpoint.azimuth - self._heading) % 360.0, ANGLE_DIGITS)
        self.distance = self._viewpoint.distance
        self.follow()

    def lens(self, width: int, height: int) -> Pinhole:
        """MuJoCo's optics of free cameras for a picture of a size."""
        clip = clip_for(self.distance, float(self._ctx.model.stat.extent))
        return Pinhole.from_fovy(width, height, self._fovy, *clip)

    def _tracked(self) -> tuple[np.ndarray, float]:
        """``(3,)`` where the tracked entity is, and its heading in degrees."""
        data = self._ctx.data
        heading = math.degrees(yaw_of(tuple(data.xquat[self._body].tolist())))
        return data.xpos[self._body].copy(), heading

    def follow(self) -> None:
        """Goes along with the entity that it tracks."""
        viewpoint = self._viewpoint
        if self._body is not None:
            self._ctx.refresh()
            position, heading = self._tracked()
            offset = np.asarray(viewpoint.lookat) - self._from
            if self._turns:
                turn = math.radians(heading - self._heading)
                offset = np.array(rotate(from_euler(0.0, 0.0, turn), tuple(offset.tolist())))
                viewpoint = replace(viewpoint, azimuth=self._azimuth + heading)
            viewpoint = replace(viewpoint, lookat=tuple((position + offset).tolist()))
        viewpoint.aim(self.camera)

    def words(self) -> dict[str, object]:
        """The first frame's camera in the words of ``--view``."""
        viewpoint = self._viewpoint
        found: dict[str, object] = {
            "azimuth": self._azimuth if self._turns else viewpoint.azimuth,
            "elevation": viewpoint.elevation,
            "distance": viewpoint.distance,
            "lookat": list(viewpoint.lookat),
        }
        if self._track is not None:
            found["track"] = self._track
        if self._turns:
            found["follow_heading"] = True
        return found


def _given(view: View, keys: frozenset[str]) -> View:
    """A view without what the world says of the camera's place, which suits the scene rather than a part of it."""
    kept = {key: getattr(view, key) for key in PLACE if key in keys}
    return View(track=view.track, follow_heading=view.follow_heading, **kept)
