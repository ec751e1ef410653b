"""An engine goes over to another world: the new one is built, the old one ends, the new one begins.

The order keeps the two apart. What can fail in the new world without touching anything comes first: its components are
made and build, MuJoCo compiles. Only then the old world ends: its commands are refused, its episode is closed, its
pictures are cancelled, its components shut down, its handles retired. Model and data are then exchanged, and the state
stands at home before any component of the new world is configured: no hook is called in between.
"""

from __future__ import annotations

import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING

from roqsim.config.world import SimConfig
from roqsim.engine.assembly import assemble, closing, start
from roqsim.engine.handles import retire_handles
from roqsim.errors import RoqsimError, StaleError

if TYPE_CHECKING:
    from roqsim.engine.engine import Engine

REASON = "the world was reloaded"
"""Why an episode ends, and why a command or a picture comes to nothing."""

BUSY = {
    "step": "a tick",
    "advance": "a tick",
    "reset": "a reset",
    "setup": "the setup",
    "reload": "a reload",
    "shutdown": "the shutdown",
    "drain_commands": "a posted command",
    "_perform": "a command",
}
"""The methods of an engine and of its context during which there is no going over to another world."""

OF_A_WORLD = ("cfg", "ctx", "plugins", "_hooks", "_load", "_profile")
"""The attributes that an engine takes over from the one that was made for the new world."""


def reload(engine: Engine, cfg: SimConfig, seed: int | None) -> None:
    """Does what ``Engine.reload`` does.

    Raises:
        RoqsimError: If the call comes from elsewhere, or the new world cannot be built: the old one goes on. What fails
            later shuts the engine down.
    """
    _require_rest(engine)
    terms = engine._terms if seed is None else {**engine._terms, "seed": seed}
    fresh = type(engine)(cfg, **{**terms, "manual_control": engine.ctx.manual_control})
    assemble(fresh)
    try:
        with closing(engine):
            _end(engine)
    except BaseException:
        fresh.shutdown()
        raise
    _exchange(engine, fresh)
    start(engine)
    engine.reset()


def _require_rest(engine: Engine) -> None:
    """Makes sure that the physics thread is between two ticks."""
    engine._require_open("reload")
    place = None
    if not engine.ctx.is_physics_thread:
        place = f"one on the thread {threading.current_thread().name!r}"
    elif (caller := _busy_caller(engine)) is not None:
        place = f"one from within {BUSY[caller.f_code.co_name]}"
    if place is not None:
        raise RoqsimError(
            f"Engine.reload: expected a call on the physics thread between two ticks, got {place}; "
            "ask for it with ctx.control.reload(cfg)"
        )


def _busy_caller(engine: Engine) -> FrameType | None:
    """What the engine is in the middle of: whoever called ``Engine.reload`` was called by it."""
    frame = sys._getframe(4)
    while frame is not None:
        if frame.f_code.co_name in BUSY:
            owner = frame.f_locals.get("self")
            if owner is engine or owner is engine.ctx:
                return frame
        frame = frame.f_back
    return None


def _end(engine: Engine) -> None:
    """Ends the old world.

    Pictures come before components here: what is made of them is the components' own, on the render thread.
    """
    ctx = engine.ctx
    old = ctx.model_generation
    ctx.commands.close(StaleError(f"command: expected to run in {old}, got {old.next()}; {REASON}: post it again"))
    ctx.interface.count_due(ctx.tick)
    for failure in engine._observers.close(REASON, False):
        raise failure
    if ctx.has_render:
        ctx.render.quiesce(REASON)
    for failure in engine._hooks.shut_down(ctx):
        ctx.log.error("%s", failure, exc_info=failure.__cause__)


def _exchange(engine: Engine, fresh: Engine) -> None:
    """Puts model, state and components of the new world in the place of the old ones, which have ended."""
    old, new = engine.ctx, fresh.ctx
    new.follow(old)
    for name in OF_A_WORLD:
        setattr(engine, name, getattr(fresh, name))
    # A signal may ask for the end at any moment, of whichever context is current by then.
    if old.stop_requested:
        new.request_stop(old.stop_reason, failed=old.stop_failed)
    retire_handles(engine, old)
    if new.has_render:
        new.render.reload(new)
        if new.render.failure:
            new.close_render()
            new.render = None
