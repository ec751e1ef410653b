"""Documents as nodes: plain values that know the file and the line they came from.

Text is read as YAML 1.2 with the core scalars: ``1e-3`` and ``010`` are numbers, ``on``, ``yes`` and ``12:30`` are
texts. PyYAML parses the text into its node graph and nothing more; what a scalar means is decided here.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from roqsim.config.yamlgraph import PLAIN, TAG, compose, plain_scalar, syntax_hint
from roqsim.errors import ConfigError, Problem, suggest

MAX_ALIAS_NODES = 10_000
"""How many nodes the aliases of one document may add to it."""

MERGE_KEY = "<<"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was written.

    Attributes:
        source: The file as the user named it, or another source such as ``--set sim.timestep=1``.
        line: The line, from 1; None where the source has no lines.
    """

    source: str
    line: int | None = None

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"


@dataclass(slots=True)
class Node:
    """A value and where it was written.

    Attributes:
        value: None, bool, int, float or str; for a sequence a list of nodes, for a mapping a dict of nodes.
        origin: Where the value starts.
        key_origin: Where its key stands, for a value inside a mapping.
    """

    value: object
    origin: Origin
    key_origin: Origin | None = None

    @property
    def is_mapping(self) -> bool:
        """Whether the value is a mapping."""
        return isinstance(self.value, dict)

    @property
    def is_sequence(self) -> bool:
        """Whether the value is a sequence."""
        return isinstance(self.value, list)

    def get(self, key: str) -> Node | None:
        """The node under a key of a mapping; None where there is none, also for what is no mapping."""
        return self.value.get(key) if isinstance(self.value, dict) else None

    def plain(self) -> object:
        """The value without its origins: scalars, lists and dicts."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    def copy(self) -> Node:
        """A node whose lists and dicts are its own."""
        value = self.value
        if isinstance(value, dict):
            value = {key: node.copy() for key, node in value.items()}
        elif isinstance(value, list):
            value = [node.copy() for node in value]
        return Node(value, self.origin, self.key_origin)

    def shown(self) -> str:
        """The value as an error shows it: its ``repr``, shortened, a mapping or list by its kind."""
        if isinstance(self.value, dict):
            return "a mapping" if self.value else "an empty mapping"
        if isinstance(self.value, list):
            return shown(self.plain()) if len(self.value) <= 8 else f"a list of {len(self.value)}"
        return "nothing" if self.value is None else shown(self.value)


def shown(value: object, limit: int = 80) -> str:
    """The ``repr`` of a value, with its middle left out where it is longer than ``limit`` characters."""
    try:
        text = repr(value)
    except ValueError:
        # Python refuses to print an int of more than 4,300 digits.
        return "a number of too many digits"
    return text if len(text) <= limit else f"{text[: limit - 20]}…{text[-18:]}"


def from_plain(value: object, origin: Origin) -> Node:
    """Wraps Python data: every node gets the same origin.

    Args:
        value: None, bool, int, float, str, paths, mappings with str keys, sequences; NumPy arrays and scalars as well.
        origin: What errors name as the place.

    Raises:
        ConfigError: for anything else, and for data that contains itself.
    """
    return _wrap(value, origin, "", ())


def _wrap(value: object, origin: Origin, where: str, inside: tuple[int, ...]) -> Node:
    if value is None or isinstance(value, bool):
        return Node(value, origin, origin)
    for kind in (int, float, str):
        if isinstance(value, kind):
            return Node(kind(value), origin, origin)
    if isinstance(value, os.PathLike):
        return Node(os.fspath(value), origin, origin)
    if id(value) in inside:
        raise ConfigError(Problem(where, "data that does not contain itself", "a cycle", origin))
    inside = (*inside, id(value))
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise ConfigError(Problem(where, "text as a key", repr(key), origin, f"write {str(key)!r}"))
        return Node({str(k): _wrap(v, origin, _join(where, k), inside) for k, v in value.items()}, origin, origin)
    if hasattr(value, "tolist"):
        return _wrap(value.tolist(), origin, where, inside)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return Node([_wrap(v, origin, f"{where}[{i}]", inside) for i, v in enumerate(value)], origin, origin)
    raise ConfigError(Problem(where, "a number, a text, a list or a mapping", shown(value), origin))


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def load_file(path: str | os.PathLike[str], source: str | None = None) -> Node:
    """Reads a YAML file.

    Args:
        path: The file.
        source: What errors call it; the path as given otherwise.

    Returns:
        Its root node; the value is None for an empty file.

    Raises:
        ConfigError: the file cannot be read, is not UTF-8, or is not YAML; every message names the file.
    """
    name = os.fspath(path) if source is None else source
    origin = Origin(name)
    try:
        data = Path(path).read_bytes()
    except IsADirectoryError:
        raise ConfigError(Problem(name, "a file", "a directory", None, "name the YAML file in it")) from None
    except FileNotFoundError:
        raise ConfigError(Problem(name, "a file", "no such file", None, _nearby(Path(path)))) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(Problem(name, "a readable file", repr(reason.lower()), None)) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        got = f"the byte 0x{data[error.start]:02x}"
        raise ConfigError(Problem(name, "UTF-8 text", got, Origin(name, line), "save the file as UTF-8")) from None
    return _parse(text, origin)


def _nearby(path: Path) -> str:
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.suffix in (".yaml", ".yml", ".xml")]
    except OSError:
        return "check the path"
    return suggest(path.name, names) if names else "check the path"


def loads(text: str, source: str) -> Node:
    """Reads YAML text.

    Args:
        text: One YAML document.
        source: What errors name as its file.

    Raises:
        ConfigError: the text is not YAML, with the line.
    """
    return _parse(text.removeprefix("\ufeff"), Origin(source))


def load_value(text: str, source: str) -> Node:
    """Reads the YAML value of a command-line assignment; its origins carry no lines."""
    origin = Origin(source)
    try:
        node = loads(text, source)
    except ConfigError as error:
        raise ConfigError([dataclasses.replace(problem, origin=origin) for problem in error.problems]) from None
    _drop_lines(node, origin)
    return node


def _drop_lines(node: Node, origin: Origin) -> None:
    node.origin = node.key_origin = origin
    children = node.value.values() if isinstance(node.value, dict) else node.value if node.is_sequence else ()
    for child in children:
        _drop_lines(child, origin)


def _parse(text: str, origin: Origin) -> Node:
    reader = _Reader(origin.source)
    try:
        graph = compose(text)
        node = Node(None, Origin(origin.source, 1)) if graph is None else reader.node(graph)
    except yaml.YAMLError as error:
        raise ConfigError(_syntax_problem(error, origin)) from None
    except RecursionError:
        raise ConfigError(Problem(origin.source, "less deeply nested YAML", None, origin)) from None
    if reader.problems:
        raise ConfigError(reader.problems)
    return node


def _syntax_problem(error: yaml.YAMLError, origin: Origin) -> Problem:
    if isinstance(error, yaml.reader.ReaderError):
        message, line = error.reason, None
    else:
        mark = error.problem_mark or error.context_mark
        message, line = error.problem or str(error), mark.line + 1 if mark else None
    if "expected a single document" in (getattr(error, "context", None) or ""):
        return Problem(
            origin.source, "one YAML document", "a second one", Origin(origin.source, line), "remove the '---'"
        )
    hint = syntax_hint(message)
    return Problem(origin.source, "valid YAML", repr(message), Origin(origin.source, line), hint)


class _Reader:
    """Turns a node graph into nodes and collects what is wrong with it."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self._seen: set[int] = set()
        self._open: set[int] = set()
        self._alias_depth = 0
        self._alias_nodes = 0

    def node(self, graph: yaml.Node, key_origin: Origin | None = None) -> Node:
        identity, origin = id(graph), self._origin(graph)
        if identity in self._open:
            self._fail("an alias to something else", "an alias to the mapping or list that it stands in", origin)
            return Node(None, origin, key_origin)
        is_alias = identity in self._seen
        self._seen.add(identity)
        self._open.add(identity)
        self._alias_depth += is_alias
        self._alias_nodes += self._alias_depth > 0
        try:
            if self._alias_nodes > MAX_ALIAS_NODES:
                raise ConfigError(
                    Problem(self.source, f"aliases that add at most {MAX_ALIAS_NODES:,} nodes", "more", origin)
                )
            return Node(self._value(graph, origin), origin, key_origin)
        finally:
            self._open.discard(identity)
            self._alias_depth -= is_alias

    def _origin(self, graph: yaml.Node) -> Origin:
        return Origin(self.source, graph.start_mark.line + 1)

    def _fail(self, expected: str, got: str | None, origin: Origin, hint: str = "") -> None:
        self.problems.append(Problem(self.source, expected, got, origin, hint))

    def _value(self, graph: yaml.Node, origin: Origin) -> object:
        if isinstance(graph, yaml.ScalarNode):
            return self._scalar(graph, origin)
        wanted = "seq" if isinstance(graph, yaml.SequenceNode) else "map"
        if graph.tag not in (TAG + wanted, "!"):
            self._fail("plain YAML", f"the tag {graph.tag!r}", origin, "remove the tag")
        if wanted == "seq":
            return [self.node(item) for item in graph.value]
        return self._mapping(graph)

    def _mapping(self, graph: yaml.MappingNode) -> dict[str, Node]:
        values: dict[str, Node] = {}
        merged: list[Node] = []
        seen: dict[str, Origin] = {}
        for key_graph, value_graph in graph.value:
            at = self._origin(key_graph)
            key = self._key(key_graph, at)
            if key is None:
                continue
            if key in seen:
                hint = f"the first one is at {seen[key]}; keep one of them"
                self._fail("every key once", f"{key!r} again", at, hint)
                continue
            seen[key] = at
            value = self.node(value_graph, at)
            if key == MERGE_KEY and key_graph.tag == PLAIN:
                merged = self._merged(value)
            else:
                values[key] = value
        for parent in merged:
            values = {**parent.value, **values}
        return values

    def _merged(self, node: Node) -> list[Node]:
        parents = node.value if node.is_sequence else [node]
        if not all(parent.is_mapping for parent in parents):
            self._fail("a mapping or a list of mappings after '<<'", node.shown(), node.origin)
            return []
        return parents

    def _key(self, graph: yaml.Node, at: Origin) -> str | None:
        if not isinstance(graph, yaml.ScalarNode):
            self._fail(
                "text as a key", "a list or a mapping", at, "put quotes around it if braces are part of the text"
            )
            return None
        key = self._scalar(graph, at)
        if isinstance(key, str):
            return key
        self._fail("text as a key", repr(key) if key is not None else "nothing", at, f'write "{graph.value}" in quotes')
        return None

    def _scalar(self, graph: yaml.ScalarNode, origin: Origin) -> object:
        if graph.tag == PLAIN:
            return self._number(graph.value, origin)
        if graph.tag in (TAG + "str", "!"):
            return graph.value
        value = plain_scalar(graph.value) if len(graph.value) < 1000 else None
        kinds = {"int": (int,), "float": (int, float), "bool": (bool,), "null": (type(None),)}
        kind = graph.tag.removeprefix(TAG)
        if kind in kinds and type(value) in kinds[kind]:
            return float(value) if kind == "float" else value
        self._fail("plain YAML", f"the tag {graph.tag!r}", origin, "remove the tag")
        return None

    def _number(self, text: str, origin: Origin) -> object:
        try:
            return plain_scalar(text)
        except ValueError:
            self._fail("a number of fewer digits", f"{len(text)} digits", origin)
            return None
