"""The ``sim:`` block: how the world is stepped, and where it starts from.

A field that is None says nothing: MuJoCo's default or the model's own value stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from roqsim.config.nodes import Node, Origin
from roqsim.config.schema import as_float, opt, unknown_key
from roqsim.errors import ConfigError, Problem, suggest

BUILTIN_WORLDS = ("empty_room", "studio")
"""The worlds that ``sim.world`` can name without a file."""

FLOOR_STEPS = 2
"""The least time constant of a contact, in physics steps: MuJoCo raises a shorter one without a word (refsafe)."""

MOST_ITERATIONS = 1_000_000
"""More than any solver needs, and few enough for MuJoCo's 32-bit fields."""

SHORTEST_STEP = 1e-6
"""Seconds of the shortest physics step: stamps in nanoseconds still tell its steps apart."""

LONGEST_STEP = 1.0
"""Seconds of the longest physics step: no contact and no drive is stable with as much as a tenth of it."""

Vector = tuple[float, float, float]


class Pacing:
    """The reader of ``pacing``: ``realtime``, ``asap``, or a factor as a number or as ``{factor: F}``."""

    expected = "'realtime', 'asap' or a factor > 0"

    @classmethod
    def from_node(cls, node: Node, where: str) -> str | float:
        """Returns ``realtime``, ``asap`` or the factor: simulated seconds per second of wall time.

        Raises:
            ConfigError: for anything else.
        """
        value = node
        if node.is_mapping:
            problems = [unknown_key(where, k, v, ("factor",)) for k, v in node.value.items() if k != "factor"]
            if problems or node.get("factor") is None:
                raise ConfigError(problems or Problem(where, cls.expected, node.shown(), node.origin, "add 'factor'"))
            value, where = node.value["factor"], f"{where}.factor"
        elif node.value in ("realtime", "asap"):
            return node.value
        factor, number = as_float(value.value), value.value
        if factor is not None and 0 < factor < float("inf"):
            return factor
        expected = "float > 0" if node.is_mapping else cls.expected
        hint = suggest(number, ("realtime", "asap")) if isinstance(number, str) and not node.is_mapping else ""
        hint = hint if hint.startswith("did you mean") else ""
        raise ConfigError(Problem(where, expected, value.shown(), value.origin, hint))

    @staticmethod
    def json_schema() -> dict[str, object]:
        """The JSON Schema of what ``from_node`` reads."""
        factor = {"type": "number", "exclusiveMinimum": 0}
        mapping = {"type": "object", "properties": {"factor": factor}, "required": ["factor"]}
        return {"anyOf": [{"enum": ["realtime", "asap"]}, factor, {**mapping, "additionalProperties": False}]}


@dataclass(frozen=True, kw_only=True)
class ContactOverride:
    """Parameters that replace those of every contact.

    One of them puts all of them in force: what is left out, and what a short vector leaves out, has MuJoCo's current
    values, which are its defaults where nothing else was said.
    """

    margin: float | None = opt(None, ge=0, unit="m")
    """Distance at which things begin to touch."""
    solref: tuple[float, ...] | None = opt(None, length=(1, 2))
    """Time constant in s and damping ratio; both negative: stiffness and damping directly."""
    solimp: tuple[float, ...] | None = opt(None, length=(1, 5))
    """Impedance: dmin, dmax, width in m, midpoint, power."""
    friction: tuple[float, ...] | None = opt(None, length=(1, 5), ge=0)
    """Sliding friction along two axes, torsional, rolling about two axes."""

    def __post_init__(self) -> None:
        # MuJoCo takes its default, with a warning for each contact, where the two numbers are of different kinds.
        if self.solref is None or all(value > 0 for value in self.solref):
            return
        if len(self.solref) != 2 or not all(value < 0 for value in self.solref):
            kinds = "positive numbers (time constant, damping ratio) or two negative ones (-stiffness, -damping)"
            raise ValueError(f"solref: expected {kinds}, got {list(self.solref)!r}")


@dataclass(frozen=True, kw_only=True)
class View:
    """The first camera of a window or a picture; angles in degrees, as MuJoCo's own viewer shows them."""

    lookat: Vector | None = opt(None, unit="m")
    """Point that the camera looks at and turns about, in the world frame."""
    distance: float | None = opt(None, gt=0, unit="m")
    """Distance from the camera to that point."""
    azimuth: float | None = opt(None, unit="deg")
    """Direction of view about the world's z axis; 0 looks along x, 90 along y."""
    elevation: float | None = opt(None, ge=-90, le=90, unit="deg")
    """Direction of view above the horizontal plane; -90 looks straight down."""
    track: str | None = opt(None)
    """Name of an entity that the camera keeps looking at."""
    follow_heading: bool = opt(False)
    """Whether the camera turns with that entity; its azimuth then starts at the entity's heading."""

    def __post_init__(self) -> None:
        if self.follow_heading and self.track is None:
            raise ValueError("follow_heading: expected track beside it, got none; name the entity to turn with")


@dataclass(frozen=True, kw_only=True)
class Sync:
    """Lockstep between the simulation and the consumers of its data."""

    enabled: bool = opt(False)
    """Whether a step waits for the consumers; only false is available."""

    def __post_init__(self) -> None:
        if self.enabled:
            raise ValueError("enabled: expected false, got True; lockstep is not available yet, remove it")


@dataclass(frozen=True, kw_only=True)
class SimOptions:
    """The ``sim:`` block."""

    name: str | None = opt(None)
    """Name of the world in records and window titles."""
    timestep: float | None = opt(None, ge=SHORTEST_STEP, le=LONGEST_STEP, unit="s")
    """Physics step."""
    pacing: Pacing | None = opt(None)
    """Speed of the standalone runner: realtime, asap, or a factor of real time."""
    world: str | None = opt(None)
    """Ground and light: a built-in world, an MJCF file, or package:world; empty_room where nothing is said."""
    seed: int | None = opt(None, ge=0)
    """Seed of every random draw of the run."""
    integrator: Literal["euler", "rk4", "implicit", "implicitfast", "discrete"] | None = opt(None)
    """Numerical integrator."""
    solver: Literal["newton", "cg", "pgs"] | None = opt(None)
    """Constraint solver."""
    iterations: int | None = opt(None, gt=0, le=MOST_ITERATIONS)
    """Greatest number of iterations of the constraint solver."""
    ls_iterations: int | None = opt(None, gt=0, le=MOST_ITERATIONS)
    """Greatest number of line-search iterations of the solver."""
    noslip_iterations: int | None = opt(None, ge=0, le=MOST_ITERATIONS)
    """Iterations of the pass that removes slip between gripped things; MuJoCo's own value is 0."""
    impratio: float | None = opt(None, gt=0)
    """Ratio of frictional to normal impedance of an elliptic cone."""
    cone: Literal["pyramidal", "elliptic"] | None = opt(None)
    """Shape of the friction cone."""
    gravity: Vector | None = opt(None, unit="m/s^2")
    """Gravity in the world frame."""
    density: float | None = opt(None, ge=0, unit="kg/m^3")
    """Density of the medium; 1.2 is air, MuJoCo's own value is a vacuum."""
    viscosity: float | None = opt(None, ge=0, unit="Pa s")
    """Viscosity of the medium; 1.8e-5 is air."""
    wind: Vector | None = opt(None, unit="m/s")
    """Velocity of the medium in the world frame; without density or viscosity it moves nothing."""
    contact_override: ContactOverride | None = opt(None)
    """Parameters that replace those of every contact."""
    dedup_assets: bool = opt(True)
    """Whether equal meshes, textures and materials from files are compiled once, under the first copy's names."""
    view: View | None = opt(None)
    """First camera of a window or a picture."""
    on_divergence: Literal["stop", "reset"] = opt("stop")
    """What follows when physics makes a state huge or not finite: the run ends as failed, or begins again.

    What a component, a command or a script writes must be finite: a number that is not ends the run in either case.
    """
    sync: Sync | None = opt(None)
    """Lockstep."""

    def __post_init__(self) -> None:
        if self.contact_override is None or self.timestep is None:
            return
        if text := _floor_text(self.contact_override, self.timestep):
            raise ValueError(f"contact_override.solref: {text}")


def check_contact_floor(
    override: ContactOverride, timestep: float, where: str = "sim.contact_override", origin: Origin | None = None
) -> None:
    """Refuses a contact time constant that MuJoCo would raise to two physics steps without saying so.

    Args:
        override: What the document states.
        timestep: The physics step of the compiled model, s.
        where: The address that the error begins with.
        origin: Where it was written, if that is known.

    Raises:
        ConfigError: the time constant is positive and shorter than two steps.
    """
    if text := _floor_text(override, timestep):
        expected, _, rest = text.removeprefix("expected ").partition(", got ")
        got, _, hint = rest.partition("; ")
        raise ConfigError(Problem(f"{where}.solref", expected, got, origin, hint))


def _floor_text(override: ContactOverride, timestep: float) -> str:
    floor = FLOOR_STEPS * timestep
    constant = override.solref[0] if override.solref else floor
    if not 0 < constant < floor * (1 - 1e-9):
        return ""
    rule = f"a time constant >= {floor:g} s ({FLOOR_STEPS} * timestep)"
    return f"expected {rule}, got {constant!r}; raise it, or lower sim.timestep"
