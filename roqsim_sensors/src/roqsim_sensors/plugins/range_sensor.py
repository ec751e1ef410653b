"""A sensor that reports the nearest thing in a cone: a sonar, or an infrared distance sensor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import mujoco
import numpy as np
from roqsim.config.angle import RIGHT_ANGLE
from roqsim.config.schema import opt
from roqsim.context import Range, SimContext
from roqsim.context.ranging import INFRARED, ULTRASOUND
from roqsim.raycast import RayCaster

from roqsim_sensors.rays.pattern import cone
from roqsim_sensors.rays.range_model import RangeModel
from roqsim_sensors.rays.range_value import RangeValue
from roqsim_sensors.rays.ray_sensor import RaySensor, RaySensorConfig
from roqsim_sensors.rays.reflectivity import incidence_cosines

RADIATION = {"ultrasound": ULTRASOUND, "infrared": INFRARED}


@dataclass(frozen=True, kw_only=True)
class RangeSensorConfig(RaySensorConfig):
    """The cone that it sees, beside mount, cadence, limits and noise."""

    radiation: Literal["ultrasound", "infrared"] = opt("ultrasound")
    """What it sends out."""
    field_of_view: float = opt(0.26, gt=0, lt=3.1416, unit="rad")
    """Angle of the cone about the frame's x axis, from side to side."""
    circles: int = opt(3, ge=0)
    """Circles of rays around the axis, the k-th of 6 k rays, the last at the cone's edge; 0 for the axis alone."""
    incidence_max: float = opt(RIGHT_ANGLE, gt=0, le=RIGHT_ANGLE, unit="rad")
    """Largest angle to a surface's normal at which an echo comes back; sound glances off walls beyond some 0.5."""
    too_close: RangeValue = opt(RangeValue(-math.inf))
    """Reported below `range_min`: metres, inf, -inf (REP-117), nan, or raw for the distance as it is measured."""
    no_return: RangeValue = opt(RangeValue(math.inf))
    """Reported where nothing is hit: metres, inf (REP-117), nan, max for `range_max`, or max+metres."""

    def check(self) -> None:
        """Raises ValueError where keys contradict each other."""
        super().check()
        if self.no_return.is_raw:
            raise ValueError("no_return: expected a value to report, got 'raw'; nothing was measured there")


class RangeSensor(RaySensor):
    """Reports the distance to the nearest thing that a bundle of rays in a cone about the x axis meets.

    Noise, resolution and dropout are those of the one distance that is reported, not of the rays. What is smaller than
    the gaps between the rays may be missed.
    """

    Config = RangeSensorConfig
    stream = "range"
    message = "sensor_msgs.msg.Range"

    def rays(self) -> np.ndarray:
        """``(n, 3)`` the axis and circles around it."""
        return cone(self.config.field_of_view / 2.0, self.config.circles)

    def range_model(self) -> RangeModel:
        """The limits and the noise of the configuration in force."""
        config = self.values
        too_close = None if config.too_close.is_raw else config.too_close.resolve(config.range_max)
        return config.range_model(too_close=too_close, no_return=config.no_return.resolve(config.range_max))

    def make_caster(self, model: mujoco.MjModel, count: int) -> RayCaster:
        """Finds normals where echoes depend on them."""
        config = self.config
        return RayCaster(
            model,
            count,
            carrier=self.mount.body,
            max_range=config.range_max,
            with_normals=config.incidence_max < math.pi / 2.0,
        )

    def measure(self, ctx: SimContext) -> Range:
        """The nearest echo of the bundle."""
        distances, normals, config = self.cast(ctx), self._caster.normals, self.config
        if normals is not None:
            glances = incidence_cosines(normals, self._rays_W) < math.cos(config.incidence_max)
            distances = np.where(glances, np.inf, distances)
        model = self._model
        nearest = np.array([distances.min()])
        reported = model.measure(nearest, ctx.rng_for(self.address) if model.is_random else None)
        return Range(
            ctx.time_ns,
            self.frame_id,
            RADIATION[config.radiation],
            config.field_of_view,
            config.range_min,
            config.range_max,
            float(reported[0]),
        )
