"""MuJoCo's classic renderer behind one offscreen GL context: bit-deterministic, and it works in software."""

from __future__ import annotations

import importlib
import threading

import mujoco
import numpy as np

from roqsim.errors import GLError
from roqsim.rendering.backend import ContextLost, Device, Shot
from roqsim.rendering.depth import to_metres
from roqsim.rendering.device import explain, in_turn, leave_a_core, usable_backend
from roqsim.rendering.quality import Needs

FONT_SCALE = 150
"""The size of MuJoCo's bitmap font in percent; nothing here writes text."""

CONTEXT_LOST = 0x0507
"""GL_CONTEXT_LOST of the GL 4.5 specification."""

_MAKING = threading.Lock()
"""Contexts are made one at a time: the EGL display belongs to the process."""

_FLAGS = mujoco.mjtRndFlag


class ClassicBackend:
    """Draws with ``mjr_*``; see ``Backend``.

    Depth and geoms come from one pass of their own in flat id colours, so that neither depends on whether colour is
    drawn too, on multisampling, transparency or the sky.

    Args:
        background: Whether something else runs meanwhile, to which drawing in software leaves a core.
    """

    def __init__(self, *, background: bool = True) -> None:
        self._background = background
        self._gl: object | None = None
        self._context: mujoco.MjrContext | None = None
        self._measured: Shot | None = None
        self._ids = np.zeros((0, 0, 3), np.uint8)

    def open(self) -> Device:
        """Makes the GL context and asks for the driver's name."""
        backend = usable_backend()
        if self._background:
            leave_a_core()
        try:
            with _MAKING, in_turn():
                self._gl = importlib.import_module(f"mujoco.{backend}").GLContext(64, 64)
                self._gl.make_current()
                gl = importlib.import_module("OpenGL.GL")
                name = gl.glGetString(gl.GL_RENDERER)
        except GLError:
            raise
        except Exception as error:
            raise explain(error, backend) from error
        if not name:
            raise explain(RuntimeError("the driver does not tell its name"), backend)
        return Device(name.decode(errors="replace"), backend)

    def load(self, model: mujoco.MjModel, needs: Needs) -> None:
        """Makes MuJoCo's part of the context, which takes its sizes from ``<visual>``; that is put back."""
        if self._context is not None:
            self._context.free()
        self._context = self._measured = None
        quality, size = model.vis.quality, model.vis.global_
        before = (quality.offsamples, quality.shadowsize, size.offwidth, size.offheight)
        try:
            quality.offsamples, quality.shadowsize = needs.samples, needs.shadow_size
            size.offwidth, size.offheight = needs.width, needs.height
            self._context = mujoco.MjrContext(model, FONT_SCALE)
        except mujoco.FatalError as error:
            raise GLError(
                f"expected a {needs.width} x {needs.height} picture with {needs.samples} samples, got: {error}; "
                "make it smaller, or lower the camera's quality"
            ) from error
        finally:
            quality.offsamples, quality.shadowsize, size.offwidth, size.offheight = before
        mujoco.mjr_setBuffer(int(mujoco.mjtFramebuffer.mjFB_OFFSCREEN), self._context)
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR

    def draw(self, plane: str, shot: Shot, out: np.ndarray) -> None:
        """Draws one plane."""
        if self._context is None:
            raise ContextLost("the GL context is closed")
        rect = mujoco.MjrRect(0, 0, shot.lens.width, shot.lens.height)
        try:
            if plane == "colour":
                self._render_colour(rect, shot)
                mujoco.mjr_readPixels(out, None, rect, self._context)
            else:
                self._render_ids(rect, shot)
                self._read_measured(plane, rect, shot, out)
        except mujoco.FatalError as error:
            raise ContextLost(f"the GL context is lost: {error}") from error
        if mujoco.mjr_getError() == CONTEXT_LOST:
            raise ContextLost("the GL context is lost: the driver was reset")

    def _render_colour(self, rect: mujoco.MjrRect, shot: Shot) -> None:
        flags, quality = shot.scene.flags, shot.quality
        flags[_FLAGS.mjRND_SHADOW] = quality.shadows
        flags[_FLAGS.mjRND_REFLECTION] = quality.reflections
        flags[_FLAGS.mjRND_SEGMENT] = flags[_FLAGS.mjRND_IDCOLOR] = 0
        for flag, value in shot.flags:
            flags[flag] = value
        _aim(shot, shot.lens.far_behind_sky if shot.has_sky else shot.lens.far)
        self._measured = None
        mujoco.mjr_render(rect, shot.scene, self._context)

    def _render_ids(self, rect: mujoco.MjrRect, shot: Shot) -> None:
        if self._measured is shot:
            return
        flags = shot.scene.flags
        flags[_FLAGS.mjRND_SEGMENT] = flags[_FLAGS.mjRND_IDCOLOR] = 1
        flags[_FLAGS.mjRND_SHADOW] = flags[_FLAGS.mjRND_REFLECTION] = 0
        _aim(shot, shot.lens.far)
        mujoco.mjr_render(rect, shot.scene, self._context)
        self._measured = shot

    def _read_measured(self, plane: str, rect: mujoco.MjrRect, shot: Shot, out: np.ndarray) -> None:
        if plane == "depth":
            mujoco.mjr_readPixels(None, out, rect, self._context)
            to_metres(out, shot.lens.near, shot.lens.far)
            return
        if self._ids.shape[:2] != out.shape:
            self._ids = np.zeros((*out.shape, 3), np.uint8)
        mujoco.mjr_readPixels(self._ids, None, rect, self._context)
        _to_geoms(self._ids, shot.scene, out)

    def close(self) -> None:
        """Frees MuJoCo's part, then the context."""
        context, self._context = self._context, None
        gl, self._gl = self._gl, None
        self._measured = None
        try:
            if context is not None:
                context.free()
        finally:
            if gl is not None:
                gl.free()


def _aim(shot: Shot, far: float) -> None:
    """Puts a scene's camera, and the headlight that goes with it, where the shot is taken from."""
    eye, lens = shot.eye, shot.lens
    left, right, bottom, top = (slope * lens.near for slope in lens.slopes)
    # The two cameras of a stereo pair, whose mean is the one that draws.
    for camera in shot.scene.camera:
        camera.pos, camera.forward, camera.up = eye.position, eye.forward, eye.up
        camera.frustum_near, camera.frustum_far = lens.near, far
        camera.frustum_bottom, camera.frustum_top = bottom, top
        camera.frustum_center, camera.frustum_width = (left + right) / 2.0, (right - left) / 2.0
        camera.orthographic = 0
    for light in shot.scene.lights[: shot.scene.nlight]:
        if light.headlight:
            light.pos, light.dir = eye.position, eye.forward


def _to_geoms(colours: np.ndarray, scene: mujoco.MjvScene, out: np.ndarray) -> None:
    """Translates id colours, ``(h, w, 3)`` with one more than the place in the scene, to geom ids or -1."""
    places = colours[..., 0].astype(np.int32)
    places += colours[..., 1].astype(np.int32) << 8
    places += colours[..., 2].astype(np.int32) << 16
    geom = int(mujoco.mjtObj.mjOBJ_GEOM)
    table = np.full(scene.ngeom + 1, -1, np.int32)
    scene_geoms = scene.geoms
    for place in np.unique(places).tolist():
        if 0 < place <= scene.ngeom:
            drawn = scene_geoms[place - 1]
            table[place] = drawn.objid if int(drawn.objtype) == geom else -1
    places[places > scene.ngeom] = 0
    np.take(table, places, out=out)
