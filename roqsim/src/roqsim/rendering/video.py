"""Videos: frames in, a file out, one writer for each kind of file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import numpy as np

from roqsim.errors import ConfigError
from roqsim.extras import load_extra

CRF = "23"
"""The quality of H.264: x264's own default."""

PRESET = "veryfast"
"""The effort of x264, at which it is faster than the renderer."""

GIF_TICK = 0.01
"""The unit in seconds of a GIF's frame times."""

WEBP_QUALITY = 80
"""From 0 (small) to 100 (good)."""


class VideoWriter(Protocol):
    """Takes frames until it is closed; a closed file is whole, however many frames came."""

    def add(self, frame: np.ndarray) -> None:
        """Appends a frame, ``(h, w, 3)`` uint8 RGB, contiguous."""

    def close(self) -> None:
        """Finishes the file; may be called more than once."""


class Mp4Writer:
    """H.264 by ffmpeg in a process of its own.

    A thread feeds ffmpeg: a KeyboardInterrupt reaches the main thread alone, so that it cannot cut a frame in two and
    the file can still be finished.

    Args:
        path: The file.
        width: Columns; even.
        height: Rows; even.
        fps: Frames a second.

    Raises:
        ConfigError: ffmpeg's package is missing, or the size is odd.
    """

    def __init__(self, path: Path, width: int, height: int, fps: float) -> None:
        check_video(path, width, height)
        self._frames = _ffmpeg().write_frames(
            str(path),
            (width, height),
            fps=fps,
            codec="libx264",
            quality=None,
            macro_block_size=2,
            ffmpeg_log_level="error",
            output_params=["-crf", CRF, "-preset", PRESET, "-movflags", "+faststart", "-fflags", "+bitexact"],
        )
        self._feeder: ThreadPoolExecutor | None = ThreadPoolExecutor(1, "video")
        self._feeder.submit(self._frames.send, None).result()

    def add(self, frame: np.ndarray) -> None:
        """Appends a frame."""
        self._feeder.submit(self._frames.send, frame).result()

    def close(self) -> None:
        """Finishes the file."""
        if self._feeder is not None:
            feeder, self._feeder = self._feeder, None
            feeder.submit(self._frames.close)
            feeder.shutdown()


def _ffmpeg() -> object:
    otherwise = ", or write a .gif or .webp"
    return load_extra("imageio_ffmpeg", "video", ".mp4", package="imageio-ffmpeg", otherwise=otherwise)


class AnimationWriter:
    """GIF or WebP by Pillow, which needs all frames before it writes any; they are kept in its own form.

    Args:
        path: The file; its suffix says which.
        width: Columns.
        height: Rows.
        fps: Frames a second.
    """

    def __init__(self, path: Path, width: int, height: int, fps: float) -> None:
        self._path = path
        self._fps = fps
        self._frames: list[object] = []
        self._is_gif = path.suffix.lower() == ".gif"

    def add(self, frame: np.ndarray) -> None:
        """Appends a frame."""
        from PIL import Image

        image = Image.fromarray(frame)
        self._frames.append(image.quantize(256, Image.Quantize.FASTOCTREE) if self._is_gif else image)

    def close(self) -> None:
        """Writes the file."""
        frames, self._frames = self._frames, []
        if not frames:
            return
        unit = GIF_TICK if self._is_gif else 0.001
        durations = frame_times(len(frames), self._fps, unit)
        options = {} if self._is_gif else {"quality": WEBP_QUALITY, "method": 4}
        frames[0].save(
            self._path,
            save_all=True,
            append_images=frames[1:],
            duration=[1000.0 * d for d in durations],
            loop=0,
            **options,
        )


def frame_times(count: int, fps: float, unit: float) -> list[float]:
    """How long each frame is shown, in whole units, without drifting from the rate.

    Args:
        count: How many frames.
        fps: Frames a second.
        unit: What times are counted in, in seconds.

    Returns:
        ``count`` times in seconds, at least one unit each.
    """
    ends = [round(index / fps / unit) for index in range(count + 1)]
    return [max(later - earlier, 1) * unit for earlier, later in zip(ends, ends[1:], strict=False)]


WRITERS: Mapping[str, Callable[[Path, int, int, float], VideoWriter]] = MappingProxyType(
    {".mp4": Mp4Writer, ".gif": AnimationWriter, ".webp": AnimationWriter}
)
"""The writers by suffix."""


def check_video(path: Path, width: int, height: int) -> None:
    """Makes sure that a file can be encoded here.

    Raises:
        ConfigError: The package that encodes it is missing, or it does not take such a size.
    """
    if WRITERS[path.suffix.lower()] is not Mp4Writer:
        return
    _ffmpeg()
    if width % 2 or height % 2:
        even = f"{width + width % 2}x{height + height % 2}"
        raise ConfigError(f"--size: expected even numbers for {path.suffix}, got {width}x{height}; take {even}")


def open_video(path: Path, width: int, height: int, fps: float) -> VideoWriter:
    """The writer for a file.

    Args:
        path: The file; its suffix is one of ``WRITERS``.
        width: Columns.
        height: Rows.
        fps: Frames a second.

    Raises:
        ConfigError: The kind of file can not be written here.
    """
    return WRITERS[path.suffix.lower()](path, width, height, fps)
