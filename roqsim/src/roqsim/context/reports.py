"""What monitors report: contacts, clearances, bumpers, energy, tilt. Plain data with one stamp, as all payloads.

Contacts, their forces and the forces of actuators belong to the last solve, one step before the current state; what is
made of them is stamped with that time. Distances and tilt belong to the current state.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NEVER_NS = -1
"""The stamp of what has not happened."""


@dataclass(frozen=True)
class Part:
    """A piece of something: one geom, and what it belongs to.

    Attributes:
        entity: The nearest entity that it belongs to, or an empty text where it belongs to none.
        body: The compiled name of its body.
        geom: Its compiled name; ``body[2]`` for the third geom of a body where it has none.
    """

    entity: str
    body: str
    geom: str

    @property
    def owner(self) -> str:
        """The entity, or the body where there is none; the geom where it is fixed to the world."""
        return self.entity or (self.geom if self.body == "world" else self.body)


@dataclass(frozen=True)
class Touch:
    """Two geoms that touch, with all their contact points taken together.

    Attributes:
        part: The watched geom.
        other: What touches it.
        force: ``(3,)`` N on the watched geom, in the world.
        magnitude: N, the length of ``force``.
        penetration: Metres by which the geoms overlap at the deepest point; negative for a gap within the margin.
        position: ``(3,)`` metres in the world: the mean of the contact points, weighted by their normal forces.
    """

    part: Part
    other: Part
    force: np.ndarray
    magnitude: float
    penetration: float
    position: np.ndarray


@dataclass(frozen=True)
class ContactReport:
    """Who touches what is watched, and who has touched it since the last reset.

    Attributes:
        stamp_ns: The time of the solve that the report is about, in nanoseconds.
        in_contact: Whether anything touches now, or has touched since the last sample.
        touches: One entry per pair of geoms, in MuJoCo's order; those of the last solve in which anything touched,
            empty where ``in_contact`` is false.
        touches_ns: The time of the solve that ``touches`` belong to, in nanoseconds; -1 where there are none.
        force: ``(3,)`` N, the sum over ``touches``, in the world.
        magnitude: N, the length of ``force``.
        count: How many touches began since the last reset.
        counts: By entity (or body): how many touches of it began since the last reset.
        first_ns: When the first one began, in nanoseconds; -1 for never.
        peak_force: N, the largest ``magnitude`` of a single touch since the last reset.
    """

    stamp_ns: int
    in_contact: bool
    touches: tuple[Touch, ...]
    touches_ns: int
    force: np.ndarray
    magnitude: float
    count: int
    counts: dict[str, int]
    first_ns: int
    peak_force: float


@dataclass(frozen=True)
class Approach:
    """How close two geoms are at one time.

    Attributes:
        stamp_ns: The time of the state in nanoseconds; -1 where nothing was in reach.
        distance: Metres between the surfaces, negative by the depth of an overlap; ``inf`` where nothing is in reach.
        part: The watched geom, or None.
        other: What is nearest to it, or None.
        p_part: ``(3,)`` metres in the world: the nearest point of the watched geom, NaN where there is none.
        p_other: ``(3,)`` metres in the world: the nearest point of the other one, NaN where there is none.
    """

    stamp_ns: int
    distance: float
    part: Part | None
    other: Part | None
    p_part: np.ndarray
    p_other: np.ndarray


@dataclass(frozen=True)
class ClearanceReport:
    """How much room there is around what is watched.

    Attributes:
        stamp_ns: The time of the state in nanoseconds.
        distance: Metres to what is nearest now; ``inf`` where nothing is in reach.
        now: The same with place and names.
        minimum: Metres, the smallest distance since the last reset.
        closest: When, where and with whom that was.
    """

    stamp_ns: int
    distance: float
    now: Approach
    minimum: float
    closest: Approach


@dataclass(frozen=True)
class BumperZone:
    """One zone of a bumper.

    Attributes:
        stamp_ns: The time of the solve in nanoseconds.
        name: The zone.
        pressed: Whether something presses it, or has pressed it since the last sample.
        force: N, the force when it was pressed last, 0 where ``pressed`` is false.
        count: How often it was pressed since somebody began to read or listen in this episode.
    """

    stamp_ns: int
    name: str
    pressed: bool
    force: float
    count: int


@dataclass(frozen=True)
class BumperReport:
    """All zones of a bumper.

    Attributes:
        stamp_ns: The time of the solve in nanoseconds.
        pressed: Whether any zone is pressed.
        zones: Every zone in the order of the configuration.
    """

    stamp_ns: int
    pressed: bool
    zones: tuple[BumperZone, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The zones that are pressed."""
        return tuple(zone.name for zone in self.zones if zone.pressed)


@dataclass(frozen=True)
class EnergyReport:
    """What actuators draw and have drawn since the last reset.

    Attributes:
        stamp_ns: The time in nanoseconds up to which energy is summed.
        power: W drawn from the supply, over the last step.
        mechanical_power: W, signed, that the actuators put into the joints over the last step.
        energy: J drawn from the supply since the last reset.
        mechanical_energy: J, signed, put into the joints since the last reset.
        charge: J left in the battery, ``inf`` without one.
        state_of_charge: The fraction of the capacity that is left, from 0 to 1; NaN without a battery.
        empty: Whether the battery is used up.
    """

    stamp_ns: int
    power: float
    mechanical_power: float
    energy: float
    mechanical_energy: float
    charge: float
    state_of_charge: float
    empty: bool


@dataclass(frozen=True)
class BatteryState:
    """A battery, as ``sensor_msgs/BatteryState`` means it.

    Attributes:
        stamp_ns: The time in nanoseconds.
        voltage: V.
        current: A, negative while it is discharged.
        charge: Ah that are left.
        capacity: Ah when it is full.
        design_capacity: Ah by design.
        percentage: The fraction that is left, from 0 to 1.
        present: Whether there is a battery.
    """

    stamp_ns: int
    voltage: float
    current: float
    charge: float
    capacity: float
    design_capacity: float
    percentage: float
    present: bool


@dataclass(frozen=True)
class UprightReport:
    """Whether something stands.

    Attributes:
        stamp_ns: The time of the state in nanoseconds.
        tilt: Radians between the body's axis and the vertical, from 0 to pi.
        fallen: Whether it has been tilted beyond the limit for long enough.
        count: How often it fell since the last reset.
    """

    stamp_ns: int
    tilt: float
    fallen: bool
    count: int
