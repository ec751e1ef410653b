"""How a configuration class declares its fields: rules beside the type, documentation under the field."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import math
import sys
import textwrap
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_METADATA = "roqsim"


@dataclass(frozen=True)
class Rule:
    """What a value must satisfy beside its type; for a list or a mapping, each of its elements.

    Attributes:
        ge: Least value allowed.
        gt: Value that must be exceeded.
        le: Greatest value allowed.
        lt: Value that must not be reached.
        unit: The unit as documentation shows it, such as ``m/s``.
        choices: The values allowed; any where empty.
        length: Number of elements, or the least and the greatest number.
        finite: Whether NaN and infinities are refused.
        empty: Whether a text may be empty.
    """

    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    unit: str = ""
    choices: tuple[object, ...] = ()
    length: int | tuple[int, int] | None = None
    finite: bool = True
    empty: bool = False

    @property
    def bounds(self) -> str:
        """The bounds as text, such as ``>= 0 and < 1``."""
        pairs = {">=": self.ge, ">": self.gt, "<=": self.le, "<": self.lt}
        stated = ((sign, bound) for sign, bound in pairs.items() if bound is not None)
        return " and ".join(
            f"{sign} {bound if isinstance(bound, int) else format(bound, 'g')}" for sign, bound in stated
        )

    def allows(self, number: float) -> bool:
        """Whether a number keeps the bounds; NaN and infinities only where they are allowed."""
        if isinstance(number, float) and not math.isfinite(number):
            if self.finite:
                return False
            if math.isnan(number):
                return True
        return (
            (self.ge is None or number >= self.ge)
            and (self.gt is None or number > self.gt)
            and (self.le is None or number <= self.le)
            and (self.lt is None or number < self.lt)
        )

    def length_text(self) -> str:
        """The number of elements as text; empty where any number is allowed."""
        if self.length is None:
            return ""
        return str(self.length) if isinstance(self.length, int) else f"{self.length[0]} to {self.length[1]}"

    def allows_length(self, count: int) -> bool:
        """Whether a list may have that many elements."""
        if self.length is None:
            return True
        least, most = (self.length, self.length) if isinstance(self.length, int) else self.length
        return least <= count <= most


FREE = Rule()
"""The rule that only asks for finite numbers."""


def need(
    *,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    unit: str = "",
    choices: Sequence[object] = (),
    length: int | tuple[int, int] | None = None,
    finite: bool = True,
    empty: bool = False,
) -> typing.Any:
    """Declares a field that a document must state; the arguments are those of ``Rule``."""
    rule = Rule(ge, gt, le, lt, unit, tuple(choices), length, finite, empty)
    return dataclasses.field(metadata={_METADATA: rule})


def opt(
    default: object = None,
    *,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    unit: str = "",
    choices: Sequence[object] = (),
    length: int | tuple[int, int] | None = None,
    finite: bool = True,
    empty: bool = False,
    factory: Callable[[], object] | None = None,
) -> typing.Any:
    """Declares a field with a default.

    Args:
        default: The value of a document that says nothing.
        ge: These and the other arguments are those of ``Rule``.
        gt: See ``Rule``.
        le: See ``Rule``.
        lt: See ``Rule``.
        unit: See ``Rule``.
        choices: See ``Rule``.
        length: See ``Rule``.
        finite: See ``Rule``.
        empty: See ``Rule``.
        factory: Makes the default instead, for one that is not immutable.
    """
    metadata = {_METADATA: Rule(ge, gt, le, lt, unit, tuple(choices), length, finite, empty)}
    if factory is not None:
        return dataclasses.field(default_factory=factory, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True)
class FieldInfo:
    """One field of a configuration class, as the reader and the generated reference see it.

    Attributes:
        name: The key in a document.
        type: The resolved type.
        required: Whether a document must state it.
        default: The value otherwise; None for a required field.
        rule: What a value must satisfy.
        doc: The text under the field, on one line.
    """

    name: str
    type: object
    required: bool
    default: object
    rule: Rule
    owner: type

    @property
    def bounds(self) -> str:
        """The bounds as text."""
        return self.rule.bounds

    @property
    def unit(self) -> str:
        """The unit of the value."""
        return self.rule.unit

    @property
    def choices(self) -> tuple[object, ...]:
        """The values allowed, also where the type lists them; empty where any is."""
        return self.rule.choices or literals(self.type)

    @property
    def doc(self) -> str:
        """The text under the field, read from the source on demand."""
        for cls in self.owner.__mro__:
            if text := _docs(cls).get(self.name):
                return text
        return ""


@functools.cache
def fields_of(cls: type) -> tuple[FieldInfo, ...]:
    """The fields of a configuration class, in order.

    Raises:
        TypeError: for what is no dataclass.
    """
    if not dataclasses.is_dataclass(cls):
        raise TypeError(f"{cls.__qualname__} is no dataclass, so it declares no fields")
    hints = typing.get_type_hints(cls, localns=_enclosing_names(cls))
    found = []
    for field in dataclasses.fields(cls):
        if not field.init:
            continue
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        default = None if required else _default(field)
        rule = field.metadata.get(_METADATA, FREE)
        found.append(FieldInfo(field.name, hints[field.name], required, default, rule, cls))
    return tuple(found)


def _default(field: dataclasses.Field) -> object:
    return field.default if field.default is not dataclasses.MISSING else field.default_factory()


def _enclosing_names(cls: type) -> dict[str, object]:
    """The nested classes of a class, so that annotations can name them."""
    return {name: value for name, value in vars(cls).items() if isinstance(value, type)}


def literals(kind: object) -> tuple[object, ...]:
    """The values of a ``Literal``, also inside a union; empty for another type."""
    if typing.get_origin(kind) is typing.Literal:
        return typing.get_args(kind)
    if is_union(kind):
        return tuple(value for member in typing.get_args(kind) for value in literals(member))
    return ()


def is_union(kind: object) -> bool:
    """Whether a type is ``X | Y``."""
    return typing.get_origin(kind) in (typing.Union, types.UnionType)


@functools.cache
def _docs(cls: type) -> dict[str, str]:
    tree = _module_tree(cls.__module__)
    scope: object = tree
    for part in cls.__qualname__.split("."):
        body = getattr(scope, "body", [])
        nodes = [node for node in body if getattr(node, "name", None) == part]
        if not nodes:
            return _docs_of_source(cls)
        scope = nodes[-1]
    return _field_docs(scope)


def _docs_of_source(cls: type) -> dict[str, str]:
    """The texts of a class that is made inside a function."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError, SyntaxError):
        return {}
    return _field_docs(tree.body[0])


@functools.cache
def _module_tree(name: str) -> ast.Module | None:
    module = sys.modules.get(name)
    try:
        return ast.parse(inspect.getsource(module)) if module is not None else None
    except (OSError, TypeError, SyntaxError):
        return None


def _field_docs(scope: object) -> dict[str, str]:
    docs: dict[str, str] = {}
    body = getattr(scope, "body", [])
    for node, following in zip(body, body[1:], strict=False):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        value = getattr(following, "value", None)
        if isinstance(following, ast.Expr) and isinstance(value, ast.Constant) and isinstance(value.value, str):
            docs[node.target.id] = " ".join(inspect.cleandoc(value.value).split())
    return docs
