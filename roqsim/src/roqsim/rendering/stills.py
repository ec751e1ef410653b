"""Pictures of a simulation that people look at: one camera, developed to the size they asked for, encoded to a file."""

from __future__ import annotations

import io

import mujoco
import numpy as np

from roqsim.errors import RoqsimError
from roqsim.rendering.grade import Grade
from roqsim.rendering.pinhole import Pinhole
from roqsim.rendering.service import RenderService
from roqsim.rendering.turn import Turn
from roqsim.rendering.view import View

NEAREST = 0.05
"""The farthest that the near end of a picture lies, in metres."""

DEPTH = 50.0
"""The far end of a picture, as a multiple of the distance to the subject or of the world's extent."""

JPEG_QUALITY = 88
"""From 1 (small) to 95 (good)."""

FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}
"""The formats of stills by suffix."""


def clip_for(distance: float, extent: float) -> tuple[float, float]:
    """A near and a far end in metres between which is everything from close to the camera to far behind the subject.

    Args:
        distance: To the subject in metres.
        extent: The world's size in metres.
    """
    return min(NEAREST, distance / DEPTH), DEPTH * max(distance, extent, NEAREST)


class Photographer:
    """Takes pictures with one camera.

    Args:
        service: Who draws.
        camera: The id of a camera of the model, or a free one, which may be moved between pictures.
        lens: Optics for the size of the finished picture.
        grade: The quality.
        capacity: How many pictures may be on their way or undeveloped.
    """

    def __init__(
        self, service: RenderService, camera: int | mujoco.MjvCamera, lens: Pinhole, grade: Grade, capacity: int = 3
    ) -> None:
        self._service = service
        self._size = (lens.width, lens.height)
        self._oversize = grade.oversize_for(lens.width, lens.height)
        view = View("picture", camera, _enlarged(lens, self._oversize), grade.quality)
        self._stream = service.open_view(view, capacity=capacity)

    def begin(self) -> Turn:
        """Captures the current state; on the physics thread, which may go on meanwhile.

        Raises:
            GLError: Nothing can be drawn.
        """
        return self._service.capture([(self._stream, ("colour",), None)], wait=True)[0]

    def develop(self, turn: Turn) -> np.ndarray:
        """Waits for a picture.

        Returns:
            ``(h, w, 3)`` uint8 RGB of the finished size, the caller's own.

        Raises:
            GLError: Nothing can be drawn any more.
            RoqsimError: This one came to nothing.
        """
        turn.wait()
        if turn.lease is None:
            raise RoqsimError(f"expected a picture, got none; {turn.reason}")
        with turn.lease as lease:
            return shrunk(lease.colour, self._oversize)

    def take(self) -> np.ndarray:
        """A picture of the current state; see ``develop``."""
        return self.develop(self.begin())

    def close(self) -> None:
        """Gives the camera back."""
        self._stream.close()


def _enlarged(lens: Pinhole, factor: int) -> Pinhole:
    """Optics that draw the same picture with ``factor`` times as many columns and rows."""
    fx, fy = lens.fx * factor, lens.fy * factor
    # The middle of a pixel is at its integer, so that edges scale and centres do not.
    cx, cy = (lens.cx + 0.5) * factor - 0.5, (lens.cy + 0.5) * factor - 0.5
    return Pinhole(lens.width * factor, lens.height * factor, fx, fy, cx, cy, lens.near, lens.far)


def shrunk(picture: np.ndarray, factor: int) -> np.ndarray:
    """A picture whose pixels are the means of ``factor`` by ``factor`` ones, rounded; a contiguous copy.

    Args:
        picture: ``(h, w, 3)`` uint8, of a height and width that the factor divides.
        factor: At most 16.
    """
    if factor == 1:
        return np.array(picture)
    height, width, channels = picture.shape
    blocks = picture.reshape(height // factor, factor, width // factor, factor, channels)
    total = blocks.sum(axis=(1, 3), dtype=np.uint16)
    return ((total + factor * factor // 2) // (factor * factor)).astype(np.uint8)


def encode(picture: np.ndarray, suffix: str) -> bytes:
    """The content of a file; the same picture gives the same bytes.

    Args:
        picture: ``(h, w, 3)`` uint8 RGB, contiguous.
        suffix: A key of ``FORMATS``.
    """
    from PIL import Image

    file = io.BytesIO()
    options = {"quality": JPEG_QUALITY, "optimize": True} if FORMATS[suffix] == "JPEG" else {"optimize": True}
    Image.fromarray(picture).save(file, format=FORMATS[suffix], **options)
    return file.getvalue()
