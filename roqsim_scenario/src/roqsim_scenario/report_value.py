"""One value of a report: found by ``<report>.<field>``, as a plain Python value."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass

import numpy as np
from roqsim.config.nodes import load_value
from roqsim.context import Endpoint, SimContext
from roqsim.errors import ConfigError, NotFoundError, RoqsimError, suggest

from roqsim_scenario.ports import find_port

OPERATORS: dict[str, Callable[[object, object], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class ReportValue:
    """A value that a component publishes about an entity.

    Args:
        ctx: The simulation.
        entity: The name of an entity, or the address of a component.
        value: ``<report>.<field>``, where a field may go on: ``.force.0``.

    Raises:
        NotFoundError: If there is no such report.
        RoqsimError: If no field is named.
    """

    def __init__(self, ctx: SimContext, entity: str, value: str) -> None:
        report, dot, field = value.partition(".")
        if not dot or not field:
            raise RoqsimError(f"value: expected '<report>.<field>', got {value!r}")
        self._endpoint: Endpoint = find_port(ctx, entity, report, "out")
        self._path = field.split(".")

    def read(self) -> object | None:
        """The value now; None while there is no report.

        Raises:
            NotFoundError: If the report has no such field.
        """
        found = self._endpoint.read()
        if found is None:
            return None
        for key in self._path:
            found = _member(found, key)
        return _plain(found)


def comparison(name: str) -> Callable[[object, object], bool]:
    """The comparison that an operator stands for.

    Raises:
        RoqsimError: If it is none.
    """
    if name not in OPERATORS:
        raise RoqsimError(f"operator: expected {', '.join(OPERATORS)}, got {name!r}")
    return OPERATORS[name]


def from_json(text: str) -> object:
    """The value that a text states as JSON, else the text."""
    try:
        return load_value(text, "expected").plain()
    except ConfigError:
        return text


def _member(value: object, key: str) -> object:
    """A field of a payload, an entry of a mapping, or an element of a sequence.

    Raises:
        NotFoundError: If there is none.
    """
    if isinstance(value, Mapping):
        names = list(value)
        if key in value:
            return value[key]
    elif isinstance(value, np.ndarray | Sequence) and not isinstance(value, str | bytes):
        names = [str(index) for index in range(len(value))]
        if key in names:
            return value[int(key)]
    else:
        names = [each.name for each in fields(value)] if is_dataclass(value) else []
        names += [name for name in dir(type(value)) if isinstance(getattr(type(value), name), property)]
        if key in names:
            return getattr(value, key)
    raise NotFoundError(f"expected a field of the report, got {key!r}; {suggest(key, map(str, names))}")


def _plain(value: object) -> object:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
