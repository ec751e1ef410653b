"""What every sensor that casts rays has in common: where it sits, how often it measures, what it sees and how well.

A device derives from ``RaySensor``, its configuration from ``RaySensorConfig``, and supplies its rays, its
``RangeModel`` and the payload that it makes of measured distances. Nothing else in it deals with MuJoCo, time or
chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from roqsim.config.pose import Pose
from roqsim.config.schema import opt
from roqsim.context import Endpoint, Entity, SimContext
from roqsim.errors import RoqsimError
from roqsim.mj import names, poses
from roqsim.plugin import Plugin
from roqsim.presence import Presence
from roqsim.raycast import RayCaster, unit

from roqsim_sensors.range_model import RangeModel


@dataclass(frozen=True, kw_only=True)
class RaySensorConfig:
    """Mount, cadence, limits and noise of a sensor that casts rays."""

    body: str | None = opt(None)
    """Body of the owning entity that it is fixed to, without the entity's prefix; its root body by default."""
    site: str | None = opt(None)
    """Site of the owning entity that it is fixed to, instead of a body."""
    pose: Pose = opt(Pose())
    """Pose of the sensor's frame in that body or site."""
    frame_id: str | None = opt(None)
    """Frame that the data is stamped with; the mount's, else the name of the body or site, where nothing is said."""
    rate_hz: float = opt(10.0, gt=0, unit="Hz")
    """How often it measures."""
    range_min: float = opt(0.0, ge=0, unit="m")
    """Shortest distance that it can measure."""
    range_max: float = opt(30.0, gt=0, unit="m")
    """Longest distance that it can measure; what lies beyond is no return."""
    range_stddev: float = opt(0.0, ge=0, unit="m")
    """Standard deviation of a measured distance; 0 for none."""
    range_stddev_relative: float = opt(0.0, ge=0)
    """Standard deviation as a fraction of the distance, at and beyond `range_stddev_relative_from`; 0 for none."""
    range_stddev_relative_from: float = opt(0.0, ge=0, unit="m")
    """Distance from which on the relative standard deviation holds instead of the absolute one."""
    range_resolution: float = opt(0.0, ge=0, unit="m")
    """Step that measured distances are rounded to; 0 for none."""
    dropout_percent: float = opt(0.0, ge=0, le=100, unit="%")
    """How many of a hundred rays are lost by chance and give no return."""
    topics: dict[str, str] = opt(factory=dict)
    """Topic by endpoint name, where a transport should use another one."""

    def __post_init__(self) -> None:
        if self.body is not None and self.site is not None:
            raise ValueError(
                f"site: expected a body or a site, not both, got {self.site!r}; remove one of the two keys"
            )
        if self.range_min >= self.range_max:
            raise ValueError(f"range_min: expected less than range_max ({self.range_max:g} m), got {self.range_min!r}")

    def range_model(self, *, too_close: float | None, no_return: float) -> RangeModel:
        """The device's way of measuring, with what it reports outside its limits (see ``RangeModel``)."""
        return RangeModel(
            range_min=self.range_min,
            range_max=self.range_max,
            too_close=too_close,
            no_return=no_return,
            stddev=self.range_stddev,
            stddev_relative=self.range_stddev_relative,
            relative_from=self.range_stddev_relative_from,
            resolution=self.range_resolution,
            dropout=self.dropout_percent / 100.0,
        )


class RaySensor(Plugin):
    """Measures distances at a fixed rate, as long as somebody wants them.

    A measurement belongs to the state of the due tick and is held until the next one. It is taken only for a transport
    with a listener, or for whoever reads the endpoint: a reader who finds no measurement of the current period (after a
    pause in reading, after a reset, after the state was changed between two steps) gets one of the current state.

    Attributes:
        period: Seconds between two measurements, once configured.
    """

    stream: ClassVar[str] = "scan"
    """The endpoint's name; a second sensor of the same entity uses its own label."""
    message: ClassVar[str] = ""
    """The ROS 2 type of the payload."""
    reads_derived = False  # the engine need not refresh for a sensor that nobody watches

    def rays(self) -> np.ndarray:
        """``(n, 3)`` directions in the sensor's frame."""
        raise NotImplementedError

    def range_model(self) -> RangeModel:
        """How the device measures."""
        raise NotImplementedError

    def payload(self, stamp_ns: int, ranges: np.ndarray) -> object:
        """What the endpoint carries.

        Args:
            stamp_ns: The time of the state that was measured, in nanoseconds.
            ranges: ``(n,)`` float32 metres, not to be written.
        """
        raise NotImplementedError

    def configure(self, ctx: SimContext) -> None:
        """Finds the mount, prepares the rays and offers the endpoint."""
        self._ctx = ctx
        entity = ctx.owner_of(self)
        kind, index = self._find_frame(entity)
        data, model = ctx.data, ctx.model
        position, matrix = (data.xpos, data.xmat) if kind == "body" else (data.site_xpos, data.site_xmat)
        self._p_WF, self._R_WF = position[index], matrix[index].reshape(3, 3)
        self._R_FW = np.empty((3, 3))
        self._body = index if kind == "body" else int(model.site_bodyid[index])
        pose = self.config.pose
        self._rays_F = unit(unit(self.rays()) @ poses.to_matrix(pose.quaternion).T)
        self._offset_F = np.array(pose.position) if any(pose.position) else None
        self._rays_W, self._origin_W = np.empty_like(self._rays_F), np.empty(3)
        self._caster = RayCaster(model, len(self._rays_F), carrier=self._body, max_range=self.config.range_max)
        self._model = self.range_model()
        self._presence = ctx.blackboard.require("presence", Presence)
        rate = ctx.schedule(self, "post_step", self.config.rate_hz)
        self._every, self.period = rate.every_steps, rate.period
        self._endpoint = ctx.interface.add(self._make_endpoint(entity))
        self.on_reset(ctx)

    def on_reset(self, ctx: SimContext) -> None:
        """Forgets the last measurement."""
        self._sample: object | None = None
        self._sampled_tick = self._sampled_version = -1
        self._wanted = False

    def post_step(self, ctx: SimContext) -> None:
        """Measures, if somebody wants it."""
        if self._wanted or self._endpoint.is_watched:
            self._wanted = False
            self._update()

    def _find_frame(self, entity: Entity | None) -> tuple[str, int]:
        """Kind and id of the body or site that carries the sensor; sets ``frame_id``."""
        config, model = self.config, self._ctx.model
        prefix = entity.prefix if entity is not None else ""
        kind = "site" if config.site is not None else "body"
        name = config.site if config.site is not None else config.body
        if name is not None:
            index = names.object_id(model, kind, name, where=f"{self.address}.{kind}", prefix=prefix)
        else:
            index = (entity.body or 0) if entity is not None else 0
            name = names.name_of(model, "body", index).removeprefix(prefix)
        mount = entity.meta.get("frame_id") if entity is not None else None
        self.frame_id = config.frame_id or mount or name
        return kind, index

    def _make_endpoint(self, entity: Entity | None) -> Endpoint:
        owner = entity.name if entity is not None else ""
        taken = {endpoint.name for endpoint in self._ctx.interface.by_direction("out") if endpoint.owner == owner}
        name = self.name if self.stream in taken else self.stream
        unknown = sorted(set(self.config.topics) - {name})
        if unknown:
            raise RoqsimError(f"{self.address}.topics: expected the endpoint {name!r}, got {unknown[0]!r}")
        topic = self.topic_override(name) or name
        return Endpoint(
            name,
            "out",
            owner,
            read=self._read,
            rate_hz=self.config.rate_hz,
            namespace=entity.namespace if entity is not None else "",
            backend={"ros2": {"type": self.message, "topic": topic, "frame_id": self.frame_id}},
            lazy=True,
            holds=True,
            reads_derived=False,
            doc="What the sensor measures.",
        )

    def _read(self) -> object | None:
        self._wanted = True
        self._update()
        return self._sample

    def _update(self) -> None:
        """Makes the sample one of the current period; there is none while the carrier is absent."""
        ctx = self._ctx
        tick = ctx.tick
        if self._presence.is_absent(self._body):
            self._sample = None
            return
        is_of_period = tick - tick % self._every <= self._sampled_tick <= tick
        is_untouched = ctx.version == self._sampled_version or ctx.changed_tick != tick
        if self._sample is None or not (is_of_period and is_untouched):
            self._sample = self._measure()
            self._sampled_tick, self._sampled_version = tick, ctx.version

    def _measure(self) -> object:
        ctx, model = self._ctx, self._model
        ctx.refresh()
        R_FW, origin = self._R_FW, self._p_WF
        R_FW[:] = self._R_WF.T  # a copy, because BLAS takes twice as long for a transposed view
        np.dot(self._rays_F, R_FW, out=self._rays_W)
        if self._offset_F is not None:
            np.dot(self._offset_F, R_FW, out=self._origin_W)
            origin = np.add(self._origin_W, origin, out=self._origin_W)
        distances = self._caster.cast(ctx.data, origin, self._rays_W)
        ranges = model.measure(distances, ctx.rng_for(self.address) if model.is_random else None)
        ranges.flags.writeable = False
        return self.payload(ctx.time_ns, ranges)
