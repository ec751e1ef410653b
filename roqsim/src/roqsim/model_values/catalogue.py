"""Which values of a compiled model may be changed while it runs; everything else is refused by name.

Many values of the model are read once, at compile, and a write to them later has no effect or half of one. Each row
here was measured: what it does, when it does nothing, and how that was seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from roqsim.errors import suggest

LARGEST_MASK = 2**31 - 1
"""The largest collision mask; MuJoCo keeps them as signed 32-bit integers."""


@dataclass(frozen=True)
class Field:
    """One array of the model.

    Attributes:
        field: Its name in ``MjModel``.
        namespace: What its rows belong to: ``geom``, ``actuator``, ``body`` or ``joint``.
        write: ``live`` where the next step uses it, ``needs_setconst`` where derived constants have to follow.
        length: The least and the greatest number of values that an override states.
        does: What it changes, with units.
        caveats: When it silently does nothing, or less than it seems.
        measured: How that was found.
        ge: Least value allowed, or None.
        gt: Value that must be exceeded, or None.
        is_integer: Whether only whole numbers are allowed.
    """

    field: str
    namespace: str
    write: str
    length: tuple[int, int]
    does: str
    caveats: str
    measured: str
    ge: float | None = None
    gt: float | None = None
    is_integer: bool = False

    def mistake(self, values: tuple[float, ...]) -> str:
        """Which rule a value breaks, or an empty text."""
        least, most = self.length
        if not least <= len(values) <= most:
            return f"{least if least == most else f'{least} to {most}'} numbers for {self.field}"
        if self.is_integer and any(value != int(value) or not 0 <= value <= LARGEST_MASK for value in values):
            return f"a bit mask from 0 to {LARGEST_MASK} for {self.field}"
        if self.gt is not None and not all(value > self.gt for value in values):
            return f"numbers > {self.gt:g} for {self.field}"
        if self.ge is not None and not all(value >= self.ge for value in values):
            return f"numbers >= {self.ge:g} for {self.field}"
        if self.field == "actuator_forcerange" and values[0] > values[1]:
            return f"the least force first for {self.field}"
        return ""


MASKS = (
    "Two geoms touch if the contype of either shares a bit with the conaffinity of the other, so a geom_contype on its "
    "own leaves every contact as it is: a partner geom_conaffinity is asked for. Geoms that are only drawn never touch."
)

FIELDS = {
    row.field: row
    for row in (
        Field(
            "geom_friction",
            "geom",
            "live",
            (1, 3),
            "Friction: sliding, and where stated torsional and rolling (m).",
            "A contact takes the friction of the geom with the higher priority and, where that is equal, the larger "
            "value of each kind: lowering one side leaves the pair at what the other has. Explicit pairs ignore it.",
            "A box at 0.01 on a floor at 1.0 slides as at 1.0; with a priority above the floor's it slides at 0.01.",
            ge=0.0,
        ),
        Field(
            "geom_contype",
            "geom",
            "live",
            (1, 1),
            "The bits with which a geom asks for contact with others' conaffinity.",
            MASKS,
            "A box with contype 0 and conaffinity 1 rests on a floor as before; with both 0 it falls through.",
            is_integer=True,
        ),
        Field(
            "geom_conaffinity",
            "geom",
            "live",
            (1, 1),
            "The bits with which a geom answers others' contype.",
            MASKS,
            "A bit that no geom of its body had needs the body's own mask too, which is written with it.",
            is_integer=True,
        ),
        Field(
            "actuator_forcerange",
            "actuator",
            "live",
            (2, 2),
            "The least and the greatest force of an actuator (N or Nm, before the gear).",
            "Only actuators that the model limits; a force that stays inside both ranges is not changed by it.",
            "A position servo that held 9 Nm holds 2 Nm from the next step on.",
        ),
        Field(
            "body_mass",
            "body",
            "needs_setconst",
            (1, 1),
            "Mass of one body (kg), without what hangs below it; its inertia follows unless `inertia: keep`.",
            "Gravity compensation and controllers with the old mass in them do not follow. A body that cannot move has "
            "none to change.",
            "Mass matrix, bias forces, inverse weights and contact response equal those of a model compiled with it.",
            gt=0.0,
        ),
        Field(
            "dof_damping",
            "joint",
            "live",
            (1, 1),
            "Viscous damping of a joint, the same for each of its degrees of freedom (Nms/rad or Ns/m).",
            "A joint at rest shows nothing of it; damping of higher order stays as it is.",
            "The damping force of the next step is minus the value times the velocity.",
            ge=0.0,
        ),
        Field(
            "dof_frictionloss",
            "joint",
            "live",
            (1, 1),
            "Dry friction of a joint, the same for each of its degrees of freedom (Nm or N).",
            "It holds a joint only up to that force, within the softness of MuJoCo's constraints.",
            "From zero to a value and back, the constraint appears and goes with the next step.",
            ge=0.0,
        ),
    )
}
"""What an override may change, by field."""

NAMESPACES = ("geom", "actuator", "body", "joint")
"""What an override may select."""

REFUSED = {
    "geom_size": "its bounding volume is made at compile, so the geom would look large and collide as if small; "
    "declare a second geom or entity and change which is present",
    "geom_priority": "it also chooses whose stiffness and dimension a contact has, so it would change more than "
    "friction; set it in the model",
    "body_inertia": "it follows body_mass in proportion; override body_mass",
    "sensor_noise": "noise belongs to each sensor's own configuration; set it there",
    "geom_rbound": "it is derived from geom_size at compile; leave it alone",
}
"""Fields that somebody may well ask for, and why they are not on the list."""


def field_mistake(name: str) -> str:
    """Why a field can't be overridden, as the hint of an error; empty for one that can."""
    if name in FIELDS:
        return ""
    if name in REFUSED:
        return REFUSED[name]
    if name.startswith("opt.") or hasattr(mujoco.MjOption, name):
        return (
            "what holds for the whole world is set under `sim:`, before compile, so that a run records what it ran with"
        )
    return suggest(name, FIELDS)


def report() -> list[dict[str, str]]:
    """The list as plain data: ``field``, ``namespace``, ``write``, ``does``, ``caveats``, ``measured``."""
    keys = ("field", "namespace", "write", "does", "caveats", "measured")
    return [{key: getattr(row, key) for key in keys} for row in FIELDS.values()]
