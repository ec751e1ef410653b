"""YAML text as PyYAML's node graph, with the meaning of unquoted scalars left to YAML 1.2's core schema."""

from __future__ import annotations

import re

import yaml

_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"(?P<sign>[-+]?)\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
PLAIN = "roqsim:plain"
TAG = "tag:yaml.org,2002:"

_HINTS = {
    "mapping values are not allowed": "put quotes around a text that contains ': ', or correct the indentation",
    "could not find expected ':'": "end the key with a colon and a space",
    "cannot start any token": "put quotes around the text; indent with spaces, not tabs",
    "expected <block end>": "give this line the indentation of its neighbours",
    "found undefined alias": "define the anchor with & before its use with *",
    "expected ',' or": "close the bracket",
    "unexpected end of stream": "close the quote or the bracket",
    "expected the node content": "close the bracket, or write a value",
    "special characters are not allowed": "remove the control character",
}


class _PlainResolver:
    """Marks plain scalars instead of giving them YAML 1.1 types."""

    def resolve(self, kind: type, value: object, implicit: object) -> str:
        if kind is yaml.ScalarNode:
            return PLAIN if implicit[0] else TAG + "str"
        return TAG + ("seq" if kind is yaml.SequenceNode else "map")

    def descend_resolver(self, current: object, index: object) -> None:
        """Does nothing: no tag depends on the path."""

    def ascend_resolver(self) -> None:
        """Does nothing, likewise."""


class _PythonComposer(
    _PlainResolver, yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser, yaml.composer.Composer
):
    def __init__(self, text: str) -> None:
        yaml.reader.Reader.__init__(self, text)
        yaml.scanner.Scanner.__init__(self)
        yaml.parser.Parser.__init__(self)
        yaml.composer.Composer.__init__(self)


def compose(text: str) -> yaml.Node | None:
    """The node graph, by libyaml where PyYAML has it; the Python parser words the errors, so they never vary."""
    if yaml.__with_libyaml__ and len(text) > 2000:
        try:
            return _native_composer()(text).get_single_node()
        except yaml.YAMLError:
            pass
    return _PythonComposer(text).get_single_node()


def _native_composer() -> type:
    global _NativeComposer
    if _NativeComposer is None:
        _NativeComposer = type("_NativeComposer", (_PlainResolver, yaml.cyaml.CParser), {})
    return _NativeComposer


_NativeComposer: type | None = None


def syntax_hint(message: str) -> str:
    """What to do about a syntax error, by the parser's message; empty where nothing helps."""
    return next((hint for start, hint in _HINTS.items() if start in message), "")


def plain_scalar(text: str) -> object:
    """What an unquoted scalar means by YAML 1.2's core schema: None, bool, int, float, else the text itself."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INT.fullmatch(text):
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
    if _FLOAT.fullmatch(text):
        return float(text)
    special = _SPECIAL.fullmatch(text)
    if special is None:
        return text
    return float("nan") if special["sign"] is None else float(special["sign"] + "inf")
