"""Loading a world: a file, a reference or plain data in, a checked and complete description of the run out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from roqsim.config.entries import PluginSpec, as_document
from roqsim.config.expand import Unresolved
from roqsim.config.extends import Document, DocumentReader
from roqsim.config.nodes import Node, Origin, from_plain
from roqsim.config.overrides import Assignment, Overrides, Pass, assignments
from roqsim.config.resolution import Resolution, config_keys, unresolved_problems
from roqsim.config.sim import SimOptions
from roqsim.config.transport import Transport
from roqsim.errors import ConfigError, Message, PluginError, Problem, RoqsimError, placed, reason_of
from roqsim.worlds import MJCF, YAML, WorldAsset, resolve_world

if TYPE_CHECKING:
    from roqsim.plugin import Plugin


@dataclass
class SimConfig:
    """A world that is ready to be built.

    Attributes:
        sim: The ``sim`` block.
        plugins: The components that run, in build order: what the documents declare and what manifests bring.
        declared: Those that the documents declare, before manifests filled them.
        unresolved: The components among ``plugins`` whose plugin was not found.
        base_dir: The folder that relative paths in the document start from.
        source: The document as it was named.
        raw: The resolved document as plain data; ``load_config_from_dict(raw, base_dir, base_dirs=…)`` gives this
            world again.
        world_file: The MJCF file of ``sim.world``; None for a built-in world.
        files: Every YAML file that was read for the document and its parents.
        dropped: The addresses that ``drop_transport`` took out.
        document: The document before overrides.
        overrides: The assignments that were applied to it.
    """

    sim: SimOptions
    plugins: list[PluginSpec]
    declared: list[PluginSpec]
    unresolved: list[Unresolved]
    base_dir: Path
    source: str
    raw: dict[str, object]
    world_file: Path | None = None
    files: list[Path] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    document: Document | None = field(default=None, repr=False)
    overrides: list[Assignment] = field(default_factory=list, repr=False)
    is_complete: bool = field(default=False, repr=False)

    @property
    def base_dirs(self) -> dict[str, Path]:
        """The folders of the components whose relative paths start elsewhere than ``base_dir``, by address."""
        return {spec.address: spec.base_dir for spec in self.plugins if spec.base_dir != self.base_dir}

    @property
    def addresses(self) -> list[str]:
        """The addresses that overrides accept."""
        return [spec.address for spec in self.plugins]

    def rebuilt(self, *, document: Document | None = None, overrides: Sequence[Assignment] | None = None) -> SimConfig:
        """The world resolved again, from another document or with other overrides."""
        return _resolve(
            document or self.document, self.overrides if overrides is None else overrides, [], self.is_complete
        )


def load_config(
    target: str | os.PathLike[str], overrides: Overrides = None, *, transport: Transport | None = None
) -> SimConfig:
    """Loads a world.

    Args:
        target: A YAML world, an MJCF file, or ``package:world``.
        overrides: A nested mapping that mirrors the document, or what ``roqsim.config.overrides`` reads from files and
            command lines, in the order in which it applies.
        transport: What to connect it to.

    Returns:
        The world, with its manifests read, its overrides applied and every configuration checked.

    Raises:
        ConfigError: with every mistake in all its files and overrides.
        NotFoundError: there is no such world.
        PluginError: a plugin's ``expand`` failed.
    """
    if isinstance(target, Mapping):
        raise TypeError("load_config: expected a path or package:world, got a mapping; use load_config_from_dict")
    if not isinstance(target, str | os.PathLike):
        raise TypeError(f"load_config: expected a path or package:world, got {target!r}")
    found = resolve_world(os.fspath(target))
    problems: list[Problem] = []
    source = os.fspath(target) if found.package is None else str(found.path)
    if found.path.suffix.lower() in MJCF:
        origin = Origin(source)
        sim = Node({"world": Node(str(found.path), origin, origin)}, origin)
        document = Document(sim, [], found.path.parent, source)
    else:
        reader = DocumentReader(locate_parent, problems)
        document = reader.read_file(found.path, source, found if found.package else None)
    document.source = os.fspath(target)
    return _finish(document, overrides, problems, transport)


def load_config_from_dict(
    raw: Mapping[str, object],
    base_dir: str | os.PathLike[str] = ".",
    overrides: Overrides = None,
    *,
    source: str = "document",
    base_dirs: Mapping[str, str | os.PathLike[str]] | None = None,
    is_complete: bool = False,
) -> SimConfig:
    """Loads a world from plain data.

    Args:
        raw: A world document.
        base_dir: The folder that relative paths in it start from.
        overrides: As for ``load_config``.
        source: What errors call the document.
        base_dirs: Other folders for single components, by address, as ``SimConfig.base_dirs`` states them.
        is_complete: Whether the document holds what manifests bring, so that no manifest is read; a recording's does.

    Raises:
        ConfigError: with every mistake in it.
    """
    problems: list[Problem] = []
    reader = DocumentReader(locate_parent, problems)
    folder = Path(base_dir).absolute()
    document = reader.read_node(from_plain(raw, Origin(source)), folder, source)
    for spec in document.specs:
        spec.base_dir = Path((base_dirs or {}).get(spec.address, spec.base_dir))
    return _finish(document, overrides, problems, None, is_complete)


def apply_overrides(target: SimConfig | Mapping[str, object], overrides: Overrides) -> SimConfig | dict[str, object]:
    """Applies overrides to a loaded world, or to a plain document.

    Args:
        target: A world, which is resolved again; or a document without ``extends``, which is changed as it stands.
        overrides: As for ``load_config``; they come after those that the world was loaded with.

    Returns:
        A new world or document.

    Raises:
        ConfigError: an assignment matches nothing, or the result is wrong.
    """
    if isinstance(target, SimConfig):
        return target.rebuilt(overrides=[*target.overrides, *assignments(overrides)])
    problems: list[Problem] = []
    reader = DocumentReader(locate_parent, problems)
    node = from_plain(target, Origin("document"))
    if node.get("extends") is not None:
        raise ConfigError(Problem("extends", "a document without a parent", None, Origin("document"), "load it first"))
    document = reader.read_node(node, Path.cwd(), "document")
    once = Pass(document.sim, document.specs, config_keys, is_last=True)
    once.apply(assignments(overrides))
    if problems or once.problems:
        raise ConfigError([*problems, *once.problems])
    return {"sim": document.sim.plain(), "components": as_document(document.specs)}


def locate_parent(ref: str, base_dir: Path) -> WorldAsset:
    """Finds the world that ``extends`` names."""
    return resolve_world(ref, base_dir, YAML)


def _finish(
    document: Document,
    overrides: Overrides,
    problems: list[Problem],
    transport: Transport | None,
    is_complete: bool = False,
) -> SimConfig:
    try:
        items = assignments(overrides)
    except ConfigError as error:
        problems += error.problems
        items = []
    if transport is not None:
        document = transport.append_to(document)
    return _resolve(document, items, problems, is_complete)


def _resolve(document: Document, items: Sequence[Assignment], problems: list[Problem], is_complete: bool) -> SimConfig:
    work = Resolution(document, items, problems, is_complete=is_complete)
    work.run()
    return SimConfig(
        sim=work.sim,
        plugins=work.effective(),
        declared=work.declared,
        unresolved=work.unresolved,
        base_dir=document.base_dir,
        source=document.source,
        raw=work.raw(),
        world_file=work.world_file,
        files=list(document.files),
        document=document,
        overrides=list(items),
        is_complete=is_complete,
    )


def instantiate_plugins(cfg: SimConfig) -> list[Plugin]:
    """Makes the plugins of a world, in build order.

    Raises:
        ConfigError: plugins were not found, or configurations are wrong; it holds every reason.
        PluginError: a plugin's constructor raised.
    """
    problems = unresolved_problems(cfg.unresolved)
    plugins = []
    for spec in cfg.plugins:
        if spec.plugin is not None:
            plugins.append(_instance(spec, problems))
    if problems:
        raise ConfigError(problems)
    return plugins


def make_plugin(spec: PluginSpec) -> Plugin:
    """Makes one plugin and tells it where it stands.

    Raises:
        ConfigError: its configuration is wrong.
        PluginError: its constructor raised.
    """
    try:
        plugin = spec.plugin(spec.typed if spec.typed is not None else spec.config.plain(), name=spec.label)
        if hasattr(plugin, "place"):
            plugin.place(spec)
    except RoqsimError:
        raise
    except (Exception, SystemExit) as error:
        text = placed(f"{spec.where}: {spec.ref!r} could not be made: {reason_of(error)}", spec.origin)
        raise PluginError(text, address=spec.address, hook="__init__") from error
    return plugin


def _instance(spec: PluginSpec, problems: list[Problem]) -> Plugin | None:
    try:
        plugin = make_plugin(spec)
    except ConfigError as error:
        problems += error.problems
        return None
    try:
        messages = plugin.validate_config(spec.config.plain()) or ()
    except (Exception, SystemExit) as error:
        messages = [f"validate_config of {spec.ref!r} failed: {reason_of(error)}"]
    told = [messages] if isinstance(messages, str) else messages
    problems += [Message(f"{spec.where}: {message}", origin=spec.origin) for message in told]
    return plugin
