"""One imager of a camera: its geometry, and what is developed of its pictures on the render thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from roqsim.context import CameraInfo

from roqsim_sensors.cameras.depth_image import DepthModel
from roqsim_sensors.cameras.distortion import PlumbBob, Warp
from roqsim_sensors.cameras.intrinsics import Intrinsics

IDENTITY = np.eye(3)
IDENTITY.flags.writeable = False


class Picture(Protocol):
    """What the renderer leases: planes with the top row first, good until the lease ends."""

    planes: frozenset[str]
    colour: np.ndarray
    depth: np.ndarray
    geoms: np.ndarray


class Channel:
    """The geometry of one imager.

    Args:
        intrinsics: The picture as it is delivered.
        lens: Its distortion.
        warp: How it is taken out of what is drawn; None where nothing is distorted.
        frame_id: Its optical frame.

    Attributes:
        drawn: The pinhole picture to draw.
        slopes: ``(h, w, 2)`` float32 x and y at a depth of one metre, pixel by pixel.
    """

    def __init__(self, intrinsics: Intrinsics, lens: PlumbBob, warp: Warp | None, frame_id: str) -> None:
        self.intrinsics = intrinsics
        self.warp = warp
        self.frame_id = frame_id
        self.drawn = intrinsics if warp is None else warp.source
        self._d = frozen(np.array(lens.coefficients))
        self._k = frozen(intrinsics.matrix())
        self._p = frozen(np.hstack((intrinsics.matrix(), np.zeros((3, 1)))))

    @cached_property
    def slopes(self) -> np.ndarray:
        if self.warp is not None:
            return self.warp.slopes
        return np.stack(np.meshgrid(*self.intrinsics.slopes()), axis=-1).astype(np.float32)

    def info(self, stamp_ns: int) -> CameraInfo:
        """The geometry as a payload."""
        width, height = self.intrinsics.size
        return CameraInfo(
            stamp_ns, self.frame_id, height, width, "plumb_bob", self._d, self._k, IDENTITY, self._p
        )  # fmt: skip


@dataclass(frozen=True)
class Film:
    """A picture that is being developed; whatever several streams need is made once.

    Attributes:
        picture: What was drawn.
        channel: The imager.
        stamp_ns: The time of the state that is shown, in nanoseconds.
        depth_model: How distances are measured.
        colour_stddev: Standard deviation of a colour value, of 255.
        random: Makes the random numbers of a named kind, the same ones however often it is asked.
        table: ``(ngeom + 1,)`` uint16 labels by geom id; -1, no geom, is the last.
        names: By label: the entity's name.
    """

    picture: Picture
    channel: Channel
    stamp_ns: int
    depth_model: DepthModel
    colour_stddev: float
    random: Callable[[str], np.random.Generator]
    table: np.ndarray
    names: Mapping[int, str]

    @cached_property
    def colour(self) -> np.ndarray:
        """``(h, w, 3)`` uint8 RGB."""
        warp, colour = self.channel.warp, self.picture.colour
        colour = np.array(colour, order="C") if warp is None else warp.colours(colour)
        if self.colour_stddev:
            noise = self.random("colour").standard_normal(colour.shape, dtype=np.float32)
            noise *= self.colour_stddev
            noise += colour
            colour = np.rint(np.clip(noise, 0.0, 255.0, out=noise), out=noise).astype(np.uint8)
        return frozen(colour)

    @cached_property
    def depth(self) -> np.ndarray:
        """``(h, w)`` float32 measured metres, ``inf`` for nothing."""
        warp, depth, model = self.channel.warp, self.picture.depth, self.depth_model
        depth = depth if warp is None else warp.nearest(depth)
        return frozen(model.measure(depth, self.random("depth") if model.is_random else None))

    @cached_property
    def labels(self) -> np.ndarray:
        """``(h, w)`` uint16 labels."""
        warp, geoms = self.channel.warp, self.picture.geoms
        geoms = geoms if warp is None else warp.nearest(geoms)
        return frozen(np.ascontiguousarray(self.table[geoms]))


def frozen(array: np.ndarray) -> np.ndarray:
    """The array, read-only from now on."""
    array.flags.writeable = False
    return array
