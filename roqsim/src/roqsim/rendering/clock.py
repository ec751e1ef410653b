"""The overlay ``clock``: the simulated time in a corner of the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roqsim.rendering.overlays import Placement, paste

if TYPE_CHECKING:
    from PIL.Image import Image

HEIGHT = 0.045
"""The height of its letters as a fraction of the frame's height, where nothing is said about its width."""

PADDING = 0.4
"""The space around the text, in heights of a letter."""

MOST_DECIMALS = 9

SMALLEST, SAMPLE = 6.0, 100.0
"""The size of the smallest letters, and of those by which the width of a text is measured, in pixels."""


class Clock:
    """Writes the simulated time.

    Args:
        placement: Where.
        decimals: Digits behind the point of the seconds, 0 to 9.
        label: What stands before the number.
    """

    name = "clock"

    def __init__(self, placement: Placement, *, decimals: int = 2, label: str = "t = ") -> None:
        is_count = isinstance(decimals, int) and not isinstance(decimals, bool)
        if not is_count or not 0 <= decimals <= MOST_DECIMALS:
            raise ValueError(f"decimals: expected a whole number from 0 to {MOST_DECIMALS}, got {decimals!r}")
        self._placement = placement
        self._decimals = decimals
        self._label = str(label)
        self._letters = 16.0

    def prepare(self, width: int, height: int, *, state: object = None) -> None:
        """Sizes the letters."""
        self._letters = max(HEIGHT * height, SMALLEST)
        if self._placement.width is not None:
            self._letters = max(SAMPLE * self._placement.width * width / self._plate(0.0, SAMPLE).width, SMALLEST)

    def text(self, t: float) -> str:
        """What is written at ``t`` seconds."""
        return f"{self._label}{t:.{self._decimals}f} s"

    def draw(self, frame: np.ndarray, t: float) -> np.ndarray:
        """Lays the time over a frame."""
        return paste(frame, self._plate(t, self._letters), self._placement)

    def _plate(self, t: float, letters: float) -> Image:
        """The time in letters of so many pixels on a dark plate."""
        from PIL import Image, ImageDraw, ImageFont

        font = ImageFont.load_default(size=letters)
        text = self.text(t)
        # Every digit takes the room of a zero, so that the plate keeps its size while the time runs.
        left, top, right, bottom = font.getbbox("".join("0" if letter.isdigit() else letter for letter in text))
        pad = round(PADDING * letters)
        plate = Image.new("RGBA", (round(right - left) + 2 * pad, round(bottom - top) + 2 * pad), (20, 24, 30, 160))
        ImageDraw.Draw(plate).text((pad - left, pad - top), text, fill=(255, 255, 255, 255), font=font)
        return plate
