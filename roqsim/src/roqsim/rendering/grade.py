"""The grades of a picture's quality that a user chooses from: low, medium, high, or whatever suits the device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from roqsim.rendering.quality import Quality

MOST_PIXELS = 4096 * 4096
"""Pixels up to which a picture is drawn larger than it will be, for the memory that this takes."""


@dataclass(frozen=True)
class Grade:
    """A quality of pictures that somebody looks at.

    Attributes:
        quality: How they are drawn.
        oversize: How much wider and higher they are drawn than they will be.
    """

    quality: Quality
    oversize: int = 1

    def oversize_for(self, width: int, height: int) -> int:
        """The oversize of a picture of so many pixels, 1 where the larger one would not fit."""
        return self.oversize if self.oversize**2 * width * height <= MOST_PIXELS else 1


GRADES: Mapping[str, Grade] = MappingProxyType(
    {
        "low": Grade(Quality(shadows=False, reflections=False, samples=0, shadow_size=0)),
        "medium": Grade(Quality(shadows=True, reflections=False, samples=4, shadow_size=4096)),
        "high": Grade(Quality(shadows=True, reflections=True, samples=4, shadow_size=8192), 2),
    }
)
"""The grades by name: low has neither shadows nor smooth edges, high has reflections and the smoothest edges too."""

AUTO = "auto"
"""The name of the grade that is left to the device."""

NAMES = (AUTO, *GRADES)
"""What can be chosen."""


def grade(name: str, *, software: bool, moving: bool) -> Grade:
    """The grade of a name.

    Args:
        name: One of ``NAMES``; ``auto`` is high, but medium for a video that is drawn in software.
        software: Whether the CPU draws.
        moving: Whether it is for a video.
    """
    if name != AUTO:
        return GRADES[name]
    return GRADES["medium" if software and moving else "high"]
