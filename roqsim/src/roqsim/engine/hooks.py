"""The hooks that a world's plugins override, bound once, each failing with its component's address."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roqsim.context import SimContext
from roqsim.engine.observation import runs_hooks
from roqsim.engine.schedule import Slot
from roqsim.engine.timing import Profile
from roqsim.errors import ConfigError, DivergenceError, PluginError, RoqsimError, placed, reason_of
from roqsim.plugin import HOOKS, Plugin


@dataclass
class PluginStatus:
    """What became of one component.

    Attributes:
        address: Its place in the document.
        state: ``loaded`` or ``failed``.
        reason: Why it failed, or an empty text.
    """

    address: str
    state: str = "loaded"
    reason: str = ""


class HookTable:
    """Every overridden hook of a world.

    Args:
        plugins: The components in the order of the document.
        profile: Where the hooks are timed, or None.
    """

    def __init__(self, plugins: Sequence[Plugin], profile: Profile | None = None) -> None:
        self.plugins = tuple(plugins)
        self.status = {plugin.address: PluginStatus(plugin.address) for plugin in plugins}
        self._profile = profile

    def overridden(self, hook: str) -> list[Plugin]:
        """The plugins that override a hook, in the order in which it runs; ``shutdown`` runs in reverse."""
        if hook not in HOOKS:
            raise ValueError(f"expected a hook of {', '.join(HOOKS)}, got {hook!r}")
        found = [plugin for plugin in self.plugins if getattr(type(plugin), hook) is not getattr(Plugin, hook)]
        return found[::-1] if hook == "shutdown" else found

    def bound(self, plugin: Plugin, hook: str) -> Callable[..., None]:
        """A plugin's hook, timed where a profile is kept."""
        run = getattr(plugin, hook)
        return run if self._profile is None else self._profile.wrap(plugin.address, hook, run)

    def slots(self, hook: str, ctx: SimContext) -> list[Slot]:
        """The hooks of a phase of the tick with their cadence."""
        slots = []
        for plugin in self.overridden(hook):
            rate = ctx.schedules.get((plugin, hook))
            every = 1 if rate is None else rate.every_steps
            slots.append(Slot(plugin.address, hook, every, self.bound(plugin, hook), plugin.reads_derived))
        return slots

    @runs_hooks
    def call(self, hook: str, ctx: SimContext, after: Callable[[Slot], None] | None = None) -> None:
        """Runs a hook of every plugin that has it.

        Args:
            hook: Which one.
            ctx: Given to it.
            after: Called after each plugin's, with the slot of what ran.

        Raises:
            PluginError: If one raises; the ones after it do not run.
        """
        for plugin in self.overridden(hook):
            run = self.bound(plugin, hook)
            ctx.interface.producer = plugin.address
            try:
                run(ctx)
                if after is not None:
                    after(Slot(plugin.address, hook, 1, run, plugin.reads_derived))
            except (Exception, SystemExit) as error:
                raise self.failure(plugin.address, hook, error) from error
            finally:
                ctx.interface.producer = ""

    def shut_down(self, ctx: SimContext) -> list[PluginError]:
        """Runs every ``shutdown``, last plugin first; one that raises does not keep the others from running."""
        failures = []
        for plugin in self.overridden("shutdown"):
            try:
                self.bound(plugin, "shutdown")(ctx)
            except (Exception, SystemExit) as error:
                failure = self.failure(plugin.address, "shutdown", error)
                failure.__cause__ = failure.__cause__ or (error if error is not failure else None)
                failures.append(failure)
        return failures

    def failure(self, address: str, hook: str, error: BaseException) -> RoqsimError:
        """What to raise for an exception of a hook: it names the component, the hook and the reason."""
        if isinstance(error, DivergenceError):
            wrapped: RoqsimError = error
        elif isinstance(error, PluginError) and error.address:
            wrapped = error
            error.args = (self._placed(str(error), error.address),)
        elif isinstance(error, RoqsimError):
            text = str(error) if str(error).startswith(address) else f"{address}: {error}"
            wrapped = PluginError(self._placed(text, address), address=address, hook=hook)
            # What a component refuses before anything runs is the document's mistake.
            is_input = hook in ("configure", "on_reset") and error.exit_status == 1
            wrapped.exit_status = ConfigError.exit_status if is_input else error.exit_status
        else:
            text = self._placed(f"{address}: {hook} failed: {reason_of(error)}", address)
            wrapped = PluginError(text, address=address, hook=hook)
        self.note(wrapped, address)
        return wrapped

    def _placed(self, text: str, address: str) -> str:
        return placed(text, next((plugin.origin for plugin in self.plugins if plugin.address == address), None))

    def note(self, error: BaseException, address: str = "") -> None:
        """Marks the component that an error names as failed."""
        address = address or getattr(error, "address", "")
        if address in self.status:
            self.status[address] = PluginStatus(address, "failed", str(error))
