"""What every camera has in common: it captures states for the render thread and hands out what that makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TypeVar

import mujoco
import numpy as np
from roqsim.context import Endpoint, SimContext, Transform
from roqsim.errors import NotFoundError, suggest
from roqsim.mj import names
from roqsim.seed import Streams
from roqsim.sensing.sensor import Output, Sensor
from roqsim.spawning.frames import offer_fixed_frames

from roqsim_sensors.cameras.channel import Channel, Film, Picture
from roqsim_sensors.cameras.config import PERCENT, STREAMS, CameraSensorConfig
from roqsim_sensors.cameras.entity_labels import label_geoms
from roqsim_sensors.cameras.imager import (
    MAIN,
    Imager,
    add_camera,
    find_parent,
    grow_offscreen,
    imager_name,
    imagers_of,
    require_perspective,
)
from roqsim_sensors.cameras.port import CameraOutput, Port, Shot
from roqsim_sensors.cameras.products import develop_all, streams_of

INFO = "camera_info"
"""The endpoint with the geometry of a view."""

INFO_MESSAGE = "sensor_msgs.msg.CameraInfo"

Named = TypeVar("Named")

NOBODY: tuple[np.ndarray, Mapping[int, str]] = (np.zeros(1, np.uint16), {})
"""Labels where none are asked for."""

LOST = "frame lost"
"""Why a picture is missing that the sensor itself lost."""


class CameraSensor(Sensor):
    """Takes pictures at a fixed rate, as long as somebody wants them.

    For a transport with a listener, states are captured at due ticks and drawn while the simulation goes on; an
    endpoint gives the newest picture that is finished. Whoever reads an endpoint without a transport gets a picture of
    the current period, and waits for it. All streams of one due tick are of one state and have its stamp.

    Attributes:
        imagers: The views, by name.
    """

    stream: ClassVar[str] = "image"

    # Building

    def build(self, spec: mujoco.MjSpec, ctx: SimContext) -> None:
        """Adds a camera to the model for each view, and makes room for its pictures."""
        entity = ctx.owner_of(self)
        prefix = entity.prefix if entity is not None else ""
        self.imagers = imagers_of(self.config, self.address, prefix)
        to = find_parent(spec, entity, self.config, self.address) if self.config.camera is None else None
        for imager in self.imagers.values():
            if to is None and imager.camera not in {camera.name for camera in spec.cameras}:
                known = [c.name.removeprefix(prefix) for c in spec.cameras if c.name.startswith(prefix) and c.name]
                name = self.config.camera
                raise NotFoundError(
                    f"{self.address}.camera: expected the name of a camera, got {name!r}; {suggest(name, known)}"
                )
            if to is not None:
                add_camera(spec, imager, to, imager.intrinsics())
            warp = imager.optics.warp() if to is not None else None
            grow_offscreen(
                spec, *(warp.source.size if warp is not None else (imager.optics.width, imager.optics.height))
            )

    # Configuring

    def configure(self, ctx: SimContext) -> None:
        """Opens the views and offers the endpoints."""
        self._labels: tuple[np.ndarray, Mapping[int, str]] | None = None
        self._ports: dict[str, Port] = {}
        self._chance = Streams()  # of its own, because the render thread draws from it
        super().configure(ctx)
        self._publish_frames(ctx)

    def outputs(self) -> tuple[Output, ...]:
        """The streams, each with the geometry of its view, once the views are open."""
        for imager in self.imagers.values():
            self._open(imager)
        config = self.config
        views = {name: self.imagers[imager_name(config, name)] for name in sorted(config.streams, key=STREAMS.index)}
        found: list[Output] = []
        for stream, imager in views.items():
            found += [CameraOutput(imager=imager, **parts) for parts in streams_of(config, stream)]
            info = self._info_of(stream, views)
            if info is not None:
                name, topic = info
                doc = "The geometry of the camera's pictures."
                found.append(CameraOutput(name, INFO_MESSAGE, imager=imager, topic=topic, doc=doc))
        return tuple(found)

    def _info_of(self, stream: str, views: Mapping[str, Imager]) -> tuple[str, str] | None:
        """Name and topic of the geometry that comes with a stream, the first one of its view; None with any other."""
        if next(name for name, imager in views.items() if imager is views[stream]) != stream:
            return None
        is_plain = stream == "colour" or (views[stream].name == MAIN and "colour" not in views)
        return (INFO, INFO) if is_plain else (f"{stream}_{INFO}", f"{stream}/{INFO}")

    def _open(self, imager: Imager) -> None:
        ctx, config = self._ctx, self.config
        require_perspective(ctx.model, imager, f"{self.address}.camera")
        camera = names.camera_id(ctx.model, imager.camera)
        intrinsics = imager.intrinsics(ctx.model, camera)
        warp = imager.optics.warp(intrinsics if imager.X_FO is None else None)
        imager.channel = Channel(intrinsics, imager.optics.lens(), warp, self._frame_of(imager))
        imager.stream = ctx.render.open(
            ".".join(filter(None, (self.address, imager.name))),
            camera=camera,
            size=imager.channel.drawn.size,
            intrinsics=imager.channel.drawn.focals,
            clip=(config.clip_near, config.clip_far),
            quality=config.quality.stated(),
            capacity=config.buffer,
        )
        imager.stream.demand.on_ask = self._wake

    def _frame_of(self, imager: Imager) -> str:
        """The optical frame of a view."""
        if imager.has_place:
            return imager.frame_id or f"{self.name}_{imager.name}_optical_frame"
        declared = self.entity.meta.get("frame_id") if self.entity is not None else None
        return self.config.frame_id or declared or f"{self.name}_optical_frame"

    def _publish_frames(self, ctx: SimContext) -> None:
        """Offers the frames that no model has, as static transforms."""
        transforms = self._fixed_frames(ctx) if self.config.publish_frame else ()
        if not transforms:
            return
        first = next(iter(self._ports.values())).endpoint
        name, doc = f"{self.name}_tf", "The optical frames."
        offer_fixed_frames(ctx, name, transforms, owner=first.owner, namespace=first.namespace, doc=doc)

    def _fixed_frames(self, ctx: SimContext) -> tuple[Transform, ...]:
        """The optical frames that no model has."""
        parent = self._parent_frame(ctx.model)
        fixed: dict[str, Transform] = {}
        for imager in self.imagers.values():
            frame = imager.channel.frame_id
            if imager.X_FO is not None and not self._is_known(ctx.model, frame):
                fixed.setdefault(frame, Transform(parent, frame, *imager.X_FO))
        return tuple(fixed.values())

    def _parent_frame(self, model: mujoco.MjModel) -> str:
        """The frame that the camera is mounted in."""
        return names.name_of(model, self.mount.kind, self.mount.index).removeprefix(self._prefix)

    def _is_known(self, model: mujoco.MjModel, frame: str) -> bool:
        """Whether somebody else publishes a frame."""
        if self.entity is not None and frame == self.entity.meta.get("frame_id"):
            return True
        return any(names.find(model, kind, self._prefix + frame) is not None for kind in ("body", "site"))

    @property
    def _prefix(self) -> str:
        return self.entity.prefix if self.entity is not None else ""

    def _topic_of(self, output: CameraOutput) -> str:
        """The topic of a stream, where the configuration names none."""
        return f"{self.name}/{output.topic}"

    def _free_names(self, ports: Sequence[Named], direction: str) -> dict[str, Named]:
        """The streams by names that are free at their owner: a second camera's all begin with its label."""
        existing = self._ctx.interface.by_direction(direction)
        taken = {endpoint.name for endpoint in existing if endpoint.owner == self._owner}
        if direction != "out" or not taken & {port.name for port in ports}:
            return super()._free_names(ports, direction)
        return {f"{self.name}_{port.name}": port for port in ports}

    def _out(self, name: str, output: CameraOutput) -> Endpoint:
        port = self._ports[output.name] = Port(output)
        topic = self.topic_override(name) or self._topic_of(output)
        port.endpoint = Endpoint(
            name,
            "out",
            self._owner,
            read=lambda: self._read_port(port),
            rate_hz=self.config.rate_hz,
            namespace=self._namespace,
            backend={"ros2": {"type": output.message, "topic": topic, "frame_id": output.imager.channel.frame_id}},
            lazy=True,
            holds=True,
            reads_derived=False,
            is_drawn=bool(output.planes),
            stateless=self.is_stateless(),
            doc=output.doc,
        )
        return port.endpoint

    # Running

    def use(self, values: CameraSensorConfig) -> None:
        """Makes a configuration the one in force."""
        super().use(values)
        self._depth_model = values.depth_model()

    def on_reset(self, ctx: SimContext) -> None:
        """Forgets every picture and ends the fault."""
        super().on_reset(ctx)
        for port in self._ports.values():
            port.forget()

    def post_step(self, ctx: SimContext) -> None:
        """Captures the state, if somebody wants a picture of it."""
        wanted, has_listener = [], False
        for port in self._ports.values():
            if port.has_listener:
                has_listener = True
                wanted.append(port)
            elif port.wanted:
                wanted.append(port)
        asked = {imager: planes for imager in self.imagers.values() if (planes := imager.stream.demand.take())}
        if not wanted and not asked:
            self._doze()
            return
        if self.presence.is_absent(self._body):
            return
        for port in wanted:
            # With a delay nobody can ask in time, so whoever has read once is served until the next reset.
            port.wanted = port.wanted and self._delay > 0
            port.collect(ctx.tick - self._delay, wait=self._is_in_lockstep)
        waits = not has_listener or self.config.when_busy != "drop"
        self._capture(wanted, asked, wait=waits)

    @property
    def _is_in_lockstep(self) -> bool:
        """Whether the simulation waits for pictures that a transport is to get."""
        return self.config.when_busy == "lockstep"

    def _is_watched(self) -> bool:
        """Whether anybody gets pictures without reading endpoints."""
        is_asked = any(imager.stream.demand.planes for imager in self.imagers.values())
        return is_asked or any(port.has_listener for port in self._ports.values())

    def _read_port(self, port: Port) -> object | None:
        if self.presence.is_absent(self._body):
            port.forget()
            return None
        port.wanted = True
        self._want()
        tick = self._ctx.tick
        if port.has_listener or self._delay:
            port.collect(tick - self._delay, wait=self._is_in_lockstep or not port.has_listener)
        else:
            self._ensure(port)
            port.collect(tick, wait=True)
        return port.payload

    def _is_current(self, port: Port) -> bool:
        """Whether a port's last capture is of the current period."""
        ctx = self._ctx
        is_of_period = ctx.tick - ctx.tick % self._every <= port.tick <= ctx.tick
        return is_of_period and (ctx.version == port.version or ctx.changed_tick != ctx.tick)

    def _ensure(self, port: Port) -> None:
        """Captures the current state for a port, unless it has a picture of the current period."""
        if self._is_current(port):
            return
        if not port.output.planes:
            for other in self._ports.values():
                if other.output.imager is port.output.imager and other is not port and self._is_current(other):
                    port.begin(Shot(other.tick, other.time_ns, None), other.version)
                    return
        self._capture([port], {}, wait=True)

    def _capture(self, ports: list[Port], asked: Mapping[Imager, frozenset[str]], *, wait: bool) -> None:
        ctx = self._ctx
        shots: dict[Imager, Shot] = {}
        if self._loses_frame():
            for port in ports:
                port.tick, port.time_ns, port.version = ctx.tick, ctx.time_ns, ctx.version
                port.endpoint.counters.drop(LOST)
            return
        for imager in self.imagers.values():
            group = [port for port in ports if port.output.imager is imager]
            planes = asked.get(imager, frozenset()).union(*(port.output.planes for port in group))
            turn = None
            if planes:
                turn = ctx.render.capture([(imager.stream, planes, self._developer(imager, group))], wait=wait)[0]
            shots[imager] = Shot(ctx.tick, ctx.time_ns, turn)
        for port in ports:
            port.begin(shots[port.output.imager], ctx.version)

    def _loses_frame(self) -> bool:
        loss = self.values.frame_loss_percent
        return bool(loss) and self._ctx.rng_for(f"{self.address}.loss").random() * PERCENT < loss

    def _developer(self, imager: Imager, ports: list[Port]) -> Callable[[Picture], Mapping[str, object]]:
        """What to make of a picture, on the render thread; everything of the current state is taken now."""
        ctx, values = self._ctx, self.values
        moment, time_ns, model = (ctx.seed, ctx.episode, ctx.tick), ctx.time_ns, self._depth_model
        chance = self._chance
        if ctx.seed is None and (model.is_random or values.colour_stddev):
            ctx.rng_for(self.address)
        where = f"{self.address}.{imager.name}" if imager.name else self.address
        table, known = self._entity_labels() if any("geoms" in port.output.planes for port in ports) else NOBODY
        outputs = [port.output for port in ports]

        def random(kind: str) -> np.random.Generator:
            return chance.at(*moment, f"{where}.{kind}")

        def develop(picture: Picture) -> Mapping[str, object]:
            film = Film(
                picture, imager.channel, time_ns, model, values.colour_stddev, random, table, known
            )  # fmt: skip
            return develop_all(film, outputs)

        return develop

    def _entity_labels(self) -> tuple[np.ndarray, Mapping[int, str]]:
        entities = list(self._ctx.entities)
        if self._labels is None or len(self._labels[1]) != len(entities):
            self._labels = label_geoms(self._ctx.model, entities)
        return self._labels
