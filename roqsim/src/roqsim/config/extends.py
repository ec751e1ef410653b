"""A world document and its parents: ``extends`` inherits, ``disable`` leaves out, what the child says is put on top."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from roqsim.config.entries import PluginSpec, find_duplicates, parse_entries, without
from roqsim.config.nodes import Node, Origin, load_file
from roqsim.config.schema import unknown_key
from roqsim.errors import ConfigError, NotFoundError, Problem, suggest

TOP_KEYS = ("sim", "components", "extends", "disable")
"""The keys of a world document."""

EXPECTED = "a mapping with 'sim' and 'components'"


class Located(Protocol):
    """A world file that was found: see ``roqsim.worlds.WorldAsset``."""

    path: Path
    package: str | None
    folder: Path | None

    def sibling_ref(self, path: Path) -> str:
        """A reference to another file of the same package."""


Locate = Callable[[str, Path], Located]
"""Finds the file of a parent: its reference and the folder that a relative path starts from."""


@dataclass
class Document:
    """A world with everything that it inherits, before overrides and manifests.

    Attributes:
        sim: The ``sim`` mapping.
        specs: The components, each one followed by what is nested in it.
        base_dir: The folder of the document itself.
        source: The document as the user named it.
        files: Every file that was read, the document first.
    """

    sim: Node
    specs: list[PluginSpec]
    base_dir: Path
    source: str
    files: list[Path] = field(default_factory=list)

    def copy(self) -> Document:
        """A document that can be changed without touching this one."""
        specs = [spec.copy() for spec in self.specs]
        return Document(self.sim.copy(), specs, self.base_dir, self.source, list(self.files))


class DocumentReader:
    """Reads a document and its parents and collects what is wrong with any of them.

    Args:
        locate: Finds the file of a parent.
        problems: Takes every mistake.
    """

    def __init__(self, locate: Locate, problems: list[Problem]) -> None:
        self.locate, self.problems = locate, problems
        self.files: list[Path] = []

    def read_file(self, path: Path, source: str, located: Located | None = None) -> Document:
        """Reads a world file.

        Args:
            path: The file.
            source: What errors call it.
            located: How it was found, for a world of a package.

        Raises:
            ConfigError: the document itself cannot be read; what is wrong inside goes to ``problems``.
        """
        self.files.append(path)
        node = load_file(path, source)
        if node.value is None:
            raise ConfigError(Problem(source, EXPECTED, "an empty file", node.origin))
        return self.read_node(node, path.parent, source, chain=((path.resolve(), source),), located=located)

    def read_node(
        self,
        node: Node,
        base_dir: Path,
        source: str,
        *,
        chain: tuple[tuple[Path, str], ...] = (),
        located: Located | None = None,
    ) -> Document:
        """Reads a document that is loaded already; the arguments beyond ``source`` describe how it was reached."""
        if not node.is_mapping:
            raise ConfigError(Problem(source, EXPECTED, node.shown(), node.origin))
        self._check_keys(node)
        sim = self._mapping(node.get("sim"), "sim")
        own = parse_entries(node.get("components"), base_dir=base_dir, problems=self.problems)
        parent = self._parent(node.get("extends"), base_dir, chain, located)
        inherited = self._disable(node.get("disable"), parent, has_parent=node.get("extends") is not None)
        if parent is not None:
            sim = merged(parent.sim, sim)
        specs = find_duplicates([*inherited, *own], self.problems)
        return Document(sim, specs, base_dir, source, self.files)

    def _fail(self, where: str, expected: str, node: Node, hint: str = "", got: str | None = None) -> None:
        self.problems.append(Problem(where, expected, got or node.shown(), node.origin, hint))

    def _check_keys(self, node: Node) -> None:
        for key, value in node.value.items():
            if key == "plugins":
                place = value.key_origin or value.origin
                self.problems.append(Problem(key, "a known key", "'plugins'", place, "write 'components:' instead"))
            elif key not in TOP_KEYS:
                self.problems.append(unknown_key("", key, value, TOP_KEYS))

    def _mapping(self, node: Node | None, where: str) -> Node:
        if node is None or node.value is None:
            return Node({}, node.origin if node else Origin(where), node.key_origin if node else None)
        if not node.is_mapping:
            self._fail(where, "a mapping", node)
            return Node({}, node.origin, node.key_origin)
        return node

    def _parent(
        self, node: Node | None, base_dir: Path, chain: tuple[tuple[Path, str], ...], located: Located | None
    ) -> Document | None:
        if node is None or node.value is None:
            return None
        if not isinstance(node.value, str):
            self._fail("extends", "a path or package:world", node)
            return None
        try:
            found = _within(self.locate(node.value, base_dir), located)
        except NotFoundError as error:
            self.problems.append(Problem("extends", "a world", repr(node.value), node.origin, str(error)))
            return None
        path = found.path.resolve()
        if path in [known for known, _ in chain]:
            names = " -> ".join([*(name for _, name in chain), _shown(found.path, chain)])
            self._fail("extends", "a world that does not extend itself", node, f"the chain is {names}")
            return None
        self.files.append(found.path)
        source = _shown(found.path, chain)
        try:
            tree = load_file(found.path, source)
            parent = self.read_node(tree, path.parent, source, chain=(*chain, (path, source)), located=found)
        except ConfigError as error:
            self.problems += error.problems
            return None
        _anchor_world(parent.sim, found)
        return parent

    def _disable(self, node: Node | None, parent: Document | None, *, has_parent: bool) -> list[PluginSpec]:
        specs = parent.specs if parent is not None else []
        if node is None or node.value is None:
            return specs
        if not has_parent:
            self._fail(
                "disable",
                "'extends' beside it",
                node,
                "without a parent, delete the entry or write 'enabled: false' in it",
            )
            return specs
        selectors = node.value if node.is_sequence else [node]
        gone: set[str] = set()
        for selector in selectors:
            if not isinstance(selector.value, str):
                self._fail("disable", "the name of an inherited component", selector)
                continue
            found = {spec.address for spec in specs if selector.value in _names(spec)}
            if not found and parent is not None:
                self._fail(
                    "disable", "the name of an inherited component", selector, _not_inherited(selector.value, specs)
                )
            gone |= found
        return without(specs, gone)


def _shown(path: Path, chain: tuple[tuple[Path, str], ...]) -> str:
    """What errors call a parent: relative to the working directory where the document was named so, else in full."""
    is_relative = bool(chain) and not Path(chain[0][1]).is_absolute()
    return os.path.relpath(path) if is_relative and path.resolve().is_relative_to(Path.cwd()) else str(path)


def _names(spec: PluginSpec) -> set[object]:
    """What ``disable`` can call a component: its address, its name, and the ``name`` in its configuration."""
    names: set[object] = {spec.address, spec.name} - {None}
    field_node = spec.config.get("name")
    if field_node is not None and isinstance(field_node.value, str):
        names.add(field_node.value)
    return names


def _not_inherited(selector: str, specs: list[PluginSpec]) -> str:
    """What to do about a selector that the parent's document has nothing for; what a model brings comes later."""
    known = {spec.address for spec in specs}
    hint = suggest(selector, known) if known else "the parent has no components"
    owner = selector
    while owner := owner.rpartition(".")[0]:
        if owner in known:
            override = f"what the model of {owner!r} brings is left out by --set components.{selector}.enabled=false"
            return f"{hint} {override}" if hint.startswith("did you mean") else override
    return hint


def _within(found: Located, located: Located | None) -> Located:
    """A file reached by path from inside a package belongs to that package."""
    if found.package is not None or located is None or located.folder is None:
        return found
    if not found.path.resolve().is_relative_to(located.folder.resolve()):
        return found
    return type(found)(found.path.stem, found.path, located.package, located.folder)


def _anchor_world(sim: Node, found: Located) -> None:
    """Makes a parent's relative ``sim.world`` mean one file from anywhere: by reference or in full."""
    world = sim.get("world")
    if world is None or not is_world_path(world.value) or Path(world.value).expanduser().is_absolute():
        return
    path = (found.path.parent / world.value).absolute()
    world.value = found.sibling_ref(path) if found.package else str(path.resolve())


def is_world_path(value: object) -> bool:
    """Whether ``sim.world`` names a file by path: with a separator or an MJCF suffix, and not ``package:world``."""
    if not isinstance(value, str):
        return False
    is_path = "/" in value or value.lower().endswith((".xml", ".mjcf"))
    return is_path and ("/" in value.partition(":")[0] or ":" not in value)


def merged(parent: Node, child: Node) -> Node:
    """The mappings in one, the child's values winning; mappings merge, anything else replaces."""
    if not (parent.is_mapping and child.is_mapping):
        return child
    values = dict(parent.value)
    for key, value in child.value.items():
        values[key] = merged(values[key], value) if key in values else value
    return Node(values, child.origin, child.key_origin)
