"""What a world has given out: handles that have to be looked up again once it was replaced."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from roqsim.context import RobotHandle, SimContext
from roqsim.forces.applied_force import AppliedForce
from roqsim.generation import Generation
from roqsim.model_values.overlay import Overlay
from roqsim.presence import Presence
from roqsim.retirement import Retirement
from roqsim.runtime_options import RuntimeOptions

if TYPE_CHECKING:
    from roqsim.engine.engine import Engine

KINDS = {
    RobotHandle: "robot handle",
    Presence: "presence",
    RuntimeOptions: "runtime options",
    AppliedForce: "applied forces",
    Overlay: "model values",
}
"""What of a blackboard is a handle, and how errors call it."""


def retire_handles(engine: Engine, ctx: SimContext) -> None:
    """Makes every handle of a world refuse what is asked of it.

    Args:
        engine: Whose world it was; errors tell what it has got to.
        ctx: The context of the world.
    """
    told = _teller(engine)
    by_model = Retirement(ctx.model_generation, lambda: told("model"))
    by_plugins = Retirement(ctx.plugin_generation, lambda: told("plugins"))
    for entity in ctx.entities:
        _retire(by_model, entity, f"entity {entity.name!r}", f"entities.require({entity.name!r})")
    for end in ctx.interface.all():
        _retire(by_plugins, end, f"endpoint {end.path!r}", f"interface.get({end.owner!r}, {end.name!r})")
    for gate in ctx.gates():
        _retire(by_plugins, gate, f"gate {gate.name!r}", "gates()")
    for key, value in ctx.blackboard.items():
        if type(value) in KINDS:
            _retire(by_model, value, f"{KINDS[type(value)]} {key!r}", f"blackboard.require({key!r})")
    for name in ("entities", "interface", "blackboard"):
        _retire(by_model, getattr(ctx, name), f"ctx.{name}", name)
    by_model.retire(ctx, "context", "take engine.ctx")


def _retire(retirement: Retirement, handle: object, what: str, place: str) -> None:
    retirement.retire(handle, what, f"look it up again: engine.ctx.{place}")


def _teller(engine: Engine) -> Callable[[str], Generation | None]:
    """What tells the current generation of a kind; a handle that somebody keeps does not keep the engine."""
    known = weakref.ref(engine)

    def tell(kind: str) -> Generation | None:
        live = known()
        return getattr(live.generations(), kind) if live is not None and live.is_open else None

    return tell
