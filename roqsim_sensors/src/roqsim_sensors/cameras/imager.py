"""Where the imagers of a camera are: cameras of the MuJoCo model, and the frames of what they see."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
from roqsim.config.pose import Pose
from roqsim.context import Entity
from roqsim.errors import NotFoundError, RoqsimError, suggest
from roqsim.mj import cameras, names, poses
from roqsim.mj.attach import frame_on

from roqsim_sensors.cameras.channel import Channel
from roqsim_sensors.cameras.config import CameraSensorConfig
from roqsim_sensors.cameras.intrinsics import Intrinsics
from roqsim_sensors.cameras.streams import OpticsConfig

Q_BO: poses.Quaternion = (0.5, -0.5, 0.5, -0.5)
"""The optical frame O in a body frame B: z_O is x_B, x_O is -y_B, y_O is -z_B (REP-103)."""

Q_OC: poses.Quaternion = (0.0, 1.0, 0.0, 0.0)
"""MuJoCo's camera C in the optical frame O: x to the right as there, y up, looking along -z."""

SENSOR_PIXEL = 1e-5
"""Edge of a pixel in metres in the compiled camera; only ratios of it matter."""

MAIN = ""
"""The imager of every stream without optics or pose of its own."""


@dataclass(eq=False)
class Imager:
    """One view of a camera.

    Attributes:
        name: Empty for the camera's own view, else the stream that it is for.
        optics: Its optics.
        X_FO: Its optical frame in the frame that the camera is mounted on; None where the model's camera is used.
        frame_id: What an own optical frame is called, where the configuration says so.
        camera: The name of its camera in the compiled model.
        has_place: Whether it stands elsewhere than the camera's own view.
        channel: Its geometry, once configured.
        stream: Its camera of the render service, once configured.
    """

    name: str
    optics: OpticsConfig
    X_FO: poses.Transform | None
    frame_id: str | None
    camera: str
    has_place: bool
    channel: Channel | None = None
    stream: object | None = None

    def intrinsics(self, model: mujoco.MjModel | None = None, camera: int | None = None) -> Intrinsics:
        """The geometry of its picture; where it states no focal length, that of the model's camera."""
        default = None
        if model is not None and camera is not None and self.X_FO is None:
            size = (self.optics.width, self.optics.height)
            default = Intrinsics(*size, *cameras.intrinsics(model, camera, *size))
        return self.optics.intrinsics(default)


def imagers_of(config: CameraSensorConfig, address: str, prefix: str) -> dict[str, Imager]:
    """The views that the streams need, by name.

    Args:
        config: The camera.
        address: Its component; its cameras in the model are called so.
        prefix: What the names of the owner's model begin with.
    """
    found: dict[str, Imager] = {}
    for stream in config.streams:
        name = imager_name(config, stream)
        if name in found:
            continue
        own = config.optics_of(stream)
        has_place = bool(name) and own.pose is not None
        X_FO = None
        if config.camera is None:
            X_FO = optical_pose(config.pose, own.pose if has_place else None, config.axes)
        optics = own.optics if name and own.optics is not None else config
        camera = f"{prefix}{config.camera}" if config.camera is not None else ".".join(filter(None, (address, name)))
        found[name] = Imager(name, optics, X_FO, own.frame_id if has_place else None, camera, has_place)
    return found


def imager_name(config: CameraSensorConfig, stream: str) -> str:
    """Which view a stream is taken from."""
    stream = "depth" if stream == "points" else stream
    own = config.optics_of(stream)
    if not own.is_own:
        return MAIN
    same = [other for other in ("colour", "depth", "segmentation") if config.optics_of(other) == own]
    return same[0]


def optical_pose(pose: Pose, own: Pose | None, axes: str) -> poses.Transform:
    """``X_FO``: an optical frame in the frame F that the camera is mounted on.

    Args:
        pose: The camera's frame in F.
        own: The imager's frame in the camera's, or None where it is the same.
        axes: ``body`` or ``optical``: the axes of the camera's frame.
    """
    X = (pose.position, pose.quaternion)
    if own is not None:
        X = poses.compose(X, (own.position, own.quaternion))
    return X if axes == "optical" else poses.compose(X, ((0.0, 0.0, 0.0), Q_BO))


def add_camera(spec: mujoco.MjSpec, imager: Imager, to: object, intrinsics: Intrinsics) -> None:
    """Adds an imager's camera to a world that is being built.

    Args:
        spec: The world.
        imager: The view.
        to: The body or site that it is mounted on.
        intrinsics: What its picture looks like without distortion.
    """
    body = to.parent if isinstance(to, mujoco.MjsSite) else to
    camera = body.add_camera(name=imager.camera)
    camera.set_frame(frame_on(spec, to, poses.compose(imager.X_FO, ((0.0, 0.0, 0.0), Q_OC))))
    width, height, fx, fy = intrinsics.width, intrinsics.height, intrinsics.fx, intrinsics.fy
    camera.resolution = [width, height]
    camera.sensor_size = [width * SENSOR_PIXEL, height * SENSOR_PIXEL]
    camera.focal_pixel = [fx, fy]
    camera.principal_pixel = [(width - 1) / 2.0 - intrinsics.cx, (height - 1) / 2.0 - intrinsics.cy]


def grow_offscreen(spec: mujoco.MjSpec, width: int, height: int) -> None:
    """Makes the offscreen buffer at least as large as a picture."""
    size = spec.visual.global_
    size.offwidth, size.offheight = max(int(size.offwidth), width), max(int(size.offheight), height)


def require_perspective(model: mujoco.MjModel, imager: Imager, where: str) -> None:
    """Makes sure that a camera of a model is one that has intrinsics.

    Raises:
        RoqsimError: If it projects in parallel.
    """
    index = names.camera_id(model, imager.camera, where=where)
    if not cameras.is_perspective(model, index):
        raise RoqsimError(
            f"{where}: expected a camera with a perspective projection, got {imager.camera!r}, which is orthographic; "
            "choose another one"
        )


def find_parent(spec: mujoco.MjSpec, entity: Entity | None, config: CameraSensorConfig, where: str) -> object:
    """The body or site of a world that is being built on which a camera is mounted.

    Raises:
        NotFoundError: If the configuration names one that there is not.
    """
    prefix = entity.prefix if entity is not None else ""
    for kind, elements in (("body", spec.bodies), ("site", spec.sites)):
        name = getattr(config, kind)
        if name is None:
            continue
        for element in elements:
            if element.name == prefix + name:
                return element
        known = [e.name.removeprefix(prefix) for e in elements if e.name.startswith(prefix) and e.name]
        raise NotFoundError(f"{where}.{kind}: expected the name of a {kind}, got {name!r}; {suggest(name, known)}")
    if entity is None or not entity.body_name:
        return spec.worldbody
    return spec.body(entity.body_name)
