"""Typed configurations: nodes in, a frozen dataclass out, and every mistake at once.

A configuration is a keyword-only frozen dataclass whose fields use ``need`` and ``opt``::

    @dataclass(frozen=True, kw_only=True)
    class LidarConfig:
        frame_id: str = need()
        '''Frame the scan is stamped with.'''
        rays: int = opt(360, gt=0)
        '''Number of rays in one scan.'''

A field's type may be bool, int, float (which takes an int), str, ``Literal``, ``Any``, a nested configuration, ``X |
None`` and other unions, ``tuple[X, ...]``, a tuple of fixed length, ``dict[str, X]``, and a class with
``from_node(node, where)``.
"""

from __future__ import annotations

import dataclasses
import math
import re
import types
import typing

from roqsim.config.angle import radians_hint
from roqsim.config.fields import FREE, FieldInfo, Rule, fields_of, is_union, literals, need, opt
from roqsim.config.nodes import Node
from roqsim.config.units import unit_hint
from roqsim.config.yamlgraph import plain_scalar
from roqsim.errors import ConfigError, Problem, suggest

__all__ = ["FREE", "FieldInfo", "Rule", "fields_of", "json_schema", "need", "opt", "read", "read_value"]

_T = typing.TypeVar("_T")
_MISTAKE = object()
_RULE_TEXT = re.compile(
    r"(?:(?P<field>\w+(?:\.\w+)*): )?expected (?P<expected>.*?)(?:, got (?P<got>.*?))?(?:; (?P<hint>.*))?", re.DOTALL
)
PLAIN = (bool, int, float, str)
"""The types of a single value."""

_OLD_BOOLS = {"yes": "true", "on": "true", "no": "false", "off": "false"}


def read(cls: type[_T], node: Node | None, where: str) -> _T:
    """Reads a configuration.

    Args:
        cls: A dataclass whose fields use ``need`` and ``opt``.
        node: A mapping, or nothing for one with defaults only.
        where: The address that errors begin with, such as ``components.robot.lidar``.

    Raises:
        ConfigError: the node breaks rules; it holds every one of them.
    """
    problems: list[Problem] = []
    value = _read_fields(cls, node, where, problems)
    if problems:
        raise ConfigError(problems)
    return value


def read_value(kind: object, node: Node, where: str, rule: Rule = FREE) -> object:
    """Reads one value of any type that a field may have.

    Raises:
        ConfigError: the node does not fit, with every reason.
    """
    problems: list[Problem] = []
    value = _read(kind, rule, node, where, problems)
    if problems:
        raise ConfigError(problems)
    return value


def _read_fields(cls: type, node: Node | None, where: str, problems: list[Problem]) -> object:
    before = len(problems)
    if node is None or node.value is None:
        node = Node({}, node.origin, node.key_origin) if node is not None else Node({}, None)
    if not node.is_mapping:
        problems.append(Problem(where, "a mapping", node.shown(), node.origin, f"its keys are {_names(cls)}"))
        return _MISTAKE
    fields = {field.name: field for field in fields_of(cls)}
    values = {}
    for key, value in node.value.items():
        field = fields.get(key)
        if field is None:
            problems.append(unknown_key(where, key, value, fields))
        else:
            values[key] = _read(field.type, field.rule, value, _join(where, key), problems)
    for name, field in fields.items():
        if field.required and name not in node.value:
            place = node.key_origin or node.origin
            problems.append(Problem(_join(where, name), describe(field.type, field.rule), "nothing", place, "add it"))
    if len(problems) > before:
        return _MISTAKE
    try:
        return cls(**values)
    except ValueError as error:
        problems.append(_cross_field(error, node, where))
        return _MISTAKE


def unknown_key(where: str, key: str, value: Node, known: typing.Iterable[str]) -> Problem:
    """The problem of a key that a mapping does not have."""
    return Problem(_join(where, key), "a known key", repr(key), value.key_origin or value.origin, suggest(key, known))


def _names(cls: type) -> str:
    return ", ".join(repr(field.name) for field in fields_of(cls))


def _join(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _cross_field(error: ValueError, node: Node, where: str) -> Problem:
    """A rule between fields: ``field: expected RULE, got VALUE; HINT`` keeps its parts, another text stays whole."""
    text = str(error)
    match = _RULE_TEXT.fullmatch(text)
    if match is None:
        return Problem(where, text if text else type(error).__name__, None, node.key_origin or node.origin)
    place = node
    for part in (match["field"] or "").split("."):
        place = place.get(part) or place
    address = _join(where, match["field"]) if match["field"] else where
    return Problem(address, match["expected"], match["got"], place.origin, match["hint"] or "")


def _read(kind: object, rule: Rule, node: Node, where: str, problems: list[Problem]) -> object:
    if kind is typing.Any or kind is object:
        return node.plain()
    if is_union(kind):
        return _read_union(kind, rule, node, where, problems)
    if dataclasses.is_dataclass(kind) and not hasattr(kind, "from_node"):
        return _read_fields(kind, node, where, problems)
    if hasattr(kind, "from_node"):
        return _read_custom(kind, node, where, problems)
    origin = typing.get_origin(kind)
    if origin in (tuple, list):
        return _read_list(kind, rule, node, where, problems)
    if origin is dict:
        return _read_dict(kind, rule, node, where, problems)
    return _read_scalar(kind, rule, node, where, problems)


def _read_custom(kind: typing.Any, node: Node, where: str, problems: list[Problem]) -> object:
    try:
        return kind.from_node(node, where)
    except ConfigError as error:
        problems.extend(error.problems)
    except ValueError as error:
        problems.append(_cross_field(error, node, where))
    return _MISTAKE


def _read_union(kind: object, rule: Rule, node: Node, where: str, problems: list[Problem]) -> object:
    members = [member for member in typing.get_args(kind) if member is not types.NoneType]
    if node.value is None and len(members) < len(typing.get_args(kind)):
        return None
    attempts = []
    for member in members:
        found: list[Problem] = []
        value = _read(member, rule, node, where, found)
        if not found:
            return value
        attempts.append((member, found))
    likely = [found for member, found in attempts if _has_shape_of(node, member)]
    if len(members) == 1 or len(likely) == 1:
        problems.extend(likely[0] if likely else attempts[0][1])
    else:
        problems.append(Problem(where, describe(kind, rule), node.shown(), node.origin, _scalar_hint(kind, node)))
    return _MISTAKE


def _has_shape_of(node: Node, kind: object) -> bool:
    """Whether a mistake in the node is most likely one against this member of a union."""
    if node.is_mapping:
        return dataclasses.is_dataclass(kind) or hasattr(kind, "from_node") or typing.get_origin(kind) is dict
    if node.is_sequence:
        return typing.get_origin(kind) in (tuple, list)
    if isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return kind in (int, float)
    return node.value == "" and kind is str


def _read_list(kind: object, rule: Rule, node: Node, where: str, problems: list[Problem]) -> object:
    arguments = typing.get_args(kind)
    is_open = typing.get_origin(kind) is list or (len(arguments) == 2 and arguments[1] is Ellipsis)
    items = node.value if node.is_sequence else None
    fits = items is not None and (rule.allows_length(len(items)) if is_open else len(items) == len(arguments))
    if not fits:
        hint = _bracket_hint(arguments[0], rule, node) if items is None and is_open and rule.allows_length(1) else ""
        problems.append(Problem(where, describe(kind, rule), node.shown(), node.origin, hint))
        return _MISTAKE
    kinds = [arguments[0]] * len(items) if is_open else arguments
    inner = dataclasses.replace(rule, length=None) if is_open else rule
    pairs = zip(kinds, items, strict=True)
    return tuple(_read(each, inner, item, f"{where}[{i}]", problems) for i, (each, item) in enumerate(pairs))


def _bracket_hint(kind: object, rule: Rule, node: Node) -> str:
    """What to write where a single item stands in the place of a list."""
    problems: list[Problem] = []
    _read(kind, dataclasses.replace(rule, length=None), node, "", problems)
    return f"write [{node.value}]" if not problems and isinstance(node.value, bool | int | float | str) else ""


def _read_dict(kind: object, rule: Rule, node: Node, where: str, problems: list[Problem]) -> object:
    if node.value is None:
        return {}
    if not node.is_mapping:
        problems.append(Problem(where, describe(kind, rule), node.shown(), node.origin))
        return _MISTAKE
    if "" in node.value:
        problems.append(Problem(where, "keys that are not empty", "''", node.value[""].key_origin or node.origin))
    inner = typing.get_args(kind)[1]
    return {key: _read(inner, rule, value, _join(where, key), problems) for key, value in node.value.items()}


def _read_scalar(kind: object, rule: Rule, node: Node, where: str, problems: list[Problem]) -> object:
    value = node.value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    allowed = literals(kind) or rule.choices
    if literals(kind):
        fits = any(value == choice and type(value) is type(choice) for choice in allowed)
    elif kind is float:
        number = as_float(value)
        fits = number is not None and rule.allows(number)
        value = number if fits else value
    elif kind is int:
        fits = is_number and isinstance(value, int) and rule.allows(value)
    elif kind in (str, bool):
        fits = isinstance(value, kind)
        if value == "" and fits and not rule.empty:
            hint = "write one, or leave an optional key out"
            problems.append(Problem(where, "text that is not empty", node.shown(), node.origin, hint))
            return _MISTAKE
    else:
        raise TypeError(f"{where}: a field cannot have the type {kind!r}")
    if fits and (not rule.choices or value in rule.choices):
        return value
    problems.append(Problem(where, describe(kind, rule), node.shown(), node.origin, _scalar_hint(kind, node, rule)))
    return _MISTAKE


def as_float(value: object) -> float | None:
    """A number as a float; None for what is no number, and for an int that no float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _scalar_hint(kind: object, node: Node, rule: Rule = FREE) -> str:
    value, choices = node.value, literals(kind) or rule.choices
    if isinstance(value, str) and choices:
        return suggest(value, [str(choice) for choice in choices]) if len(choices) > 10 else _close(value, choices)
    if isinstance(value, str) and kind is bool and value.lower() in _OLD_BOOLS:
        return f"write {_OLD_BOOLS[value.lower()]}"
    if isinstance(value, str) and kind in (int, float, bool) and not isinstance(plain_scalar(value), str):
        return "write it without quotes"
    if kind is str and value is not None and not isinstance(value, list | dict):
        return "put quotes around it"
    if kind is float and isinstance(value, float) and not math.isfinite(value):
        return "write a finite number"
    if kind is int and isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return f"write {int(value)}"
    return (radians_hint(value, rule) or unit_hint(value, rule)) if kind in (int, float) else ""


def _close(value: str, choices: tuple[object, ...]) -> str:
    hint = suggest(value, [str(choice) for choice in choices])
    return hint if hint.startswith("did you mean") else ""


def describe(kind: object, rule: Rule = FREE) -> str:
    """A type and its rule as an error states them, such as ``int > 0`` or ``a list of 3 numbers``."""
    if rule.choices or literals(kind):
        names = [repr(choice) for choice in rule.choices or literals(kind)]
        free = dataclasses.replace(rule, choices=())
        rest = [describe(member, free) for member in _members(kind) if literals(kind) and not literals(member)]
        return " or ".join([", ".join(names[:10]), *rest])
    if is_union(kind):
        return " or ".join(describe(member, rule) for member in _members(kind))
    origin = typing.get_origin(kind)
    if origin in (tuple, list):
        arguments = typing.get_args(kind)
        is_fixed = origin is tuple and (len(arguments) != 2 or arguments[1] is not Ellipsis)
        count = str(len(arguments)) if is_fixed else rule.length_text()
        element = describe(arguments[0], dataclasses.replace(rule, length=None))
        if arguments[0] not in PLAIN:
            return f"a list{f' of {count}' if count else ''}, each item {element}"
        element = "texts" if arguments[0] is str else element
        return f"a list of {count} {element}".replace("  ", " ")
    if origin is dict:
        return f"a mapping to {describe(typing.get_args(kind)[1], rule)}"
    if kind in (int, float):
        unit = f" ({rule.unit})" if rule.unit else ""
        return f"{kind.__name__} {rule.bounds}".rstrip() + unit
    names = {str: "text", bool: "true or false"}
    return names.get(kind) or getattr(kind, "expected", "a mapping")


def _members(kind: object) -> list[object]:
    return [member for member in typing.get_args(kind) if member is not types.NoneType] if is_union(kind) else [kind]


def json_schema(cls: type) -> dict[str, object]:
    """A JSON Schema (draft 2020-12) of a configuration class, with the field texts as descriptions."""
    from roqsim.config.jsonschema import object_schema

    return object_schema(cls)
