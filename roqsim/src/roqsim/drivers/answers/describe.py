"""What a world provides, as plain data: the reply of ``roqsim scenes describe``."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from roqsim.config.entries import PluginSpec, parse_entries
from roqsim.config.nodes import Node, Origin, from_plain
from roqsim.config.resolution import unresolved_problems
from roqsim.config.transport import drop_transport
from roqsim.config.world import SimConfig
from roqsim.drivers.answers.body_tree import body_trees
from roqsim.drivers.answers.inputs import world_inputs
from roqsim.drivers.target import load_target
from roqsim.engine import Engine
from roqsim.errors import ConfigError, RoqsimError
from roqsim.model_values.catalogue import report as overridable_fields
from roqsim.model_values.selection import targets

LOG = logging.getLogger("roqsim")

Reply = dict[str, object]


def describe_world(
    target: str,
    *,
    overrides: Sequence[str] = (),
    entities: bool = False,
    body_tree: str | None = None,
    overridable: str | None = None,
) -> Reply:
    """Describes a world.

    Args:
        target: A world file, an MJCF file, or ``package:world``.
        overrides: Override files.
        entities: Whether to compile the world and list its entities.
        body_tree: A pattern of body names; the world is compiled and what hangs on those bodies is listed.
        overridable: A pattern of names; the world is compiled and what a run can change of it is listed.

    Returns:
        The keys of ``scenes inputs``; ``plugins`` and, the same list, ``components`` that run; ``addresses``, which
        overrides accept; ``entities``, None where nobody asked; ``overridable`` with its ``fields`` and ``targets``,
        None where nobody asked; ``dropped_transport``; ``errors``, None or the reason by stage (``build``, ``reset``);
        ``warnings``; and ``body_tree`` where it was asked for.

    Raises:
        RoqsimError: the world does not load.
    """
    warnings: list[Reply] = []
    with _kept("load", warnings):
        loaded = load_target(target, overrides=overrides)
    scene, dropped = drop_transport(loaded)
    if scene.unresolved:
        raise ConfigError(unresolved_problems(scene.unresolved))
    components = [_component(spec) for spec in loaded.plugins]
    reply: Reply = {
        **world_inputs(target).as_dict(),
        "plugins": components,
        "components": components,
        "addresses": accepted_addresses(loaded),
        "entities": None,
        "overridable": {"fields": overridable_fields(), "targets": None},
        "dropped_transport": dropped,
        "errors": None,
        "warnings": warnings,
    }
    if entities or body_tree is not None or overridable is not None:
        with _kept("build", warnings):
            _compiled(scene, reply, entities, body_tree, overridable)
    return reply


def accepted_addresses(loaded: SimConfig) -> list[str]:
    """Every address that an override accepts: of what runs, and of what is disabled and could be enabled."""
    document = from_plain(loaded.raw["components"], Origin("document"))
    return [spec.address for spec in parse_entries(document, base_dir=loaded.base_dir, problems=[])]


def _component(spec: PluginSpec) -> Reply:
    return {
        "address": spec.address,
        "ref": spec.ref,
        "name": spec.name,
        "entity": spec.owner,
        "enabled": spec.enabled,
        "origin": spec.source,
        "paths": list(_paths(spec.config, spec.where)),
    }


def _paths(node: Node, where: str) -> Iterator[str]:
    """The dotted paths to every value of a configuration; a list is one value."""
    for key, value in node.value.items():
        if value.is_mapping and value.value:
            yield from _paths(value, f"{where}.{key}")
        else:
            yield f"{where}.{key}"


def _compiled(scene: SimConfig, reply: Reply, entities: bool, body_tree: str | None, overridable: str | None) -> None:
    engine = Engine(scene, preview=True)
    stage = "build"
    try:
        engine.setup()
        stage = "reset"
        engine.reset()
    except RoqsimError as error:
        reply["errors"] = {stage: str(error)}
    if engine.ctx.model is not None and stage == "reset":
        if entities:
            reply["entities"] = sorted(entity.name for entity in engine.ctx.entities.all())
        if body_tree is not None:
            reply["body_tree"] = body_trees(engine.ctx.model, body_tree)
        if overridable is not None:
            reply["overridable"]["targets"] = targets(engine.ctx, overridable)
    elif body_tree is not None:
        reply["body_tree"] = None
    engine.shutdown()


@contextmanager
def _kept(check: str, warnings: list[Reply]) -> Iterator[None]:
    """Keeps what the simulator warns of meanwhile, as ``check``, ``message`` and ``hint``."""

    class Keeper(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            message, _, hint = record.getMessage().partition("; ")
            warnings.append({"check": check, "message": message, "hint": hint})

    keeper = Keeper(logging.WARNING)
    LOG.addHandler(keeper)
    try:
        yield
    finally:
        LOG.removeHandler(keeper)
