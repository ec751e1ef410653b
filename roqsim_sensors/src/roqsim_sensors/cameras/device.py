"""Cameras that one can buy: several imagers in a housing, with the frames and topics of the maker's ROS driver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from roqsim.config.schema import opt
from roqsim.context import SimContext, Transform
from roqsim.mj import poses

from roqsim_sensors.cameras.config import CameraSensorConfig
from roqsim_sensors.cameras.imager import Q_BO, Imager
from roqsim_sensors.cameras.port import CameraOutput
from roqsim_sensors.cameras.sensor import INFO, CameraSensor

LINK = "_link"
"""What the name of a device's frame ends with, behind the device's name."""

X_OB: poses.Transform = ((0.0, 0.0, 0.0), poses.conjugate(Q_BO))
"""An imager's frame with the axes of a body, x ahead and z up, in its optical frame."""


@dataclass(frozen=True, kw_only=True)
class DeviceConfig(CameraSensorConfig):
    """A device whose imagers have places of their own."""

    frame_id: str | None = opt(None)
    """The device's frame; what stands before `_link` in it, topics and frames of the imagers begin with."""

    def check(self) -> None:
        """Raises ValueError where keys contradict each other."""
        if self.camera is not None:
            raise ValueError(
                f"camera: expected none, as the device has imagers of its own, got {self.camera!r}; remove it, or use "
                "the plugin 'camera'"
            )
        super().check()


class DeviceCamera(CameraSensor):
    """A camera whose streams come from imagers that are known to its maker's ROS driver by name.

    The device D has the frame ``<device>_link``. Each imager has ``<device>_<imager>_frame`` with the axes of a body,
    and ``<device>_<imager>_optical_frame``. Topics begin with ``<device>/``. Two devices of one carrier differ in
    ``frame_id``.
    """

    link: ClassVar[str] = "camera_link"
    """The device's frame, where neither the configuration nor a mount says another."""
    words: ClassVar[Mapping[str, str]] = {}
    """By name of a view: what the driver calls the imager."""
    topics: ClassVar[Mapping[str, str]] = {}
    """By name of a stream: its topic behind the device's name."""

    @property
    def device(self) -> str:
        """What topics and frames begin with."""
        return self._link.removesuffix(LINK)

    @property
    def _link(self) -> str:
        declared = self.entity.meta.get("frame_id") if self.entity is not None else None
        return self.config.frame_id or declared or self.link

    def _frame_of(self, imager: Imager) -> str:
        return imager.frame_id or f"{self.device}_{self.words.get(imager.name, imager.name)}_optical_frame"

    def _topic_of(self, output: CameraOutput) -> str:
        return f"{self.device}/{self.topics.get(output.name, output.topic)}"

    def _info_of(self, stream: str, views: Mapping[str, Imager]) -> tuple[str, str] | None:
        """Drivers publish the geometry beside colour and beside depth, whichever imager they are taken from."""
        if stream == "colour":
            return INFO, INFO
        is_first = super()._info_of(stream, views) is not None
        return (f"{stream}_{INFO}", f"{stream}/{INFO}") if is_first or stream == "depth" else None

    def _fixed_frames(self, ctx: SimContext) -> tuple[Transform, ...]:
        """The device's frame and those of its imagers, without those that a model has."""
        found: dict[str, Transform] = {}
        X_FD = (self.config.pose.position, self.config.pose.quaternion)
        if self._is_known(ctx.model, self._link):
            X_FD = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
        else:
            found[self._link] = Transform(self._parent_frame(ctx.model), self._link, *X_FD)
        for imager in self.imagers.values():
            optical = imager.channel.frame_id
            frame = f"{optical.removesuffix('_optical_frame')}_frame"
            X_DB = poses.compose(poses.compose(poses.inverse(X_FD), imager.X_FO), X_OB)
            found.setdefault(frame, Transform(self._link, frame, *X_DB))
            found.setdefault(optical, Transform(frame, optical, *poses.inverse(X_OB)))
        return tuple(each for frame, each in found.items() if not self._is_known(ctx.model, frame))
