"""A camera of the renderer: where it looks from, its optics, its quality and what it sees."""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco

from roqsim.rendering.pinhole import Pinhole
from roqsim.rendering.quality import Quality
from roqsim.rendering.scene import SceneOptions


@dataclass(frozen=True)
class View:
    """One camera.

    Attributes:
        name: How messages and counters call it.
        camera: The id of a camera of the model, or a free camera, which may be moved between captures.
        lens: Size, intrinsics and clip range.
        quality: How beautiful.
        options: What is drawn.
        flags: Further rendering flags by number (``mjtRndFlag``).
    """

    name: str
    camera: int | mujoco.MjvCamera
    lens: Pinhole
    quality: Quality = Quality()
    options: SceneOptions = SceneOptions()
    flags: tuple[tuple[int, bool], ...] = field(default=())
