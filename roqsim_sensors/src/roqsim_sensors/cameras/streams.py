"""What a camera can be told about its optics, its streams and its quality."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from roqsim.config.pose import Pose
from roqsim.config.schema import opt

from roqsim_sensors.cameras.distortion import PlumbBob, Warp, warp_of
from roqsim_sensors.cameras.intrinsics import Intrinsics

DEFAULT_FOVY = 0.7853981634
"""MuJoCo's own vertical field of view, 45 degrees, in radians."""

LARGEST_SIDE = 16384
"""The largest picture that today's GL drivers draw, in pixels."""

AUTO = "auto"


@dataclass(frozen=True, kw_only=True)
class OpticsConfig:
    """Size of a picture and what its lens does."""

    width: int = opt(640, gt=0, le=LARGEST_SIDE, unit="px")
    """Columns."""
    height: int = opt(480, gt=0, le=LARGEST_SIDE, unit="px")
    """Rows."""
    fovy: float | None = opt(None, gt=0, lt=3.14, unit="rad")
    """Vertical field of view, with square pixels and the optical axis in the middle; 45 degrees or the device's own."""
    fx: float | None = opt(None, gt=0, unit="px")
    """Horizontal focal length, instead of `fovy`."""
    fy: float | None = opt(None, gt=0, unit="px")
    """Vertical focal length; `fx` by default."""
    cx: float | None = opt(None, unit="px")
    """Column that the optical axis meets, 0 being the middle of the first one; the picture's middle by default."""
    cy: float | None = opt(None, unit="px")
    """Row that the optical axis meets, 0 being the middle of the first one; the picture's middle by default."""
    distortion: tuple[float, ...] = opt((), length=(0, 5))
    """Lens distortion k1, k2, p1, p2, k3 (`plumb_bob`); what is left out is 0."""

    full_fovy: ClassVar[float] = DEFAULT_FOVY
    """Vertical field of view in radians of the whole sensor, where neither `fovy` nor `fx` says another."""
    full_aspect: ClassVar[float] = math.inf
    """Columns by rows of the whole sensor; wider pictures lose rows, narrower ones columns."""

    def __post_init__(self) -> None:
        self.check_optics()

    def check_optics(self) -> None:
        """Raises ValueError where keys contradict each other."""
        if self.fovy is not None and self.fx is not None:
            raise ValueError(f"fx: expected fovy or fx, not both, got {self.fx!r}; remove one of the two keys")
        for name in ("fy", "cx", "cy"):
            value = getattr(self, name)
            if value is not None and self.fx is None:
                raise ValueError(f"{name}: expected it beside fx, got {value!r} without; add fx, or remove {name}")
        if self.distortion:
            try:
                self.warp()
            except ValueError as error:
                raise ValueError(f"distortion: {error}") from None

    def intrinsics(self, default: Intrinsics | None = None) -> Intrinsics:
        """The geometry of the picture.

        Args:
            default: The geometry where no focal length is stated, with its own size.
        """
        if self.fx is None:
            if self.fovy is None and default is not None:
                return default
            return Intrinsics.from_fovy(self.width, self.height, self._own_fovy() if self.fovy is None else self.fovy)
        middle = ((self.width - 1) / 2.0, (self.height - 1) / 2.0)
        return Intrinsics(
            self.width,
            self.height,
            self.fx,
            self.fx if self.fy is None else self.fy,
            middle[0] if self.cx is None else self.cx,
            middle[1] if self.cy is None else self.cy,
        )

    def _own_fovy(self) -> float:
        """The vertical field of view of a picture of this size out of the middle of the sensor."""
        seen = min(1.0, self.full_aspect * self.height / self.width)
        return 2.0 * math.atan(math.tan(self.full_fovy / 2.0) * seen)

    def lens(self) -> PlumbBob:
        """The distortion."""
        return PlumbBob(*self.distortion)

    def warp(self, default: Intrinsics | None = None) -> Warp | None:
        """How the picture is distorted, or None where it is not; ``default`` as in ``intrinsics``."""
        return warp_of(self.intrinsics(default), self.lens()) if any(self.distortion) else None


@dataclass(frozen=True, kw_only=True)
class StreamOptics:
    """A stream that may have optics and a place of its own."""

    optics: OpticsConfig | None = opt(None)
    """Optics of this stream; those of the camera by default."""
    pose: Pose | None = opt(None)
    """Pose of this stream's imager in the camera's frame, axes as there; the camera's own place by default."""
    frame_id: str | None = opt(None)
    """Optical frame of this stream, where it has a pose of its own; `<label>_<stream>_optical_frame` by default."""

    def __post_init__(self) -> None:
        if self.frame_id is not None and self.pose is None:
            raise ValueError(f"frame_id: expected it beside a pose, got {self.frame_id!r} without; add pose")

    @property
    def is_own(self) -> bool:
        """Whether it differs from the camera's in anything."""
        return self.optics is not None or self.pose is not None


@dataclass(frozen=True, kw_only=True)
class ColourConfig(StreamOptics):
    """The colour picture."""

    jpeg_quality: int | None = opt(None, ge=1, le=95)
    """Adds the stream `image_compressed`, JPEG files of this quality."""


@dataclass(frozen=True, kw_only=True)
class DepthConfig(StreamOptics):
    """The depth picture: distances along the optical axis."""

    format: Literal["32FC1", "16UC1"] = opt("32FC1")
    """`32FC1`: metres, inf for nothing (REP-118); `16UC1`: whole millimetres, 0 for nothing."""
    range_min: float = opt(0.0, ge=0, unit="m")
    """Shortest distance that is measured; what is nearer gives nothing."""
    range_max: float | None = opt(None, gt=0, unit="m")
    """Longest distance that is measured; `clip_far` by default."""


@dataclass(frozen=True, kw_only=True)
class SegmentationConfig(StreamOptics):
    """The picture of labels: which entity each pixel shows."""


@dataclass(frozen=True, kw_only=True)
class PointsConfig:
    """The points of the depth picture, with its optics, limits and noise."""

    colours: bool = opt(False)
    """Whether each point has the colour of its pixel; colour and depth need the same optics."""


@dataclass(frozen=True, kw_only=True)
class QualityConfig:
    """How beautiful pictures are; `auto` is MuJoCo's own value on a graphics card, and off in software."""

    shadows: Literal["auto"] | bool = opt(AUTO)
    """Whether lights cast shadows."""
    reflections: Literal["auto"] | bool = opt(AUTO)
    """Whether reflecting surfaces reflect."""
    samples: Literal["auto"] | int = opt(AUTO, ge=0, le=16)
    """Samples a pixel against jagged edges; the largest of all cameras holds for each of them."""
    shadow_size: int | None = opt(None, gt=0, le=LARGEST_SIDE, unit="px")
    """Edge of the shadow map; the world's own by default, the largest of all cameras for each of them."""
    gpu: bool = opt(False)
    """Whether to refuse to draw in software."""

    def stated(self) -> dict[str, object]:
        """What is not left to the device."""
        values = {"shadows": self.shadows, "reflections": self.reflections, "samples": self.samples}
        stated = {key: value for key, value in values.items() if value != AUTO}
        return {**stated, "shadow_size": self.shadow_size, "gpu": self.gpu}
