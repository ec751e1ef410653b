"""What every camera can be told."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar, Literal

from roqsim.config.pose import Pose
from roqsim.config.schema import opt
from roqsim.sensing.sensor import SensorConfig

from roqsim_sensors.cameras.depth_image import CEILING, DepthModel
from roqsim_sensors.cameras.streams import (
    ColourConfig,
    DepthConfig,
    OpticsConfig,
    PointsConfig,
    QualityConfig,
    SegmentationConfig,
    StreamOptics,
)

STREAMS = ("colour", "depth", "segmentation", "points")

SERVED = {
    "colour": ("colour",),
    "depth": ("depth", "points"),
    "segmentation": ("segmentation",),
    "points": ("points",),
    "colour_stddev": ("colour",),
    "depth_stddev": ("depth", "points"),
    "depth_stddev_quadratic": ("depth", "points"),
    "depth_dropout_percent": ("depth", "points"),
}
"""By key: the streams of which one has to be there for it to mean something."""

PERCENT = 100.0


@dataclass(frozen=True, kw_only=True)
class CameraSensorConfig(SensorConfig, OpticsConfig):
    """Place, optics, streams, limits, noise and quality of a camera."""

    camera: str | None = opt(None)
    """Camera of the owning entity's model to look through, without the entity's prefix, instead of a place."""
    axes: Literal["body", "optical"] = opt("body")
    """Axes of the camera's frame: `body` looks along x with z up, `optical` along z with y down (REP-103)."""
    rate_hz: float = opt(30.0, gt=0, unit="Hz")
    """How often it takes pictures."""
    streams: tuple[Literal["colour", "depth", "segmentation", "points"], ...] = opt(("colour",), length=(1, 4))
    """What it delivers."""
    clip_near: float = opt(0.05, gt=0, unit="m")
    """Distance along the optical axis below which nothing is seen."""
    clip_far: float = opt(100.0, gt=0, unit="m")
    """Distance along the optical axis beyond which nothing is measured; colour sees on where the world has a sky."""
    colour: ColourConfig = opt(ColourConfig())
    """The colour picture."""
    depth: DepthConfig = opt(DepthConfig())
    """The depth picture."""
    segmentation: SegmentationConfig = opt(SegmentationConfig())
    """The picture of labels."""
    points: PointsConfig = opt(PointsConfig())
    """The points of the depth picture."""
    colour_stddev: float = opt(0.0, ge=0, le=255)
    """Standard deviation of each colour value, of 255."""
    depth_stddev: float = opt(0.0, ge=0, unit="m")
    """Standard deviation of a depth."""
    depth_stddev_quadratic: float = opt(0.0, ge=0, unit="1/m")
    """Growth of that standard deviation with the square of the depth, as stereo and structured light have it."""
    depth_dropout_percent: float = opt(0.0, ge=0, le=100, unit="%")
    """How many of a hundred pixels of a depth picture are lost by chance."""
    frame_loss_percent: float = opt(0.0, ge=0, le=100, unit="%")
    """How many of a hundred pictures are lost by chance."""
    quality: QualityConfig = opt(QualityConfig())
    """How beautiful pictures are."""
    when_busy: Literal["drop", "wait", "lockstep"] = opt("drop")
    """What a transport's pictures do to the simulation while the renderer is busy: nothing, and they are dropped; it
    waits for room; or, in lockstep, for each picture, so that what is read at a tick never depends on the renderer."""
    buffer: int = opt(3, ge=2, le=64)
    """How many pictures of each imager exist at once."""
    publish_frame: bool = opt(True)
    """Whether to publish the optical frame, where no model has it."""

    fault_keys: ClassVar[tuple[str, ...]] = (
        "colour_stddev", "depth_stddev", "depth_stddev_quadratic", "depth_dropout_percent", "frame_loss_percent",
    )  # fmt: skip

    def check(self) -> None:
        """Raises ValueError where keys contradict each other."""
        super().check()
        self.check_optics()
        if self.clip_near >= self.clip_far:
            raise ValueError(f"clip_near: expected less than clip_far ({self.clip_far:g} m), got {self.clip_near!r}")
        self._check_streams()
        self._check_depth()
        if self.camera is not None:
            self._check_camera()

    def _check_streams(self) -> None:
        twice = sorted({name for name in self.streams if self.streams.count(name) > 1})
        if twice:
            raise ValueError(f"streams: expected each stream once, got {twice[0]!r} again; remove one of them")
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        for key, needed in SERVED.items():
            if getattr(self, key) != defaults[key] and not set(needed) & set(self.streams):
                rule = " or ".join(repr(name) for name in needed)
                raise ValueError(
                    f"{key}: expected {rule} among streams, got {list(self.streams)!r}; add it, or remove {key}"
                )
        if self.points.colours and self.optics_of("colour") != self.optics_of("depth"):
            raise ValueError(
                "points.colours: expected colour and depth to have the same optics and pose, got different ones; "
                "remove colour.optics, colour.pose, depth.optics and depth.pose, or points.colours"
            )

    def _check_depth(self) -> None:
        depth, furthest = self.depth, self.furthest
        if depth.range_min >= furthest:
            raise ValueError(f"depth.range_min: expected less than {furthest:g} m, got {depth.range_min!r}")
        if "depth" in self.streams and depth.format == "16UC1" and furthest > CEILING:
            key = "clip_far" if depth.range_max is None or depth.range_max > self.clip_far else "depth.range_max"
            raise ValueError(
                f"{key}: expected at most {CEILING} m with depth.format 16UC1, got {furthest!r}; lower it, set "
                "depth.range_max, or use 32FC1"
            )

    def _check_camera(self) -> None:
        for name in ("body", "site"):
            if getattr(self, name) is not None:
                raise ValueError(
                    f"{name}: expected a camera or a {name}, not both, got {getattr(self, name)!r}; remove one"
                )
        if self.pose != Pose():
            raise ValueError(f"pose: expected none beside a camera, which has its own, got {self.pose!r}; remove it")
        for name in ("colour", "depth", "segmentation"):
            if self.optics_of(name).pose is not None:
                raise ValueError(f"{name}.pose: expected none beside a camera, got one; remove it")

    def optics_of(self, stream: str) -> StreamOptics:
        """The optics and pose that a stream has of its own; points have those of depth."""
        own = getattr(self, "depth" if stream == "points" else stream)
        return StreamOptics(optics=own.optics, pose=own.pose, frame_id=own.frame_id)

    @property
    def furthest(self) -> float:
        """The longest distance in metres that a depth picture holds."""
        own = self.depth.range_max
        return self.clip_far if own is None else min(own, self.clip_far)

    def depth_model(self) -> DepthModel:
        """How distances are measured."""
        return DepthModel(
            range_min=self.depth.range_min,
            range_max=self.furthest,
            stddev=self.depth_stddev,
            stddev_quadratic=self.depth_stddev_quadratic,
            dropout=self.depth_dropout_percent / PERCENT,
        )
