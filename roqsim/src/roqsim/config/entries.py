"""The grammar of ``components:``: one entry is one component, and what is nested in it belongs to it.

An entry is a mapping with exactly one key that names a plugin (its value is the configuration) and the reserved keys
``name``, ``components``, ``enabled`` and ``present`` beside it; a bare text is an entry without configuration. A
component's label is its ``name``, else its plugin ref; its address is ``owner.label``. A ``name`` holds no dot,
because dots part the labels of an address. A ref of the forms ``module:Class`` and ``file.py:Class`` may hold dots
and is then still one label, matched as a whole.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from roqsim.config.nodes import Node, Origin
from roqsim.errors import Problem

RESERVED = ("name", "components", "enabled", "present")
"""The keys of an entry that are not its plugin ref."""

ALWAYS_RESERVED = ("name", "components")
"""Those of them that no configuration may have; the others only where the plugin has a field of that name."""

FLAGS = ("enabled", "present")
"""The reserved keys that are switches."""

ROOT = "components"


@dataclass
class PluginSpec:
    """One component of a world, before its plugin is made.

    Attributes:
        ref: The plugin ref as written.
        name: The entry's ``name``, or None.
        config: The configuration, a mapping.
        owner: The address of the component that it belongs to, or None.
        enabled: False where the entry and everything in it is left out.
        present: What the entry says under ``present``, or None.
        present_origin: Where that was written.
        origin: Where the entry was written.
        source: ``document``, or ``manifest`` where a model brought it.
        base_dir: The folder that relative paths in the configuration start from.
        plugin: The plugin class, once it is found.
        chain: The expansions that brought it, outermost first; empty for an entry of the document.
        frame_id: The frame of a mounted device, once its manifest is read.
        typed: The configuration as an instance of the plugin's ``Config``, once it is read.
    """

    ref: str
    config: Node
    origin: Origin
    base_dir: Path
    name: str | None = None
    owner: str | None = None
    enabled: bool = True
    present: bool | None = None
    source: str = "document"
    plugin: type | None = field(default=None, compare=False)
    chain: tuple[str, ...] = field(default=(), compare=False)
    frame_id: str | None = field(default=None, compare=False)
    typed: object = field(default=None, compare=False, repr=False)
    present_origin: Origin | None = field(default=None, compare=False, repr=False)

    @property
    def label(self) -> str:
        """What its siblings and overrides call it."""
        return self.name or self.ref

    @property
    def address(self) -> str:
        """Its place in the world, such as ``robot.rplidar.lidar``."""
        return f"{self.owner}.{self.label}" if self.owner else self.label

    @property
    def where(self) -> str:
        """The address as errors and overrides spell it."""
        return f"{ROOT}.{self.address}"

    def copy(self) -> PluginSpec:
        """A spec whose configuration can be changed without touching this one's."""
        return PluginSpec(
            self.ref, self.config.copy(), self.origin, self.base_dir, self.name, self.owner, self.enabled, self.present,
            self.source, self.plugin, self.chain, self.frame_id, present_origin=self.present_origin,
        )  # fmt: skip


def parse_entries(
    node: Node | None, *, base_dir: Path, problems: list[Problem], source: str = "document", owner: str | None = None
) -> list[PluginSpec]:
    """Reads a list of entries.

    Args:
        node: The value of ``components:``, or None where there is none.
        base_dir: What relative paths in them start from.
        problems: Takes every mistake.
        source: Whether a document or a manifest declares them.
        owner: The address that they belong to.

    Returns:
        The components, each one followed by what is nested in it.
    """
    if node is None or node.value is None:
        return []
    where = f"{ROOT}.{owner}" if owner else ROOT
    if not node.is_sequence:
        hint = "begin each component with '- '"
        problems.append(Problem(where, "a list of components", node.shown(), node.origin, hint))
        return []
    specs: list[PluginSpec] = []
    for index, item in enumerate(node.value):
        reader = _EntryReader(base_dir, problems, source, owner)
        specs += reader.read(item, f"{where}[{index}]")
    return specs


class _EntryReader:
    def __init__(self, base_dir: Path, problems: list[Problem], source: str, owner: str | None) -> None:
        self.base_dir, self.problems, self.source, self.owner = base_dir, problems, source, owner

    def read(self, item: Node, where: str) -> list[PluginSpec]:
        """One entry and what is nested in it; nothing where the entry has no readable plugin ref."""
        if isinstance(item.value, str) and item.value:
            item = Node({item.value: Node(None, item.origin)}, item.origin)
        ref = self._ref(item, where)
        if ref is None:
            return []
        config = item.value[ref]
        if config.value is None:
            config = Node({}, config.origin, config.key_origin)
        spec = PluginSpec(ref, config, item.origin, self.base_dir, owner=self.owner, source=self.source)
        spec.name = self._name(item.get("name"), f"{where}.name")
        spec.enabled = self._flag(item.get("enabled"), f"{spec.where}.enabled", True)
        present = item.get("present")
        spec.present = self._flag(present, f"{spec.where}.present", None)
        spec.present_origin = present.origin if present is not None else None
        self._check_config(spec)
        children = parse_entries(
            item.get("components"),
            base_dir=self.base_dir,
            problems=self.problems,
            source=self.source,
            owner=spec.address,
        )
        return [spec, *children]

    def _fail(self, where: str, expected: str, got: str | None, origin: Origin, hint: str = "") -> None:
        self.problems.append(Problem(where, expected, got, origin, hint))

    def _ref(self, item: Node, where: str) -> str | None:
        if not item.is_mapping:
            self._fail(
                where, "an entry with one plugin ref", item.shown(), item.origin, "write '- plugin: {key: value}'"
            )
            return None
        refs = [key for key in item.value if key not in RESERVED]
        if len(refs) == 1 and refs[0]:
            return refs[0]
        if not refs or not any(refs):
            self._fail(where, "an entry with one plugin ref", item.shown(), item.origin, "add '<plugin>: {…}'")
            return None
        place = item.value[refs[1]].key_origin or item.origin
        self._fail(where, "exactly one plugin ref", ", ".join(map(repr, refs[:10])), place, _stray_hint(refs))
        return None

    def _name(self, node: Node | None, where: str) -> str | None:
        if node is None:
            return None
        if not isinstance(node.value, str) or not node.value:
            is_scalar = node.value is not None and not node.is_mapping and not node.is_sequence
            hint = "put quotes around it" if is_scalar and node.value != "" else ""
            self._fail(where, "text", node.shown(), node.origin, hint)
            return None
        if "." in node.value:
            hint = f"write {node.value.replace('.', '_')!r}"
            self._fail(
                where, "a name without dots, which part the labels of an address", node.shown(), node.origin, hint
            )
        return node.value

    def _flag(self, node: Node | None, where: str, default: bool | None) -> bool | None:
        if node is None:
            return default
        if not isinstance(node.value, bool):
            self._fail(where, "true or false", node.shown(), node.origin)
            return default
        return node.value

    def _check_config(self, spec: PluginSpec) -> None:
        config = spec.config
        if not config.is_mapping:
            self._fail(spec.where, "a mapping", config.shown(), config.origin, f"write '{spec.ref}: {{key: value}}'")
            spec.config = Node({}, config.origin, config.key_origin)
            return
        reserved = [key for key in ALWAYS_RESERVED if key in config.value]
        self.problems += [reserved_problem(spec, key, config.value[key]) for key in reserved]
        spec.config = drop_keys(config, reserved)


def reserved_problem(spec: PluginSpec, key: str, value: Node) -> Problem:
    """The problem of a reserved key inside a configuration, with the spelling that is right."""
    place = value.key_origin or value.origin
    hint = f"write '{key}:' beside '{spec.ref}:', not inside it"
    return Problem(f"{spec.where}.{key}", "no reserved key in a configuration", repr(key), place, hint)


def drop_keys(config: Node, keys: Sequence[str]) -> Node:
    """A configuration without some of its keys; the same node where there is nothing to drop."""
    if not keys:
        return config
    values = {key: value for key, value in config.value.items() if key not in keys}
    return Node(values, config.origin, config.key_origin)


def _stray_hint(refs: Sequence[str]) -> str:
    for ref in refs:
        if close := difflib.get_close_matches(ref, RESERVED, n=1, cutoff=0.7):
            return f"did you mean {close[0]!r} instead of {ref!r}?"
    return f"indent the configuration under '{refs[0]}:', and begin another component with '- '"


def find_duplicates(specs: Sequence[PluginSpec], problems: list[Problem]) -> list[PluginSpec]:
    """Reports labels that two siblings share.

    Args:
        specs: The components of a world.
        problems: Takes one problem for each repetition.

    Returns:
        The specs without the repetitions.
    """
    first: dict[str, PluginSpec] = {}
    repeated: str | None = None
    for spec in specs:
        if repeated and spec.owner and f"{spec.owner}.".startswith(f"{repeated}."):
            continue
        known = first.setdefault(spec.address, spec)
        repeated = None if known is spec else spec.address
        if repeated:
            where = f"the first one is at {known.origin}; " if known.origin != spec.origin else ""
            hint = f"{where}give one of them another 'name:'"
            problems.append(Problem(spec.where, "a label that no sibling has", repr(spec.label), spec.origin, hint))
    return list(first.values())


def subtree(specs: Sequence[PluginSpec], addresses: set[str]) -> set[str]:
    """The addresses, and those of everything that belongs to them."""
    found = set(addresses)
    for spec in specs:
        if spec.owner in found:
            found.add(spec.address)
    return found


def without(specs: Sequence[PluginSpec], addresses: set[str]) -> list[PluginSpec]:
    """The specs without some of them and without what belongs to those."""
    gone = subtree(specs, addresses)
    return [spec for spec in specs if spec.address not in gone]


def as_document(specs: Sequence[PluginSpec]) -> list[dict[str, object]]:
    """The components as plain data that reads back to the same components: a list of nested entries."""
    entries: dict[str | None, list[dict[str, object]]] = {}
    made: list[tuple[PluginSpec, dict[str, object]]] = []
    for spec in specs:
        entry: dict[str, object] = {spec.ref: spec.config.plain()}
        if spec.name is not None:
            entry["name"] = spec.name
        if not spec.enabled:
            entry["enabled"] = False
        if spec.present is not None:
            entry["present"] = spec.present
        entries.setdefault(spec.owner, []).append(entry)
        made.append((spec, entry))
    for spec, entry in made:
        if spec.address in entries:
            entry["components"] = entries[spec.address]
    return entries.get(None, [])
