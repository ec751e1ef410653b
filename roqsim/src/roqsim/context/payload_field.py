"""Values in a payload by their names: ``twist.linear.x``, ``ranges[12]``, ``touches.0.entity``.

Tables of payloads, the measures of a sweep and the actions of a scenario all name them in this way.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass

import numpy as np

from roqsim.errors import NotFoundError, suggest

AXES = {3: "xyz", 4: "wxyz"}
"""What the numbers of a vector and of a quaternion are called."""


@functools.cache
def split_field(text: str) -> tuple[str, ...]:
    """The parts of a name.

    >>> split_field("twist.linear.x"), split_field("pose_covariance[0,5]")
    (('twist', 'linear', 'x'), ('pose_covariance', '0', '5'))
    """
    return tuple(re.sub(r"\[([^\]]*)\]", lambda match: "." + match[1].replace(",", "."), text).split("."))


def value_in(payload: object, parts: Sequence[str], where: str) -> object:
    """The value that a name leads to in a payload; None where there is none on the way.

    Args:
        payload: What an endpoint gave.
        parts: The name, from ``split_field``. A part is a field, a key, an index, or the axis of a vector of three or
            of a quaternion of four numbers.
        where: What the payload belongs to; an error begins with it.

    Raises:
        NotFoundError: There is no such value.
    """
    value = payload
    for depth, part in enumerate(parts):
        if value is None:
            return None
        value = _member(value, part, ".".join((where, *parts[:depth])))
    return value


def members_of(value: object, wanted: str = "") -> str:
    """What can be named in a value, for an error: the nearest to what was wanted, or what there is."""
    if isinstance(value, Mapping):
        return suggest(wanted, [str(key) for key in value])
    if is_dataclass(value):
        return suggest(wanted, [*(each.name for each in fields(value)), *_properties(value)])
    if _is_row(value):
        return f"it has {len(value)} elements, counted from 0"
    return "it is a single value"


def _member(value: object, part: str, where: str) -> object:
    if isinstance(value, Mapping) and part in value:
        return value[part]
    if _is_row(value):
        axes = AXES.get(len(value), "")
        index = axes.find(part) if len(part) == 1 and part in axes else _index(part)
        if index is not None and -len(value) <= index < len(value):
            return value[index]
    elif part in _properties(value) or (is_dataclass(value) and part in {each.name for each in fields(value)}):
        return getattr(value, part)
    raise NotFoundError(f"{where}: expected one of its fields, got {part!r}; {members_of(value, part)}")


def _is_row(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _index(part: str) -> int | None:
    return int(part) if re.fullmatch(r"-?\d+", part) else None


def _properties(value: object) -> list[str]:
    kind = type(value)
    return [name for name in dir(kind) if not name.startswith("_") and isinstance(getattr(kind, name), property)]
