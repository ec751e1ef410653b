"""Changing a world before it is built: assignments to ``sim.…`` and to components by address.

The two spellings are one: ``components.robot.lidar.rays=720`` and ``components: {robot: {lidar: {rays: 720}}}``. A
path is consumed as long as its labels name components; the rest is a path into the configuration of the last one, or
``enabled`` or ``present``. Mappings merge, scalars and lists replace. A label or a key that holds dots itself is
matched as a whole.

Assignments are applied in two passes: to what the documents declare, so that ``components.robot.model`` decides which
manifest is read, and again to what manifests brought. What matched in neither is refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from roqsim.config.entries import ALWAYS_RESERVED, FLAGS, ROOT, PluginSpec, reserved_problem
from roqsim.config.nodes import Node, Origin, from_plain, load_file, load_value
from roqsim.config.schema import fields_of
from roqsim.config.sim import SimOptions
from roqsim.errors import ConfigError, Problem, suggest

ENVIRONMENT = "ROQSIM_WORLD_OVERRIDES"
"""The environment variable that names an override file."""

ROOTS = ("sim", ROOT)

ConfigKeys = Callable[[PluginSpec], frozenset[str] | None]
"""The configuration keys that a component's plugin knows; None where any key may be one."""


@dataclass
class Assignment:
    """One value for one path.

    Attributes:
        path: The labels and keys, split at every dot.
        value: A scalar, a list, or an empty mapping.
        is_applied: Whether a pass has found its place.
    """

    path: tuple[str, ...]
    value: Node
    is_applied: bool = field(default=False, compare=False)

    @property
    def where(self) -> str:
        """The path as it is written on a command line."""
        return ".".join(self.path)


def from_set(text: str, option: str = "--set") -> list[Assignment]:
    """Reads ``PATH=VALUE``; the value is YAML, so ``1e-3`` is a number and ``[1, 2]`` a list.

    Args:
        text: The assignment.
        option: What errors call its source, followed by the text.

    Raises:
        ConfigError: there is no ``=``, no path, or the value is not YAML.
    """
    path, equals, value = text.partition("=")
    origin = Origin(f"{option} {text}".strip())
    if not equals or not path.strip():
        raise ConfigError(Problem(text, "PATH=VALUE", repr(text), origin, "write for example sim.timestep=0.001"))
    return _flatten(tuple(path.strip().split(".")), load_value(value, origin.source))


def from_file(path: str | os.PathLike[str], source: str | None = None) -> list[Assignment]:
    """Reads an override file: a mapping with ``sim`` and ``components``, the latter by address.

    Args:
        path: The file.
        source: What errors call it; ``--override`` and the path otherwise.

    Raises:
        ConfigError: the file cannot be read or holds something else.
    """
    node = load_file(path, f"--override {os.fspath(path)}" if source is None else source)
    return from_node(node)


def from_environment(environment: Mapping[str, str] = os.environ) -> list[Assignment]:
    """Reads the file that ``ROQSIM_WORLD_OVERRIDES`` names; nothing where it is unset or empty."""
    path = environment.get(ENVIRONMENT)
    return from_file(path, f"{ENVIRONMENT}={path}") if path else []


def from_node(node: Node) -> list[Assignment]:
    """The assignments of a mapping that mirrors a world.

    Raises:
        ConfigError: it is no mapping.
    """
    if node.value is None:
        return []
    if not node.is_mapping:
        hint = "write 'sim:' and 'components:' with what to change"
        raise ConfigError(Problem("overrides", "a mapping", node.shown(), node.origin, hint))
    return [each for key, value in node.value.items() for each in _flatten(tuple(key.split(".")), value)]


def _flatten(path: tuple[str, ...], node: Node) -> list[Assignment]:
    if not node.is_mapping or not node.value:
        return [Assignment(path, node)]
    return [each for key, value in node.value.items() for each in _flatten((*path, *key.split(".")), value)]


Overrides = Mapping[str, object] | str | Sequence[Assignment | str] | Sequence[Sequence[Assignment]] | None


def assignments(overrides: Overrides) -> list[Assignment]:
    """The assignments of any form that the API takes: a nested mapping, or lists of what is read above, in order."""
    if not overrides:
        return []
    if isinstance(overrides, str):
        return from_set(overrides)
    if isinstance(overrides, Mapping):
        return from_node(from_plain(overrides, Origin("overrides")))
    if not isinstance(overrides, Sequence):
        raise TypeError(f"overrides: expected a nested mapping, or a list of 'path=value' texts, got {overrides!r}")
    flat: list[Assignment] = []
    for item in overrides:
        if isinstance(item, Assignment):
            flat.append(item)
        elif isinstance(item, str):
            flat += from_set(item)
        else:
            flat += assignments(item)
    return [Assignment(item.path, item.value.copy()) for item in flat]


def overrides_from_dotlist(texts: Iterable[str]) -> dict[str, object]:
    """The nested mapping of assignments such as ``components.robot.lidar.rays=720``; a later one wins.

    A single text counts as a list of one.

    Raises:
        ConfigError: a text is no assignment.
    """
    root = Node({}, Origin("overrides"))
    problems: list[Problem] = []
    for text in [texts] if isinstance(texts, str) else texts:
        try:
            for item in from_set(text, ""):
                assign(root, item.path, item.value)
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError(problems)
    return root.plain()


def assign(root: Node, path: Sequence[str], value: Node) -> None:
    """Puts a value at a path in a mapping; an existing key that holds dots takes several parts of the path.

    Raises:
        ConfigError: the path leads into a list.
    """
    at, rest = root, list(path)
    while True:
        if at.is_sequence:
            hint = "assign the whole list"
            raise ConfigError(Problem(".".join(path), "a path that ends before a list", at.shown(), value.origin, hint))
        if not at.is_mapping:
            at.value, at.origin = {}, value.origin
        count = _key_length(at, rest)
        key, rest = ".".join(rest[:count]), rest[count:]
        if not rest:
            known = at.value.get(key)
            keeps = value.is_mapping and known is not None and known.is_mapping
            at.value[key] = known if keeps else value
            return
        at = at.value.setdefault(key, Node({}, value.origin, value.origin))


def _key_length(node: Node, path: list[str]) -> int:
    return next((n for n in range(len(path), 1, -1) if ".".join(path[:n]) in node.value), 1)


class Pass:
    """One pass over the assignments, in their order, later ones winning.

    Args:
        sim: The ``sim`` mapping; changed in place.
        specs: The components; changed in place.
        keys: The configuration keys of a component's plugin.
        is_last: Whether what finds no place in this pass finds none at all.
        frozen: The addresses whose manifests are read already, and which keys that reading depended on.
    """

    def __init__(
        self,
        sim: Node,
        specs: Sequence[PluginSpec],
        keys: ConfigKeys,
        *,
        is_last: bool,
        frozen: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        self.sim, self.specs, self.keys, self.is_last, self.frozen = sim, specs, keys, is_last, frozen or {}
        self.problems: list[Problem] = []
        self._children: dict[str | None, list[PluginSpec]] = {}
        for spec in specs:
            self._children.setdefault(spec.owner, []).append(spec)

    def apply(self, items: Sequence[Assignment]) -> None:
        """Applies what is not applied yet; mistakes go to ``problems``."""
        for item in items:
            if item.is_applied:
                continue
            root = item.path[0]
            if root == "sim":
                self._to_sim(item)
            elif root == ROOT and not (len(item.path) == 1 and item.value.is_mapping):
                self._to_component(item)
            elif root != ROOT:
                self._refuse_root(item)
            else:
                item.is_applied = True

    def _fail(self, item: Assignment, expected: str, got: str | None, hint: str = "") -> None:
        item.is_applied = True
        self.problems.append(Problem(item.where, expected, got, item.value.origin, hint))

    def _refuse_root(self, item: Assignment) -> None:
        root = item.path[0]
        if root == "plugins":
            hint = f"write {'.'.join((ROOT, *item.path[1:]))!r}"
        elif self._match(None, item.path)[0] is not None:
            hint = f"did you mean '{ROOT}.{item.where}'?"
        elif len(item.path) == 1 and root in {info.name for info in fields_of(SimOptions)}:
            hint = f"did you mean 'sim.{root}'?"
        else:
            hint = suggest(root, ROOTS)
        self._fail(item, "a path that begins with 'sim' or 'components'", repr(root), hint)

    def _to_sim(self, item: Assignment) -> None:
        if len(item.path) == 1:
            if not item.value.is_mapping:
                return self._fail(item, "a mapping", item.value.shown(), "name a key, such as sim.timestep")
            item.is_applied = True
            return None
        return self._assign(self.sim, item, item.path[1:])

    def _assign(self, root: Node, item: Assignment, path: Sequence[str]) -> None:
        item.is_applied = True
        try:
            assign(root, path, item.value)
        except ConfigError as error:
            self.problems += [Problem(item.where, p.expected, p.got, p.origin, p.hint) for p in error.problems]

    def _match(self, owner: str | None, path: Sequence[str]) -> tuple[PluginSpec | None, int]:
        """The component whose label begins the path, and how many parts the label takes; the longest label wins."""
        best: tuple[PluginSpec | None, int] = (None, 0)
        for spec in self._children.get(owner, ()):
            parts = tuple(spec.label.split("."))
            if tuple(path[: len(parts)]) == parts and len(parts) > best[1]:
                best = (spec, len(parts))
        return best

    def _to_component(self, item: Assignment) -> None:
        path, spec = item.path[1:], None
        while path:
            child, count = self._match(spec.address if spec else None, path)
            if child is None:
                break
            spec, path = child, path[count:]
        if not path and spec is not None:
            if item.value.is_mapping:
                item.is_applied = True
                return
            self._fail(item, "a mapping", item.value.shown(), f"name a key, such as {spec.where}.enabled")
        elif not path:
            self._fail(item, "a mapping by address", item.value.shown(), "write 'components: {<name>: {<key>: value}}'")
        elif spec is None:
            if self.is_last:
                self._refuse(item)
        else:
            self._to_config(item, spec, path)

    def _to_config(self, item: Assignment, spec: PluginSpec, path: tuple[str, ...]) -> None:
        key, known = path[0], self.keys(spec)
        if key in FLAGS and len(path) == 1 and (known is None or key not in known):
            self._flag(item, spec, key)
        elif key in ALWAYS_RESERVED:
            problem = reserved_problem(spec, key, item.value)
            hint = (
                f"address a nested component as {spec.where}.<name>" if key == ROOT else "a name cannot be overridden"
            )
            self._fail(item, problem.expected, problem.got, hint)
        elif known is None and not self.is_last and not self._is_early(spec, key):
            return
        elif known is not None and not any(".".join(path[:n]) in known for n in range(1, len(path) + 1)):
            if self.is_last:
                self._refuse(item, spec, known)
        elif key in self.frozen.get(spec.address, ()):
            hint = f"declare '{spec.ref}: {{{key}: …}}' named {spec.label!r} in the world"
            owner = f" inside {spec.owner!r}" if spec.owner else ""
            self._fail(item, "a key that its manifest does not depend on", repr(key), hint + owner)
        else:
            self._assign(spec.config, item, path)

    def _is_early(self, spec: PluginSpec, key: str) -> bool:
        """Whether a key of a plugin that types nothing is surely a configuration key, and no component yet to come."""
        return spec.config.get(key) is not None or key in getattr(spec.plugin, "expansion_keys", ())

    def _flag(self, item: Assignment, spec: PluginSpec, key: str) -> None:
        if not isinstance(item.value.value, bool):
            self._fail(item, "true or false", item.value.shown())
        elif key == "enabled" and item.value.value and not spec.enabled and spec.address in self.frozen:
            self._fail(item, "an entry of the world to enable", repr(True), f"declare {spec.label!r} in the world")
        else:
            item.is_applied = True
            setattr(spec, key, item.value.value)
            if key == "present":
                spec.present_origin = item.value.origin

    def _refuse(self, item: Assignment, spec: PluginSpec | None = None, known: frozenset[str] | None = None) -> None:
        owner = spec.address if spec else None
        rest = item.path[1:] if spec is None else item.path[1 + len(spec.address.split(".")) :]
        labels = [child.label for child in self._children.get(owner, ())]
        same_ref = [child.address for child in self.specs if child.ref == rest[0]]
        if same_ref:
            hint = f"the world has {rest[0]!r} at {', '.join(map(repr, same_ref[:10]))}"
        else:
            hint = suggest(rest[0], [*labels, *(known or ())])
        place = f"a component or key of {spec.where}" if spec else "the address of a component"
        self._fail(item, place, repr(rest[0]), hint if same_ref or spec else self._addresses(rest[0], hint))

    def _addresses(self, label: str, hint: str) -> str:
        if hint.startswith("did you mean"):
            return hint
        named = [f"{spec.address} ({spec.ref})" if spec.name else spec.address for spec in self.specs]
        more = f" and {len(named) - 10} more" if len(named) > 10 else ""
        return f"the world has {', '.join(named[:10])}{more}" if named else "the world has no components"
