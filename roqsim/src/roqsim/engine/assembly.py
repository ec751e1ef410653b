"""How an engine comes to a world: what can fail without touching anything, then what stands, then the components."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import mujoco

from roqsim.config.world import instantiate_plugins
from roqsim.engine.guard import Guard
from roqsim.engine.home import apply_homes
from roqsim.engine.hooks import HookTable
from roqsim.engine.topics import check_topics
from roqsim.engine.view import check_track
from roqsim.mj.log import tell_anew
from roqsim.presence import Presence
from roqsim.runtime_options import RuntimeOptions
from roqsim.scene.build import build_scene

if TYPE_CHECKING:
    from roqsim.engine.engine import Engine


def assemble(engine: Engine) -> None:
    """Makes the plugins, builds and compiles the world, and takes the memory of its state.

    Raises:
        ConfigError: If a component's configuration is wrong.
        BuildError: If MuJoCo cannot compile the world.
        PluginError: If a ``build`` fails; the engine is shut down.
    """
    ctx = engine.ctx
    tell_anew()
    with engine._load("plugins"):
        engine.plugins = tuple(instantiate_plugins(engine.cfg))
    engine._hooks = HookTable(engine.plugins, engine._profile)
    with closing(engine):
        ctx.model = build_scene(engine.cfg, engine.plugins, ctx, engine._load, engine._hooks.bound)
        check_track(engine.cfg, ctx.entities)
        with engine._load("data"):
            ctx.data = mujoco.MjData(ctx.model)


def start(engine: Engine) -> None:
    """Puts everything at home and configures the plugins.

    Raises:
        PluginError: If a ``configure`` fails; the engine is shut down.
    """
    ctx = engine.ctx
    with closing(engine):
        with engine._load("data"):
            _stand(engine)
        with engine._load("configure"):
            ctx.plugin_generation = ctx.plugin_generation.next()
            engine._hooks.call("configure", ctx, after=lambda slot: ctx.interface.credit(slot.address))
            check_topics(engine.plugins, ctx.interface)
            engine._presence.restore()
        engine._bind()


def _stand(engine: Engine) -> None:
    """Puts the state at home, with everything that derives from it; no hook runs."""
    ctx = engine.ctx
    ctx.dt = float(ctx.model.opt.timestep)
    ctx.claim_thread()
    for entity in ctx.entities:
        if entity.body_name and entity.body is None:
            entity.body = int(ctx.model.body(entity.body_name).id)
    apply_homes(ctx)
    mujoco.mj_forward(ctx.model, ctx.data)
    ctx.state_changed(derived=True)
    engine._presence, engine._options = Presence(ctx), RuntimeOptions.of(ctx)
    engine._guard = Guard(ctx, engine._output_dir)


@contextmanager
def closing(engine: Engine) -> Iterator[None]:
    """Shuts an engine down where the block fails."""
    try:
        yield
    except BaseException as error:
        engine._hooks.note(error)
        engine.shutdown(error=error)
        raise
