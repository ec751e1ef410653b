"""The simulation as a hook sees it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Protocol

import mujoco
import numpy as np

from roqsim.context.blackboard import Blackboard
from roqsim.context.commands import Command, CommandQueue
from roqsim.context.control import RunControl
from roqsim.context.entity import Entity, EntityRegistry
from roqsim.context.gates import Gate
from roqsim.context.interface import Interface
from roqsim.errors import ConfigError
from roqsim.generation import ModelGeneration, PluginGeneration
from roqsim.plugin import TICK_HOOKS
from roqsim.rates import NOTABLE_SHIFT, Rate, announcement, snap
from roqsim.seed import Streams

if TYPE_CHECKING:
    from roqsim.plugin import Plugin

LOG = logging.getLogger("roqsim")

RENDER_SERVICE = "roqsim.rendering.service:open_service"
"""What makes ``ctx.render``: a name, because that room stands above this one and knows it, not the other way."""


@dataclass(frozen=True)
class Snapshot:
    """A copy of the state for readers on other threads.

    Attributes:
        tick: Steps since the last reset.
        episode: Resets since the start.
        time_ns: Simulated time in nanoseconds.
        qpos: ``(nq,)`` generalized positions.
        qvel: ``(nv,)`` generalized velocities.
        ctrl: ``(nu,)`` controls.
    """

    tick: int
    episode: int
    time_ns: int
    qpos: np.ndarray
    qvel: np.ndarray
    ctrl: np.ndarray


class Watcher(Protocol):
    """Told what happens to a simulation besides its steps, on the physics thread."""

    def before_command(self, ctx: SimContext) -> None:
        """A command from outside is about to run."""

    def after_command(self, ctx: SimContext) -> None:
        """It did, or failed."""

    def changed(self, ctx: SimContext) -> None:
        """The state was written outside a step."""


class SimContext:
    """Passed to every hook, for the physics thread; ``post``, ``call``, ``wake``, ``control``, snapshots for any.

    Attributes:
        spec: The ``MjSpec`` while plugins build, then None.
        model_generation: Which model it is; a reload makes the next one, with a context of its own.
        plugin_generation: Which set of components it is.
        model: The compiled ``MjModel``, None while plugins build.
        data: The ``MjData``, None while plugins build.
        dt: The physics step in seconds.
        tick: Steps since the last reset.
        version: Changes whenever the state changed without a step: commands, resets.
        changed_tick: The tick at which ``version`` changed last.
        episode: How many resets the run has seen.
        seed: The run's seed, or None.
        config: The resolved document as plain data.
        base_dir: The directory of the world file.
        pace: Simulated seconds a wall second that the driver holds; None where it holds none.
        manual_control: True while a person owns ``data.ctrl``; controllers then write none.
        blackboard: What plugins hand each other.
        entities: Everything that can be named from outside.
        interface: Every endpoint.
        control: Pause, resume, step, reset, reload; it belongs to the run and outlives its worlds.
        actuator_tables: By entity: the law and gains that every actuator ended up with.
        snapshots_wanted: Whether anybody has asked for a snapshot.
        watchers: Who is told of commands and of changes outside the steps.
        log: Where a plugin reports.
    """

    def __init__(self, config: Mapping[str, object] | None = None, base_dir: Path | None = None) -> None:
        self.model_generation = ModelGeneration()
        self.plugin_generation = PluginGeneration()
        self.spec: mujoco.MjSpec | None = None
        self.model: mujoco.MjModel | None = None
        self.data: mujoco.MjData | None = None
        self.dt = 0.0
        self.tick = 0
        self.version = 0
        self.changed_tick = 0
        self.episode = 0
        self.seed: int | None = None
        self.config = dict(config or {})
        self.base_dir = Path.cwd() if base_dir is None else Path(base_dir)
        self.pace: float | None = None
        self.manual_control = False
        self.blackboard = Blackboard()
        self.entities = EntityRegistry()
        self.interface = Interface(self, self._snap)
        self.control = RunControl()
        self.commands = CommandQueue()
        self._render: object | None = None
        self.actuator_tables: dict[str, object] = {}
        self.schedules: dict[tuple[Plugin, str], Rate] = {}
        self.sleep_hook: Callable[..., None] | None = None
        self.watchers: tuple[Watcher, ...] = ()
        self.log = LOG
        self.stop_reason: str | None = None
        self.stop_failed = False
        self._streams = Streams()
        self._announced: set[float] = set()
        self._gates: dict[str, Gate] = {}
        self._derived_tick = -1
        self._snapshot: Snapshot | None = None
        self.snapshots_wanted = False
        self._physics_thread: int | None = None

    # Time

    @property
    def sim_time(self) -> float:
        """Simulated time since the last reset in seconds: ticks times step, never a sum."""
        return self.tick * self.dt

    @property
    def time_ns(self) -> int:
        """Simulated time since the last reset in nanoseconds: the stamp of the current state."""
        return round(self.tick * self.dt * 1e9)

    @property
    def solve_time(self) -> float:
        """The time in seconds of the state that contacts, forces, accelerations and ``sensordata`` belong to."""
        return max(self.tick - 1, 0) * self.dt

    @property
    def solve_time_ns(self) -> int:
        """``solve_time`` in nanoseconds."""
        return round(max(self.tick - 1, 0) * self.dt * 1e9)

    def refresh(self) -> None:
        """Makes positions and velocities that derive from qpos and qvel belong to the current state.

        ``mj_step`` leaves them one step behind. The trajectory is not touched by one bit: the next step computes them
        anew.
        """
        if self._derived_tick == self.tick:
            return
        model, data = self.model, self.data
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_camlight(model, data)
        mujoco.mj_comVel(model, data)
        self._derived_tick = self.tick

    def state_changed(self, *, derived: bool = False) -> None:
        """Says that the state was written outside a step, so what was read or derived from it is stale.

        Args:
            derived: True if the derived quantities were already recomputed from it.
        """
        self.version += 1
        self.changed_tick = self.tick
        self._derived_tick = self.tick if derived else -1
        for watcher in self.watchers:
            watcher.changed(self)

    # Cadence

    def schedule(self, plugin: Plugin, hook: str, rate_hz: float) -> Rate:
        """Says how often a hook is needed; to be called in ``configure``.

        Args:
            plugin: The plugin, as a rule ``self``.
            hook: ``pre_step`` or ``post_step``.
            rate_hz: Calls per simulated second in Hz; 0 for never.

        Returns:
            The rate that the physics step can hold.

        Raises:
            ConfigError: If the rate is negative or above the physics rate.
        """
        if hook not in TICK_HOOKS:
            raise ValueError(f"schedule: expected a hook of {' or '.join(TICK_HOOKS)}, got {hook!r}")
        rate = self._snap(f"{plugin.address}.{hook}", rate_hz)
        self.schedules[plugin, hook] = rate
        return rate

    def rest(self, plugin: Plugin, hook: str, until: int | None = None) -> None:
        """Leaves a hook out of the ticks until ``wake``: for one that would do nothing, so that it costs nothing.

        What is due stays a pure function of the tick; a hook that rests has to be one that changes nothing.

        Args:
            plugin: The plugin, as a rule ``self``.
            hook: ``pre_step`` or ``post_step``.
            until: The tick from which on it runs again by itself; None for never.
        """
        if self.sleep_hook is not None:
            self.sleep_hook(plugin, hook, True, until)

    def wake(self, plugin: Plugin, hook: str) -> None:
        """Ends the rest of a hook, which runs again from its next due tick on; from any thread."""
        if self.sleep_hook is not None:
            self.sleep_hook(plugin, hook, False)

    def _snap(self, where: str, rate_hz: float) -> Rate:
        try:
            rate = snap(rate_hz, self.dt)
        except ValueError as error:
            raise ConfigError(f"{where}: {error}; lower the rate or sim.timestep") from None
        text = announcement(rate)
        if text and rate_hz not in self._announced:
            self._announced.add(rate_hz)
            self.log.log(logging.WARNING if rate.shift > NOTABLE_SHIFT else logging.INFO, "%s: %s", where, text)
        return rate

    # Entities

    def owner_of(self, plugin: Plugin) -> Entity | None:
        """The nearest entity that a plugin's entry is nested under, or None; for a population, its only member.

        Raises:
            ConfigError: If that is a population of several.
        """
        return self.entities.owner_of(plugin.address, plugin.owner)

    # Commands from elsewhere

    def post(self, command: Command) -> Future:
        """Runs ``command(ctx)`` on the physics thread at the next tick boundary, also while paused; from any thread."""
        return self.commands.post(command)

    def call(self, command: Command, timeout: float = 5.0) -> object:
        """Like ``post``, and waits for the result; on the physics thread it runs at once.

        Args:
            command: Called with the context.
            timeout: How long to wait in seconds of wall time.

        Raises:
            TimeoutError: If the simulation did not get to it in time; the command is then withdrawn.
        """
        if self.is_physics_thread:
            result = self._perform(command)
            self.state_changed()
            return result
        future = self.post(command)
        try:
            return future.result(timeout)
        except FutureTimeout:
            future.cancel()
            raise TimeoutError(f"the simulation did not run a command within {timeout:g} s") from None

    def drain_commands(self) -> int:
        """Runs the queued commands; the engine does it at every tick boundary."""
        ran = self.commands.drain(self, self._perform if self.watchers else None)
        if ran:
            self.state_changed()
        return ran

    def _perform(self, command: Command) -> object:
        for watcher in self.watchers:
            watcher.before_command(self)
        try:
            return command(self)
        finally:
            for watcher in self.watchers:
                watcher.after_command(self)

    def claim_thread(self) -> None:
        """Makes the calling thread the physics thread."""
        self._physics_thread = threading.get_ident()

    @property
    def is_physics_thread(self) -> bool:
        """Whether the calling thread is the one that may touch model and data."""
        return threading.get_ident() == self._physics_thread

    def follow(self, older: SimContext) -> None:
        """Takes over from the context of the world before what belongs to the run; the engine does it in a reload."""
        self.model_generation = older.model_generation.next()
        self.plugin_generation = older.plugin_generation
        self.control, self.pace = older.control, older.pace
        self._render = older._render
        self._announced = older._announced

    def request_stop(self, reason: str, *, failed: bool = False) -> None:
        """Asks the driver to end the run; the first reason wins.

        Args:
            reason: Shown to the user and recorded.
            failed: True if the run counts as failed (exit status 1).
        """
        if self.stop_reason is None:
            self.stop_reason = reason
            self.stop_failed = failed

    @property
    def stop_requested(self) -> bool:
        """Whether somebody asked for the end of the run."""
        return self.stop_reason is not None

    def withdraw_stop(self) -> None:
        """Forgets a request to end: a driver begins another trial with the same world."""
        self.stop_reason, self.stop_failed = None, False

    # Pictures

    @property
    def render(self) -> object:
        """The render service (``roqsim.rendering.RenderService``), made at its first use; for a compiled world."""
        if self._render is None:
            self._render = resolve_name(RENDER_SERVICE)(self)
        return self._render

    @render.setter
    def render(self, service: object) -> None:
        """Puts another service in its place, such as one with a fake backend in a test."""
        self._render = service

    @property
    def has_render(self) -> bool:
        """Whether a render service was made."""
        return self._render is not None

    def close_render(self) -> None:
        """Closes the render service, where one was made; the engine does it before plugins shut down."""
        if self._render is not None:
            self._render.close()

    # Lockstep

    def register_gate(self, name: str, role: str) -> Gate:
        """Adds a named barrier: ``producer`` for a sensor, ``consumer`` for a command.

        Raises:
            ValueError: If the name is taken or the role unknown.
        """
        if name in self._gates:
            raise ValueError(f"expected a gate name of its own, got {name!r} again")
        self._gates[name] = Gate(name, role)
        return self._gates[name]

    def gates(self) -> list[Gate]:
        """Every barrier, in the order of registration."""
        return list(self._gates.values())

    # Readers on other threads

    def publish_snapshot(self) -> None:
        """Copies the state for ``read_snapshot``, once somebody has asked for one."""
        if self.snapshots_wanted:
            data = self.data
            self._snapshot = Snapshot(
                self.tick, self.episode, self.time_ns, data.qpos.copy(), data.qvel.copy(), data.ctrl.copy()
            )

    def read_snapshot(self) -> Snapshot | None:
        """The last published state; None until the first tick boundary after the first call. From any thread."""
        self.snapshots_wanted = True
        return self._snapshot

    # Chance

    def rng_for(self, name: str) -> np.random.Generator:
        """A generator whose numbers depend only on the seed, the episode, the tick and the name; draw from it at once.

        Args:
            name: Who draws; use the component's address, with a suffix where it draws several kinds of numbers.

        Raises:
            SeedError: If the run has no seed.
        """
        return self._streams.at(self.seed, self.episode, self.tick, name)
