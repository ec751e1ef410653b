"""A plugin that writes down which of its hooks ran, and when."""

from __future__ import annotations

from typing import ClassVar

from roqsim.plugin import Plugin


class HookTracker(Plugin):
    """Goes into a world as ``"roqsim.testing.tracker:HookTracker"``; it names no rate, so it runs every tick.

    Attributes:
        calls: ``(hook, tick)`` in the order in which they came; the tick is -1 before there is a state.
    """

    journal: ClassVar[list[tuple[str, str, int]]] = []
    """``(component, hook, tick)`` of all trackers since the journal was cleared."""

    def __init__(self, config: object | None = None, *, name: str | None = None) -> None:
        super().__init__(config, name=name)
        self.calls: list[tuple[str, int]] = []

    def _note(self, hook: str, ctx: object) -> None:
        tick = ctx.tick if ctx.data is not None else -1
        self.calls.append((hook, tick))
        self.journal.append((self.name, hook, tick))
        if (self.config or {}).get("raise_in") == hook:
            raise ValueError(f"{hook} was told to fail")

    def build(self, spec: object, ctx: object) -> None:
        self._note("build", ctx)

    def configure(self, ctx: object) -> None:
        self._note("configure", ctx)

    def on_reset(self, ctx: object) -> None:
        self._note("on_reset", ctx)

    def pre_step(self, ctx: object) -> None:
        self._note("pre_step", ctx)

    def post_step(self, ctx: object) -> None:
        self._note("post_step", ctx)

    def shutdown(self, ctx: object) -> None:
        self._note("shutdown", ctx)
