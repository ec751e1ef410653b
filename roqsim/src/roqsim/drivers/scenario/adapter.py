"""The simulation as scenario-execution drives it: in its process, stepped once per tick of the scenario's tree."""

from __future__ import annotations

import logging
import os
from collections import Counter
from pathlib import Path

from roqsim.config.world import SimConfig
from roqsim.context import SimContext
from roqsim.drivers.output import RunOutput
from roqsim.drivers.scenario.deployment import SEED, WORLD, Deployment
from roqsim.drivers.scenario.host import fail_scenario, output_directory
from roqsim.drivers.scenario.log_relay import ForeignLogger, LogRelay
from roqsim.drivers.scenario.steering import Steering
from roqsim.drivers.scenario.trial import Choice, WorldOverrides, choose
from roqsim.drivers.scenario.window import ScenarioWindow
from roqsim.engine import Engine
from roqsim.errors import ConfigError, Problem, RoqsimError, reason_of
from roqsim.scene.timestep import declared_timestep
from roqsim.seed import checked_seed, draw_seed

LOG = logging.getLogger("roqsim")

TICK = 0.002
"""Seconds of a scenario's tick where no world is known before the scenario names one: MuJoCo's own step."""

SLACK = 1e-6
"""How far the steps of a tick may be from a whole number."""

NO_WORLD = f"set {WORLD}, or declare the parameter 'world: string' in the scenario"


class MujocoSim:
    """A world that a scenario steps: the ``SimulationInterface`` of scenario-execution.

    The world is the one that the scenario names (parameter ``world``), else the argument, else ``ROQSIM_WORLD``.
    Overrides are layered: the file of ``ROQSIM_WORLD_OVERRIDES``, the argument, the scenario's ``world_overrides``.
    The seed is the argument, else ``ROQSIM_SEED``, else the world's, else it is drawn and announced.

    A study with factors of its own writes a subclass whose ``reset`` names them: what is not named never arrives.

    Args:
        world: A world file, an MJCF file, or ``package:world``.
        world_overrides: Nested as the world is, ``PATH=VALUE``, or the path of an override file.
        seed: The seed of the run.

    Attributes:
        failure: Why the current trial can't go on, or None.

    Raises:
        RoqsimError: If the world does not load or something in the environment is wrong.
    """

    def __init__(
        self,
        world: str | os.PathLike[str] | None = None,
        world_overrides: WorldOverrides = None,
        seed: int | None = None,
    ) -> None:
        deployment = Deployment.from_environment()
        self._transport = deployment.transport
        self._output = RunOutput.from_environment()
        self._output_dir: Path | None = None
        self._world = world or deployment.world
        self._overrides = world_overrides
        self._seed = deployment.seed if seed is None else checked_seed(seed, "seed")
        self._drawn: int | None = None
        self._relay: LogRelay | None = None
        self._engine: Engine | None = None
        self._window = ScenarioWindow()
        self._key: tuple[str, str] | None = None
        self._loaded: tuple[tuple[str, str], SimConfig] | None = None
        self._trials: Counter[tuple[str, str]] = Counter()
        self._told_stop = False
        self.failure: str | None = None
        self._dt = TICK
        if self._world is not None:
            # Here the host tells a mistake in one line; where it asks for the tick, it would show a traceback.
            self._dt = declared_timestep(self._load(self._choose(None, None)))

    # What the host and its actions ask

    @property
    def dt(self) -> float:
        """Seconds that a step advances the simulation: the tick of the scenario, for good."""
        return self._dt

    @property
    def context(self) -> SimContext | None:
        """The simulation as a plugin sees it, single writer and all; None before the first reset."""
        return None if self._engine is None else self._engine.ctx

    # Life

    def setup(self, logger: ForeignLogger | None = None, output_dir: str | None = None, **_: object) -> None:
        """Takes the host's logger; nothing is built before a scenario has said which world it wants.

        Args:
            logger: Gets what roqsim says.
            output_dir: Where relative outputs go, unless ``RUN_OUTPUT_DIR`` says or the scenario has its own directory.
        """
        self._output_dir = None if output_dir is None else Path(output_dir)
        self._take_leave()
        if logger is not None:
            self._relay = LogRelay(logger)
            self._relay.attach()

    def reset(
        self,
        world: str | None = None,
        world_overrides: WorldOverrides = None,
        headless: bool | str | None = None,
        **unread: object,
    ) -> None:
        """Begins a trial: builds the world if it is another one, and puts it to its beginning.

        The n-th trial of a world is its n-th episode, whatever else ran in between.

        Args:
            world: Instead of the adapter's own world.
            world_overrides: On top of the adapter's own overrides.
            headless: Whether to go without a window; where nothing is said, without one if there is no screen.
            unread: What a subclass passed on and nobody reads; it is told.

        Raises:
            RoqsimError: If the world is wrong, or can't be stepped in the scenario's tick.
        """
        if unread:
            LOG.warning("reset: nobody reads %s; a subclass takes what it names", ", ".join(map(repr, unread)))
        choice = self._choose(world, world_overrides)
        if choice.key != self._key or self.failure is not None:
            self._close()
            self._build(choice)
        try:
            self._restart()
            self._window.show(self._engine, headless)
        except BaseException:
            self._close()
            raise

    def step(self) -> None:
        """Advances the simulation by one tick of the scenario.

        What goes wrong in the simulation fails the scenario, with the reason in its log, and further steps do nothing
        until the next reset.

        Raises:
            RoqsimError: If there was no reset, or the simulation fails with no scenario to tell.
        """
        if self._engine is None:
            raise RoqsimError("step: expected a reset before the first step")
        if self.failure is not None:
            return
        try:
            self._steering.before(self._window.view)
            self._advance()
            self._steering.after()
            self._window.sync()
        except Exception as error:
            self._fail(error)
            is_hosted = self._relay is not None
            if not (is_hosted and fail_scenario()):
                raise
        else:
            self._tell_stop()

    def shutdown(self) -> None:
        """Closes everything; may be called more than once."""
        try:
            self._close()
        finally:
            self._take_leave()

    def _take_leave(self) -> None:
        """Gives the host's logger back."""
        relay, self._relay = self._relay, None
        if relay is not None:
            relay.detach()

    # The world

    def _choose(self, world: str | None, overrides: WorldOverrides) -> Choice:
        layers = (("world_overrides of the adapter", self._overrides), ("world_overrides", overrides))
        return choose(world or self._world, layers, NO_WORLD)

    def _load(self, choice: Choice) -> SimConfig:
        if self._loaded is None or self._loaded[0] != choice.key:
            self._loaded = (choice.key, choice.load(self._transport))
        return self._loaded[1]

    def _build(self, choice: Choice) -> None:
        config = self._load(choice)
        engine = Engine(config, seed=self._seed_of(config), output_dir=self._folder)
        engine.setup()
        try:
            self._stride = steps_per_tick(self._dt, engine.ctx.dt)
            self._output.attach(engine, self._folder)
        except BaseException:
            engine.shutdown()
            raise
        self._engine, self._key = engine, choice.key
        self._steering = Steering(engine, self._restart)

    def _folder(self) -> Path | None:
        """Where the outputs of this trial go; known from its first step on, for a host tells it after the reset."""
        return self._output.base or output_directory() or self._output_dir

    def _seed_of(self, config: SimConfig) -> int:
        """The seed that a world runs with; one that is drawn holds for every world that states none."""
        if self._seed is not None:
            return self._seed
        if config.sim.seed is not None:
            return config.sim.seed
        if self._drawn is None:
            self._drawn = draw_seed()
            LOG.info("seed %d (drawn; %s=%d repeats this run)", self._drawn, SEED, self._drawn)
        return self._drawn

    def _restart(self) -> None:
        """Puts the world to its beginning, in an episode of its own."""
        self._told_stop = False
        self._count_episodes()
        self._trials[self._key] += 1
        self._engine.ctx.withdraw_stop()
        self._engine.reset(episode=self._trials[self._key])

    def _count_episodes(self) -> None:
        """Counts the episodes that the world began by itself, as ``sim.on_divergence: reset`` does."""
        self._trials[self._key] = max(self._trials[self._key], self._engine.ctx.episode)

    def _close(self) -> None:
        """Closes the world, if there is one."""
        engine = self._engine
        if engine is not None:
            self._count_episodes()
        self._engine = self._key = self.failure = None
        try:
            self._window.close()
        finally:
            if engine is not None:
                engine.shutdown()

    # A tick

    def _advance(self) -> None:
        engine = self._engine
        if self._stride == 1:
            engine.step()
            return
        left = self._stride
        while left:
            # A stop request ends a call early; the scenario's clock goes on all the same.
            left -= engine.advance(left)

    def _fail(self, error: Exception) -> None:
        """Ends the trial; the next one gets a world that is built anew."""
        self.failure = str(error) if isinstance(error, RoqsimError) else reason_of(error)
        LOG.error("the simulation failed: %s", self.failure)
        self._window.close()
        self._engine.shutdown(error=error)

    def _tell_stop(self) -> None:
        ctx = self._engine.ctx
        if ctx.stop_requested and not self._told_stop:
            self._told_stop = True
            level = logging.WARNING if ctx.stop_failed else logging.INFO
            LOG.log(level, "the simulation asks for the end of the run: %s", ctx.stop_reason)


def steps_per_tick(tick: float, dt: float) -> int:
    """How many physics steps of ``dt`` seconds make a scenario's tick.

    Raises:
        ConfigError: If it is no whole number.
    """
    steps = round(tick / dt)
    if steps < 1 or abs(tick / dt - steps) > SLACK * steps:
        rule = f"a physics step that divides the scenario's tick of {tick:g} s"
        hint = f"a tick is the step of the first world: set {WORLD} to one with this step, or set sim.timestep"
        raise ConfigError(Problem("sim.timestep", rule, f"{dt:g}", None, hint))
    return steps
