"""What MuJoCo only knows while it solves: accelerations and forces, at no cost while nobody wants them.

MuJoCo's sensors are computed in every step. Here they sleep until they are wanted, and then belong to the last solve,
one step before the current state. Where there was none that they were awake in (the first measurement after a rest, a
reset, a command between two steps) the current state is solved on a scratch copy instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
from roqsim.context import Entity, SimContext
from roqsim.errors import NotFoundError, suggest
from roqsim.sensing.sensor import Sensor
from roqsim.sensing.sensor_config import SensorConfig

ASLEEP = int(mujoco.mjtStage.mjSTAGE_NONE)
"""The stage of a sensor that MuJoCo does not compute."""

SCRATCH = "solve_scratch"
"""The blackboard key of the copy that all sensors of a simulation share."""


class Scratch:
    """A copy of the data on which the current state is solved, at most once however many ask."""

    def __init__(self, ctx: SimContext) -> None:
        self._ctx = ctx
        self._data: mujoco.MjData | None = None
        self._key: tuple[int, ...] = ()
        self.awake = 0

    def solve(self) -> mujoco.MjData:
        """The solved copy of the current state; ``awake`` counts how often sensors were woken."""
        ctx = self._ctx
        if self._data is None:
            self._data = mujoco.MjData(ctx.model)
        key = (ctx.tick, ctx.version, self.awake)
        if key != self._key:
            mujoco.mj_copyData(self._data, ctx.model, ctx.data)
            mujoco.mj_forward(ctx.model, self._data)
            self._key = key
        return self._data


class SolvedValues:
    """Some sensors of the model, asleep until they are read.

    Args:
        ctx: A simulation with model and data.
        names: The compiled names of the sensors.

    Attributes:
        tick: The tick of the state that the last values belong to.
    """

    def __init__(self, ctx: SimContext, names: Sequence[str]) -> None:
        model = ctx.model
        self._ctx, self._stages = ctx, model.sensor_needstage
        self._ids = np.array([model.sensor(name).id for name in names], dtype=int)
        self._own = self._stages[self._ids].copy()
        starts, counts = model.sensor_adr[self._ids], model.sensor_dim[self._ids]
        self._rows = [slice(int(start), int(start + count)) for start, count in zip(starts, counts, strict=True)]
        self._scratch = ctx.blackboard.get(SCRATCH) or Scratch(ctx)
        ctx.blackboard.set(SCRATCH, self._scratch)
        self.tick = 0
        self._awake_since: int | None = None
        self._stages[self._ids] = ASLEEP

    def sleep(self) -> None:
        """Lets MuJoCo skip the sensors."""
        if self._awake_since is not None:
            self._stages[self._ids] = ASLEEP
            self._awake_since = None

    def read(self) -> list[np.ndarray]:
        """One array a sensor, to be used before the next step; wakes the sensors."""
        ctx = self._ctx
        since = self._awake_since
        if since is not None and since < ctx.tick != ctx.changed_tick:
            data, self.tick = ctx.data, ctx.tick - 1
        else:
            if since is None:
                self._stages[self._ids] = self._own
                self._awake_since = ctx.tick
                self._scratch.awake += 1
            data, self.tick = self._scratch.solve(), ctx.tick
        return [data.sensordata[row] for row in self._rows]


class SolvedSensor(Sensor):
    """A sensor that is made of sensors of MuJoCo's own, which ``build`` adds.

    Its stamp is the time of the solve that the values come from: as a rule one step before the current state.
    """

    quantities: tuple[mujoco.mjtSensor, ...] = ()
    """The MuJoCo sensors that it needs, in the order in which ``solved`` gives their values."""
    needs_site: bool = False
    """Whether these sit at sites only; a body then gets one at its origin."""

    def build(self, spec: mujoco.MjSpec, ctx: SimContext) -> None:
        """Adds the sensors to the model."""
        kind, name = self._target(spec, ctx.owner_of(self))
        self._names = [f"{self.address}.{quantity.name}" for quantity in self.quantities]
        for quantity, label in zip(self.quantities, self._names, strict=True):
            sensor = spec.add_sensor()
            sensor.name, sensor.type, sensor.objtype, sensor.objname = label, quantity, kind, name

    def _target(self, spec: mujoco.MjSpec, entity: Entity | None) -> tuple[mujoco.mjtObj, str]:
        """The object that the sensors sit on, and its compiled name."""
        config: SensorConfig = self.config
        prefix = entity.prefix if entity is not None else ""
        kind = "site" if config.site is not None else "body"
        asked = config.site or config.body
        name = prefix + asked if asked else (entity.body_name if entity is not None else "world")
        found = (spec.site if kind == "site" else spec.body)(name)
        if found is None:
            all_names = [each.name for each in (spec.sites if kind == "site" else spec.bodies) if each.name]
            known = [each.removeprefix(prefix) for each in all_names if each.startswith(prefix)]
            raise NotFoundError(
                f"{self.address}.{kind}: expected the name of a {kind}, got {asked or name!r}; "
                f"{suggest(asked or name, known)}"
            )
        if kind == "site":
            return mujoco.mjtObj.mjOBJ_SITE, name
        if self.needs_site:
            site = found.add_site()
            site.name, site.group = f"{self.address}.origin", 5
            return mujoco.mjtObj.mjOBJ_SITE, site.name
        return mujoco.mjtObj.mjOBJ_XBODY, name

    def configure(self, ctx: SimContext) -> None:
        """Finds the sensors and puts them to sleep."""
        self.solved = SolvedValues(ctx, self._names)
        super().configure(ctx)

    def on_reset(self, ctx: SimContext) -> None:
        """Forgets every measurement."""
        super().on_reset(ctx)
        self.solved.sleep()

    def rest(self) -> None:
        """Lets MuJoCo skip what nobody reads."""
        self.solved.sleep()

    def stamp_tick(self) -> int:
        """The tick of the solve that the last measurement comes from."""
        return self.solved.tick

    def stamp_ns(self) -> int:
        """The time of the state that the last measurement belongs to, in nanoseconds."""
        return round(self.stamp_tick() * self._ctx.dt * 1e9)
