"""What a still or video is to be: checked before anything is simulated for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from roqsim.config.nodes import Origin, load_value
from roqsim.config.overrides import Assignment
from roqsim.destination import check_file
from roqsim.errors import ConfigError, Problem
from roqsim.rendering.grade import AUTO
from roqsim.rendering.overlays import Overlay
from roqsim.rendering.stills import FORMATS
from roqsim.rendering.video import WRITERS, check_video

SIZE = (1280, 720)
"""Columns and rows of a still or video where nothing is said."""

GIF_SIZE = (480, 270)
"""The same of a GIF, which hardly compresses."""

SECONDS = 5.0
"""How long a video lasts where nothing is said."""

FPS, GIF_FPS = 25.0, 10.0
"""Frames a second where nothing is said, of videos and of GIFs."""


@dataclass(frozen=True)
class Order:
    """A still or a video.

    Attributes:
        out: The file; its suffix says which kind.
        size: Columns and rows; None for the kind's own.
        camera: The name of a camera of the model, instead of a free one.
        focus: The entities that it is about; none for the scene.
        viewed: The keys of ``sim.view`` that were given for this picture, rather than by the world.
        at: Simulated seconds before it begins.
        seconds: How long a video lasts; None for ``SECONDS``.
        fps: Frames a second; None for the kind's own.
        quality: A name of ``roqsim.rendering.grade``.
        overlays: What is painted on it.
        seed: The seed of the run, or None.
    """

    out: Path
    size: tuple[int, int] | None = None
    camera: str | None = None
    focus: tuple[str, ...] = ()
    viewed: frozenset[str] = frozenset()
    at: float = 0.0
    seconds: float | None = None
    fps: float | None = None
    quality: str = AUTO
    overlays: tuple[Overlay, ...] = ()
    seed: int | None = None

    @property
    def suffix(self) -> str:
        """The file's suffix in small letters."""
        return self.out.suffix.lower()

    @property
    def is_video(self) -> bool:
        """Whether it moves."""
        return self.suffix in WRITERS

    @property
    def columns_rows(self) -> tuple[int, int]:
        """Its size."""
        return self.size or (GIF_SIZE if self.suffix == ".gif" else SIZE)

    @property
    def rate(self) -> float:
        """Frames a second."""
        return self.fps or (GIF_FPS if self.suffix == ".gif" else FPS)

    @property
    def frames(self) -> int:
        """How many pictures it takes."""
        seconds = SECONDS if self.seconds is None else self.seconds
        return max(round(seconds * self.rate), 1) if self.is_video else 1

    def check(self) -> None:
        """Makes sure that it can be carried out.

        Raises:
            ConfigError: The kind of file is unknown, an option does not go with it, or it can not be written.
        """
        problems = []
        if self.suffix not in FORMATS and self.suffix not in WRITERS:
            kinds = f"{', '.join(FORMATS)} for a still, {', '.join(WRITERS)} for a video"
            problems.append(f"--out: expected a file that ends in {kinds}, got {str(self.out)!r}")
        elif not self.is_video:
            for option, value in (("--seconds", self.seconds), ("--fps", self.fps)):
                if value is not None:
                    kinds = " or ".join(WRITERS)
                    problems.append(f"{option}: expected a video, got {str(self.out)!r}; end it in {kinds}")
        if self.camera is not None:
            for option, value in (("--view", self.viewed), ("--focus", self.focus)):
                if value:
                    problems.append(f"{option}: expected to stand without --camera, which fixes the picture; take one")
        if problems:
            raise ConfigError(problems)
        if self.is_video:
            check_video(self.out, *self.columns_rows)
        check_file(self.out, overwrite=True)


def view_assignments(texts: Iterable[str]) -> list[Assignment]:
    """The overrides of ``sim.view`` that texts such as ``azimuth=120`` or ``lookat=0,0,1`` state.

    Raises:
        ConfigError: With every text that is no assignment.
    """
    found, problems = [], []
    for text in texts:
        key, equals, value = text.partition("=")
        key, origin = key.strip(), Origin(f"--view {text}")
        if not equals or not key or not value.strip():
            hint = "write for example azimuth=120 or lookat=0,0,1"
            problems.append(Problem("--view", "KEY=VALUE", repr(text), None, hint))
            continue
        if "," in value and not value.lstrip().startswith("["):
            value = f"[{value}]"
        try:
            found.append(Assignment(("sim", "view", *key.split(".")), load_value(value, origin.source)))
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError(problems)
    return found
