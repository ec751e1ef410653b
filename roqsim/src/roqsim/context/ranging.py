"""What a sensor carries that measures one distance."""

from __future__ import annotations

from dataclasses import dataclass

ULTRASOUND = 0
"""``sensor_msgs/Range.ULTRASOUND``."""

INFRARED = 1
"""``sensor_msgs/Range.INFRARED``."""


@dataclass(frozen=True)
class Range:
    """One distance, as ``sensor_msgs/Range`` means it.

    Attributes:
        stamp_ns: The time of the state that was measured, in nanoseconds.
        frame_id: The frame whose x axis the sensor looks along.
        radiation_type: ``ULTRASOUND`` or ``INFRARED``.
        field_of_view: The angle of the cone in which something is detected, in radians, from side to side.
        min_range: The shortest measurable distance in metres.
        max_range: The longest measurable distance in metres.
        range: Metres; ``inf`` where nothing was detected, ``-inf`` for something too close to measure (REP-117).
    """

    stamp_ns: int
    frame_id: str
    radiation_type: int
    field_of_view: float
    min_range: float
    max_range: float
    range: float
