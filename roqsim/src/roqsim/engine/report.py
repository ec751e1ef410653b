"""What can be asked of an engine: what is due, what became of its components, where the time went."""

from __future__ import annotations

from roqsim.context import Endpoint, SimContext
from roqsim.engine.hooks import HookTable, PluginStatus
from roqsim.engine.schedule import Schedule
from roqsim.engine.timing import LoadTimer, Profile
from roqsim.generation import Generations
from roqsim.runtime_options import RuntimeOptions


class Report:
    """The questions that an engine answers; they change nothing."""

    ctx: SimContext
    _pre: Schedule
    _post: Schedule
    _hooks: HookTable
    _profile: Profile | None
    _load: LoadTimer

    def due(self, tick: int) -> list[tuple[str, str]]:
        """What runs at a tick, as ``(address, hook)``: ``pre_step`` on its state, ``post_step`` once it is reached."""
        slots = (*self._pre.due(tick), *(self._post.due(tick) if tick > 0 else ()))
        return [(slot.address, slot.hook) for slot in slots if not slot.address.startswith("engine.")]

    def status(self) -> dict[str, PluginStatus]:
        """What became of every component, by address."""
        return dict(self._hooks.status)

    def generations(self) -> Generations:
        """Which model, set of components, layout of cameras and change of options are current, each by its type."""
        ctx = self.ctx
        options = None if ctx.data is None else RuntimeOptions.of(ctx).snapshot().epoch
        frames = ctx.render.generation if ctx.has_render else None
        return Generations(ctx.model_generation, ctx.plugin_generation, frames, options)

    def streams(self) -> list[Endpoint]:
        """Every endpoint, whose counters tell what became of its payloads."""
        return self.ctx.interface.all()

    def timing_report(self) -> dict[str, dict[str, float]]:
        """Mean microseconds of every hook, by component; empty without ``profile=True``."""
        return {} if self._profile is None else self._profile.report()

    def format_timing(self) -> str:
        """The timing report as a table."""
        return self._profile.table() if self._profile else "no hook was timed; make the engine with profile=True"

    def load_report(self) -> dict[str, float]:
        """Seconds that each phase of loading took."""
        return dict(self._load.phases)

    def format_load_report(self) -> str:
        """The load report as a table."""
        return self._load.table()
