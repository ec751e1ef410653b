"""What is made of a camera's pictures, on the render thread: the payloads of its streams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from roqsim.context import CompressedImage, Image, LabelImage, PointCloud

from roqsim_sensors.cameras.channel import Film, frozen
from roqsim_sensors.cameras.config import CameraSensorConfig
from roqsim_sensors.cameras.depth_image import to_millimetres
from roqsim_sensors.cameras.depth_points import points_of
from roqsim_sensors.cameras.jpeg import encode_jpeg

if TYPE_CHECKING:
    from roqsim_sensors.cameras.port import CameraOutput

Develop = Callable[[Film], object]
"""Makes a payload of a picture."""


def colour_image(film: Film) -> Image:
    """The colour picture."""
    return Image(film.stamp_ns, film.channel.frame_id, "rgb8", film.colour)


def jpeg_image(quality: int) -> Develop:
    """The colour picture as a JPEG file of a quality."""

    def develop(film: Film) -> CompressedImage:
        return CompressedImage(film.stamp_ns, film.channel.frame_id, "jpeg", encode_jpeg(film.colour, quality))

    return develop


def depth_image(encoding: str) -> Develop:
    """The depth picture in an encoding of ``Image``."""

    def develop(film: Film) -> Image:
        depth = film.depth if encoding == "32FC1" else frozen(to_millimetres(film.depth))
        return Image(film.stamp_ns, film.channel.frame_id, encoding, depth)

    return develop


def label_image(film: Film) -> LabelImage:
    """The picture of labels."""
    return LabelImage(film.stamp_ns, film.channel.frame_id, film.labels, film.names)


def point_cloud(*, colours: bool) -> Develop:
    """The points of the depth picture, in its order, with or without their colours."""

    def develop(film: Film) -> PointCloud:
        height, width = film.depth.shape
        points = frozen(points_of(film.depth, film.channel.slopes))
        fields = {"rgb": film.colour.reshape(-1, 3)} if colours else {}
        is_dense = bool(np.isfinite(film.depth).all())
        return PointCloud(film.stamp_ns, film.channel.frame_id, height, width, points, is_dense, fields)

    return develop


def streams_of(config: CameraSensorConfig, stream: str) -> Iterator[dict[str, object]]:
    """What a stream consists of: the parts of ``CameraOutput``, without the view."""
    image, planes = "sensor_msgs.msg.Image", frozenset
    if stream == "colour":
        yield _parts("image", image, planes({"colour"}), colour_image, "image_raw", "The colour picture.")
        quality = config.colour.jpeg_quality
        if quality is not None:
            message, topic = "sensor_msgs.msg.CompressedImage", "image_raw/compressed"
            doc = "The colour picture as JPEG."
            yield _parts("image_compressed", message, planes({"colour"}), jpeg_image(quality), topic, doc)
    elif stream == "depth":
        develop, doc = depth_image(config.depth.format), "Distances along the optical axis."
        yield _parts("depth", image, planes({"depth"}), develop, "depth/image_raw", doc)
    elif stream == "segmentation":
        doc = "Which entity each pixel shows."
        yield _parts("segmentation", image, planes({"geoms"}), label_image, "segmentation/image_raw", doc)
    else:
        colours = config.points.colours
        needed = planes({"depth", "colour"} if colours else {"depth"})
        doc = "The points of the depth picture."
        yield _parts("points", "sensor_msgs.msg.PointCloud2", needed, point_cloud(colours=colours), "points", doc)


def _parts(
    name: str, message: str, planes: frozenset[str], develop: Develop, topic: str, doc: str
) -> dict[str, object]:
    return {"name": name, "message": message, "planes": planes, "develop": develop, "topic": topic, "doc": doc}


def develop_all(film: Film, outputs: Iterable[CameraOutput]) -> dict[str, object]:
    """The payloads of some streams, by name; one whose plane was not drawn is left out, and the others still come."""
    made: dict[str, object] = {}
    for output in outputs:
        if output.planes <= film.picture.planes:
            made[output.name] = film.channel.info(film.stamp_ns) if output.develop is None else output.develop(film)
    return made
