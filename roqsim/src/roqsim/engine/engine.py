"""One simulation: it builds a world, ticks it, resets it and closes it; drivers own the loop around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import mujoco

from roqsim.config.world import SimConfig
from roqsim.context import SimContext
from roqsim.engine.assembly import assemble, start
from roqsim.engine.guard import OutputDir
from roqsim.engine.home import apply_homes
from roqsim.engine.hooks import HookTable
from roqsim.engine.observation import Observer, Observers
from roqsim.engine.reload import reload
from roqsim.engine.report import Report
from roqsim.engine.schedule import NEVER, Schedule, Slot
from roqsim.engine.ticks import Ticks
from roqsim.engine.timing import LoadTimer, Profile
from roqsim.errors import RoqsimError
from roqsim.plugin import Plugin
from roqsim.rates import snap
from roqsim.seed import PREVIEW_SEED, checked_seed

UPKEEP_RATE_HZ = 5.0
"""How often a state is kept for a report, and what is absent is put back where it froze."""


class Engine(Ticks, Report):
    """A world that can be stepped.

    Use it as a context manager, or call ``shutdown`` when done::

        with Engine(load_config("world.yaml")) as engine:
            engine.reset()
            engine.advance(1000)

    Args:
        cfg: The loaded world.
        seed: The run's seed; it wins over the world's ``sim.seed``.
        preview: True to look at a world rather than to measure in it: without a seed, a fixed one is used.
        profile: Whether to time every hook.
        manual_control: Whether a person owns the controls.
        output_dir: Where a divergence leaves its report, or what names the folder then.

    Attributes:
        cfg: The loaded world.
        ctx: The simulation as hooks see it.
        plugins: The components in the order of the document.
    """

    def __init__(
        self,
        cfg: SimConfig,
        *,
        seed: int | None = None,
        preview: bool = False,
        profile: bool = False,
        manual_control: bool = False,
        output_dir: OutputDir = None,
    ) -> None:
        if not isinstance(cfg, SimConfig):
            raise TypeError(f"Engine: expected a loaded world, got {cfg!r}; load it with roqsim.load_config(...)")
        self.cfg = cfg
        self._terms = {"seed": seed, "preview": preview, "profile": profile, "output_dir": output_dir}
        self.ctx = SimContext(cfg.raw, cfg.base_dir)
        self.ctx.seed = cfg.sim.seed if seed is None else checked_seed(seed, "Engine.seed")
        if self.ctx.seed is None and preview:
            self.ctx.seed = PREVIEW_SEED
        self.ctx.manual_control = manual_control
        self.plugins: Sequence[Plugin] = ()
        self._output_dir = output_dir
        self._profile = Profile() if profile else None
        self._load = LoadTimer()
        self._hooks = HookTable(())
        self._closed = False
        self._observers = Observers()
        self._step = mujoco.mj_step
        self._pre = self._post = Schedule([])
        self._pending: Sequence[object] = ()
        self._hold()

    def _hold(self) -> None:
        """Lets the next tick ask first whether there may be one."""
        self._began = False
        self._next_pre, self._next_sample = 0, NEVER

    # Life

    def __enter__(self) -> Engine:
        if self.ctx.model is None:
            self.setup()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.shutdown(error=error)

    def setup(self) -> None:
        """Makes the plugins, builds and compiles the world, and configures everything.

        Raises:
            ConfigError: If a component's configuration is wrong.
            BuildError: If MuJoCo cannot compile the world.
            PluginError: If a hook fails; what was configured by then is shut down.
        """
        if self.ctx.model is not None or self._closed:
            raise RoqsimError("Engine.setup: expected to be called once; make another Engine")
        assemble(self)
        start(self)

    def reload(self, cfg: SimConfig, *, seed: int | None = None) -> None:
        """Goes over to another world, on the physics thread between two ticks; see ``roqsim.engine.reload``.

        Afterwards everything is as in a new engine that was set up and reset; observers go along. A world that cannot
        be built leaves this one as it was.

        Args:
            cfg: The loaded world.
            seed: A new seed of the run; what the engine was made with by default.

        Raises:
            RoqsimError: If the world is wrong, or the call comes from elsewhere; ask for it by ``ctx.control.reload``.
        """
        reload(self, cfg, seed)

    def _bind(self) -> None:
        ctx = self.ctx
        every = snap(min(UPKEEP_RATE_HZ, 1.0 / ctx.dt), ctx.dt).every_steps
        upkeep = Slot("engine.upkeep", "post_step", every, self._keep_up, False, writes=False)
        self._pre = self._guard.before = Schedule(self._hooks.slots("pre_step", ctx))
        self._post = Schedule([*self._hooks.slots("post_step", ctx), upkeep])
        ctx.sleep_hook = self._set_asleep
        self._next_post = self._post.next_due(0)
        self._warned, self._calm = self._guard.warned, self._guard.calm
        self._model, self._data, self._pending = ctx.model, ctx.data, ctx.commands.pending

    def reset(self, *, seed: int | None = None, episode: int | None = None) -> None:
        """Puts the world back to its beginning: state, entities at home, presence, every plugin's own state.

        Args:
            seed: A new seed, with which the episodes are counted from the start again.
            episode: The number of the episode that begins; the next one by default.
        """
        self._require_open("reset")
        seed = None if seed is None else checked_seed(seed, "Engine.reset.seed")
        episode = None if episode is None else checked_seed(episode, "Engine.reset.episode")
        ctx = self.ctx
        ctx.drain_commands()
        ctx.interface.count_due(ctx.tick)
        self._observers.next_episode()
        if seed is not None:
            ctx.seed, ctx.episode = seed, 0
        ctx.episode = ctx.episode + 1 if episode is None else episode
        ctx.tick = 0
        mujoco.mj_resetData(ctx.model, ctx.data)
        apply_homes(ctx)
        self._presence.restore()
        self._options.restore()
        mujoco.mj_forward(ctx.model, ctx.data)
        ctx.state_changed(derived=True)
        try:
            self._hooks.call("on_reset", ctx, after=self._guard.check_writes)
            mujoco.mj_forward(ctx.model, ctx.data)
            ctx.state_changed(derived=True)
            self._observers.begin(self)
            self._bind_sampling()
        except Exception as error:
            self.shutdown(error=error)
            raise
        for gate in ctx.gates():
            gate.reset()
        self._guard.clear()
        self._guard.keep(ctx)
        self._next_pre = 0
        self._next_post = self._post.next_due(0)
        self._next_sample = self._observers.next_due(0)
        self._began = True
        ctx.publish_snapshot()

    def observe(self, observer: Observer) -> None:
        """Lets somebody see the due states of every episode that begins from now on, and when it is over."""
        self._require_open("observe")
        self._observers.add(observer)

    def stand_at(self, tick: int, episode: int) -> None:
        """Says that the state was replaced by that of another tick, with derived quantities recomputed.

        What is due from there on is due; what plugins remember is theirs.
        """
        self._require_open("stand_at")
        ctx = self.ctx
        ctx.tick, ctx.episode = tick, episode
        self._guard.clear()
        self._next_pre, self._next_post = 0, self._post.next_due(tick)
        self._next_sample = self._observers.next_due(tick)
        self._began = True
        ctx.state_changed(derived=True)

    def shutdown(self, *, log: bool = True, error: BaseException | None = None) -> list[RoqsimError]:
        """Closes observers, then every plugin, last one first; may be called more than once.

        Args:
            log: Whether to log what failed; false for a caller that tells it in another way.
            error: What ended the run, if it failed; observers are told.

        Returns:
            What failed to close; nothing keeps another plugin open.
        """
        if self._closed:
            return []
        self._closed = True
        self._hold()
        ctx = self.ctx
        if ctx.data is not None:
            ctx.drain_commands()
        ctx.commands.close()
        ctx.control.cancel()
        ctx.interface.count_due(ctx.tick)
        failures = self._observers.end(ctx, error)
        ctx.close_render()
        failures += self._hooks.shut_down(ctx)
        for failure in failures if log else ():
            ctx.log.error("%s", failure, exc_info=failure.__cause__)
        return failures

    def _set_asleep(self, plugin: Plugin, hook: str, is_asleep: bool, until: int | None = None) -> None:
        """Leaves a hook out of the ticks (before one, where one is given), or looks for it again; from any thread."""
        schedule = self._pre if hook == "pre_step" else self._post
        if is_asleep:
            schedule.put_to_sleep(plugin.address, NEVER if until is None else until)
            return
        schedule.wake(plugin.address)
        if hook == "pre_step":
            self._next_pre = 0
        else:
            self._next_post = 0

    def _keep_up(self, ctx: SimContext) -> None:
        self._guard.keep(ctx)
        self._presence.freeze(ctx)

    @property
    def is_open(self) -> bool:
        """Whether it can be stepped: it was set up, and not shut down."""
        return self.ctx.data is not None and not self._closed

    def _require_open(self, call: str) -> None:
        if self._closed:
            raise RoqsimError(f"Engine.{call}: expected a running engine, got one that is shut down; make another")
        if self.ctx.data is None:
            raise RoqsimError(f"Engine.{call}: expected Engine.setup() before it")

    def watch_post_step(self, wrapper: Callable[[Plugin], Callable[[SimContext], None]]) -> None:
        """Puts ``wrapper(plugin)`` in the place of every ``post_step``: how tests look over a plugin's shoulder."""
        watched = {plugin.address: wrapper(plugin) for plugin in self._hooks.overridden("post_step")}
        slots = [replace(slot, run=watched.get(slot.address, slot.run)) for slot in self._post.slots]
        self._post = Schedule(slots)
