"""What draws: the classic MuJoCo renderer, or a fake one in tests. All calls come from the render thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import mujoco
import numpy as np

from roqsim.errors import GLError
from roqsim.gl import is_software
from roqsim.rendering.eye import Eye
from roqsim.rendering.pinhole import Pinhole
from roqsim.rendering.quality import Needs, Resolved


class ContextLost(GLError):
    """The GL context is gone; nothing can be drawn any more."""


@dataclass(frozen=True)
class Device:
    """What draws.

    Attributes:
        renderer: The name that the driver gives itself.
        backend: The value of ``MUJOCO_GL`` that leads to it.
    """

    renderer: str
    backend: str

    @property
    def is_software(self) -> bool:
        """Whether the CPU draws."""
        return is_software(self.renderer)

    def __str__(self) -> str:
        return f"{self.renderer} (MUJOCO_GL={self.backend or 'unset'})"


@dataclass
class Shot:
    """One picture to draw.

    Attributes:
        scene: Geoms and lights; its camera and flags are the backend's to write.
        eye: Where the camera is.
        lens: Its optics.
        quality: How beautiful.
        has_sky: Whether the scene has a sky that could hide something.
        flags: Further rendering flags by number.
    """

    scene: mujoco.MjvScene
    eye: Eye
    lens: Pinhole
    quality: Resolved
    has_sky: bool = False
    flags: tuple[tuple[int, bool], ...] = ()


class Backend(Protocol):
    """Draws planes of shots; a failure of one plane raises, and the next plane may still succeed."""

    def open(self) -> Device:
        """Makes the GL context.

        Raises:
            GLError: If there is no usable GL.
        """

    def load(self, model: mujoco.MjModel, needs: Needs) -> None:
        """Uploads meshes and textures and makes the offscreen buffer; again for other needs or another model."""

    def draw(self, plane: str, shot: Shot, out: np.ndarray) -> None:
        """Draws one plane into ``out``, rows from the bottom up (see ``PLANE_FORMATS``).

        Raises:
            ContextLost: If nothing can be drawn any more.
        """

    def close(self) -> None:
        """Frees everything; may be called more than once."""
