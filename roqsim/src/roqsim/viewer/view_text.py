"""A world's text with another ``sim.view`` in it: comments, order and layout of everything else stay as they are.

The text is parsed for the places of its nodes and edited there. The result is parsed again and has to mean the same as
before but for the view; where it does not (a shared anchor, an unusual layout), the edit is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import yaml

from roqsim.config.nodes import Node, loads
from roqsim.errors import ConfigError, RoqsimError

PLAIN_TEXT = re.compile(r"[A-Za-z_][\w.-]*")
CONSTANTS = {"null", "true", "false", "yes", "no", "on", "off"}

Edit = tuple[int, int, str]
"""The places where a piece of the text begins and ends, and what stands there instead."""


def with_view(text: str, view: Mapping[str, object], source: str = "world.yaml") -> str:
    """The text of a world in which ``sim.view`` says what is given; keys of it that are not given stay.

    Args:
        text: A world document; an empty one will do.
        view: Values by key: numbers, texts, booleans, lists of numbers, None.
        source: What errors call the file.

    Raises:
        RoqsimError: If the text can not be edited without changing something else.
    """
    try:
        before = loads(text, source)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (ConfigError, yaml.YAMLError) as error:
        raise RoqsimError(f"{source}: expected a world as YAML, got {str(error)!r}") from None
    edited, done = "", 0
    for start, end, piece in sorted(_edits(text, root, view), key=lambda edit: edit[0]):
        edited += text[done:start] + piece
        done = end
    edited += text[done:]
    if not _means(edited, _expected(before, view), source):
        line = "view: " + _flow(view)
        raise RoqsimError(f"{source}: expected a sim block that can be edited in place; write into it: {line}")
    return edited


def _expected(before: Node, view: Mapping[str, object]) -> dict[str, object]:
    """What the edited document has to mean."""
    document = dict(before.plain() or {})
    sim = dict(document.get("sim") or {})
    return {**document, "sim": {**sim, "view": {**(sim.get("view") or {}), **view}}}


def _means(text: str, wanted: dict[str, object], source: str) -> bool:
    try:
        return loads(text, source).plain() == wanted
    except ConfigError:
        return False


def _edits(text: str, root: yaml.Node | None, view: Mapping[str, object]) -> list[Edit]:
    """The edits that bring the view in at the deepest level that is there already."""
    if root is None or not isinstance(root, yaml.MappingNode):
        return [_append(text, {"sim": {"view": view}})]
    sim_key, sim = _entry(root, "sim")
    if sim_key is None:
        return [_add(text, root, {"sim": {"view": view}}, 2)]
    if not isinstance(sim, yaml.MappingNode):
        return [_fill(text, sim_key, sim, {"view": view}, 2)]
    view_key, old = _entry(sim, "view")
    step = _step(sim_key, sim)
    if view_key is None:
        return [_add(text, sim, {"view": view}, step)]
    if not isinstance(old, yaml.MappingNode):
        return [_fill(text, view_key, old, view, step)]
    return _merge(text, old, view)


def _merge(text: str, old: yaml.MappingNode, view: Mapping[str, object]) -> list[Edit]:
    """Values in the place of those that are there, and the others behind them."""
    edits: list[Edit] = []
    missing: dict[str, object] = {}
    for key, value in view.items():
        found, node = _entry(old, key)
        if found is None:
            missing[key] = value
        else:
            edits += _exchange(text, found, node, value)
    return [*edits, _add(text, old, missing, 2)] if missing else edits


def _exchange(text: str, key: yaml.Node, node: yaml.Node, value: object) -> list[Edit]:
    """A value in the place of another; a list of the same length is exchanged item by item, with its comments."""
    is_list = isinstance(node, yaml.SequenceNode) and isinstance(value, list | tuple)
    if is_list and len(node.value) == len(value):
        return [edit for item, new in zip(node.value, value, strict=True) for edit in _exchange(text, key, item, new)]
    start, end = node.start_mark.index, _end(node)
    return [(start, end, (_gap(text, key, start) if start == end else "") + _flow(value))]


def _fill(text: str, key: yaml.Node, node: yaml.Node, content: Mapping[str, object], step: int) -> Edit:
    """A mapping in the place of an empty value, or of something that is none."""
    start, end = node.start_mark.index, _end(node)
    if start == end and not _is_inside_flow(text, node):
        line_end = _line_end(text, key.end_mark.index)
        block = _block(content, key.start_mark.column + step, step)
        return (line_end, line_end, _newline(text) + _newline(text).join(block))
    return (start, end, _gap(text, key, start) + _flow(content))


def _add(text: str, mapping: yaml.MappingNode, content: Mapping[str, object], step: int) -> Edit:
    """Further keys at the end of a mapping, in its own style."""
    if mapping.flow_style:
        inside = _flow(content)[1:-1]
        if not mapping.value:
            place = mapping.end_mark.index - 1
            return (place, place, inside)
        place = _end(mapping.value[-1][1])
        return (place, place, ", " + inside)
    first = mapping.value[0][0]
    place = _line_end(text, _end(mapping.value[-1][1]))
    lines = _block(content, first.start_mark.column, step)
    return (place, place, _newline(text) + _newline(text).join(lines))


def _append(text: str, content: Mapping[str, object]) -> Edit:
    """Keys behind a text that holds none."""
    newline = _newline(text)
    start = "" if not text or text.endswith("\n") else newline
    return (len(text), len(text), start + newline.join(_block(content, 0, 2)) + newline)


# Places


def _entry(mapping: yaml.MappingNode, name: str) -> tuple[yaml.Node | None, yaml.Node | None]:
    return next(((key, value) for key, value in mapping.value if key.value == name), (None, None))


def _end(node: yaml.Node) -> int:
    """Where the last thing of a node ends; PyYAML counts the comments behind a block as part of it."""
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        return node.end_mark.index - 1
    if isinstance(node, yaml.ScalarNode) or node.flow_style or not node.value:
        return node.end_mark.index
    last = node.value[-1]
    return _end(last[1] if isinstance(node, yaml.MappingNode) else last)


def _is_inside_flow(text: str, node: yaml.Node) -> bool:
    """Whether a bracket or a comma, rather than the end of a line or a comment, follows an empty value."""
    return text[node.start_mark.index :].lstrip(" ")[:1] in ("}", ",", "]")


def _gap(text: str, key: yaml.Node, start: int) -> str:
    """What lacks between a key and a value that is written where there was none."""
    between = text[key.end_mark.index : start]
    return ": " if ":" not in between else " " if between.endswith(":") else ""


def _line_end(text: str, place: int) -> int:
    found = text.find("\n", place)
    if found < 0:
        return len(text)
    return found - 1 if text[found - 1 : found] == "\r" else found


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _step(key: yaml.Node, mapping: yaml.MappingNode) -> int:
    """How far a block mapping is indented below its key."""
    if mapping.flow_style or not mapping.value:
        return 2
    return mapping.value[0][0].start_mark.column - key.start_mark.column


# Pieces


def _block(content: Mapping[str, object], indent: int, step: int) -> list[str]:
    """Lines of block style."""
    lines = []
    for key, value in content.items():
        if isinstance(value, Mapping):
            lines += [" " * indent + f"{key}:", *_block(value, indent + step, step)]
        else:
            lines.append(" " * indent + f"{key}: {_flow(value)}")
    return lines


def _flow(value: object) -> str:
    """A value in flow style."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(each) for each in value) + "]"
    if isinstance(value, str) and PLAIN_TEXT.fullmatch(value) and value.lower() not in CONSTANTS:
        return value
    return json.dumps(value, ensure_ascii=False)
