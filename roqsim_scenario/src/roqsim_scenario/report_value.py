"""One value of a report: found by ``<report>.<field>``, as a plain Python value."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np
from roqsim.config.nodes import load_value
from roqsim.context import Endpoint, SimContext
from roqsim.context.payload_field import split_field, value_in
from roqsim.errors import ConfigError, RoqsimError

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
        value: ``<report>.<field>``, where a field may go on: ``.force.x``; see ``roqsim.context.payload_field``.

    Raises:
        NotFoundError: If there is no such report.
        RoqsimError: If no field is named.
    """

    def __init__(self, ctx: SimContext, entity: str, value: str) -> None:
        report, dot, field = value.partition(".")
        if not dot or not field:
            raise RoqsimError(f"value: expected '<report>.<field>', got {value!r}")
        self._endpoint: Endpoint = find_port(ctx, entity, report, "out")
        self._report, self._field = report, split_field(field)

    def read(self) -> object | None:
        """The value now; None while there is no report.

        Raises:
            NotFoundError: If the report has no such field.
        """
        return _plain(value_in(self._endpoint.read(), self._field, self._report))


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


def _plain(value: object) -> object:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
