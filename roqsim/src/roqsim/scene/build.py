"""The world document, become a compiled model: base world, components in order, options, shared assets, compile."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import mujoco

from roqsim.config.sim import SimOptions
from roqsim.config.world import SimConfig
from roqsim.context import SimContext
from roqsim.errors import BuildError, ConfigError, PluginError, RoqsimError, placed, reason_of
from roqsim.mj.declared import Declared, differences
from roqsim.mj.log import captured
from roqsim.mj.materials import SharedMaterials
from roqsim.plugin import Plugin
from roqsim.scene.assets import share_assets
from roqsim.scene.base import make_base, world_provider
from roqsim.scene.ledger import Ledger, compile_error, repeated_name
from roqsim.scene.mujoco_versions import complaint
from roqsim.scene.options import apply_options, stated_options
from roqsim.spawning.placement import ATTACHED, MATERIALS, AttachedModel

LOG = logging.getLogger("roqsim")

WORLD_HOME = "world:home"
"""The blackboard's key for the keyframe of a world's own MJCF file, a ``roqsim.mj.home.Home``."""

Timer = Callable[[str], AbstractContextManager[object]]

Bound = Callable[[Plugin, str], Callable[..., None]]

ROOM_PER_PAIR = 5
"""Bytes of working memory for each pair of bodies: MuJoCo lists all pairs twice, and its own estimate forgets them."""

LEAST_ROOM = 2**22
"""Bytes of working memory beside those, where a world has so many bodies that they count."""

MOST_ROOM = 2**34
"""Bytes that are asked for at most: MuJoCo can not count the pairs of more bodies than that."""


def build_scene(
    cfg: SimConfig,
    plugins: Sequence[Plugin],
    ctx: SimContext,
    timer: Timer = contextlib.nullcontext,
    bound: Bound = getattr,
) -> mujoco.MjModel:
    """Builds and compiles a world.

    Args:
        cfg: The loaded world.
        plugins: Its components in build order.
        ctx: Given to the hooks; ``ctx.spec`` is the world while they build, and None afterwards.
        timer: Called with the name of each phase; its result is a context manager around the phase.
        bound: Gives the hook of a plugin by its name, for one who times it.

    Raises:
        RoqsimError: If the world is wrong; it names the component.
        PluginError: If a component's ``build`` raises anything else.
        BuildError: If MuJoCo can not compile it; it names the component that added the element.
    """
    if reason := complaint(mujoco.__version__):
        LOG.warning("mujoco %s: %s", mujoco.__version__, reason)
    with timer("world"):
        spec = _make_world(cfg, plugins, ctx)
    ctx.spec = spec
    try:
        with timer("build"):
            _build_plugins(spec, plugins, ctx, bound)
        apply_options(spec, cfg.sim)
        if cfg.sim.dedup_assets:
            with timer("share assets"):
                share_assets(spec)
        with timer("compile"):
            model = _compile(spec, plugins)
    finally:
        ctx.spec = None
    report_options(_attached(ctx), cfg.sim, model)
    return model


def compile_spec(spec: mujoco.MjSpec) -> mujoco.MjModel:
    """Compiles a world.

    Raises:
        BuildError: MuJoCo's reason, and the component that added the element.
    """
    try:
        with captured():
            model = spec.compile()
            room = ROOM_PER_PAIR * model.nbody**2
            if spec.memory < 0 and model.narena < room + LEAST_ROOM <= MOST_ROOM:
                spec.memory = room + LEAST_ROOM
                model = spec.compile()
            return model
    except ValueError as error:
        raise compile_error(spec, error) from None


def _compile(spec: mujoco.MjSpec, plugins: Sequence[Plugin]) -> mujoco.MjModel:
    try:
        return compile_spec(spec)
    except BuildError as error:
        text = str(error)
        owners = [plugin for plugin in plugins if text.startswith((f"{plugin.address}:", f"{plugin.address}."))]
        owner = max(owners, key=lambda plugin: len(plugin.address), default=None)
        raise BuildError(placed(text, owner.origin if owner else None)) from None


def _make_world(cfg: SimConfig, plugins: Sequence[Plugin], ctx: SimContext) -> mujoco.MjSpec:
    base = make_base(cfg.sim.world, cfg.base_dir, plugins)
    provider = world_provider(plugins)
    if provider is not None and cfg.sim.world is not None:
        LOG.warning("sim.world: %r is left out, because %r brings its own world", cfg.sim.world, provider.address)
    ctx.blackboard.set(WORLD_HOME, base.home)
    ctx.blackboard.set(ATTACHED, [])
    if cfg.sim.dedup_assets:
        ctx.blackboard.set(MATERIALS, SharedMaterials())
    apply_options(base.spec, cfg.sim)
    return base.spec


def _attached(ctx: SimContext) -> list[AttachedModel]:
    return ctx.blackboard.require(ATTACHED, list)


def _build_plugins(spec: mujoco.MjSpec, plugins: Sequence[Plugin], ctx: SimContext, bound: Bound) -> None:
    ledger = Ledger(spec)
    for plugin in plugins:
        if type(plugin).build is Plugin.build:
            continue
        known = len(_attached(ctx))
        ledger.before(attaches=plugin.provides_entity)
        _build(plugin, bound(plugin, "build"), spec, ctx)
        ledger.after(plugin.address, attached=len(_attached(ctx)) > known)


def _build(plugin: Plugin, build: Callable[..., None], spec: mujoco.MjSpec, ctx: SimContext) -> None:
    address = plugin.address
    try:
        build(spec, ctx)
    except RoqsimError as error:
        text = str(error)
        named = text if text.startswith((address, f"components.{address}")) else f"{address}: {text}"
        error.args = (placed(named, plugin.origin), *error.args[1:])
        if error.exit_status == 1:
            error.exit_status = ConfigError.exit_status
        raise
    except (Exception, SystemExit) as error:
        if (repeated := repeated_name(spec, error, address)) is not None:
            raise BuildError(placed(str(repeated), plugin.origin)) from None
        text = placed(f"{address}: build failed: {reason_of(error)}", plugin.origin)
        raise PluginError(text, address=address, hook="build") from error


def report_options(attached: Sequence[AttachedModel], sim: SimOptions, model: mujoco.MjModel) -> None:
    """Says by name what attached models declare in ``<option>`` and the world does not do.

    Once a model file. It is a warning where the document says nothing about the option, else for the record only.
    """
    stated = stated_options(sim)
    told: set[object] = set()
    for each in attached:
        key = each.source or each.address
        if key in told:
            continue
        told.add(key)
        for is_stated, level in ((False, logging.WARNING), (True, logging.INFO)):
            declared: Declared = {f: value for f, value in each.declared.items() if (f in stated) is is_stated}
            found = differences(declared, model.opt)
            if found:
                name = each.source.name if each.source else "its model"
                LOG.log(level, "%s: %s declares %s; set it under sim to have it", each.address, name, ", ".join(found))
