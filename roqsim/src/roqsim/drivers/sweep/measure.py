"""What is read off a running world: numbers by ``OWNER/ENDPOINT.FIELD``, and conditions on them."""

from __future__ import annotations

import dataclasses
import operator
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from roqsim.config.nodes import load_value
from roqsim.context import Endpoint, SimContext
from roqsim.context.payload_field import members_of, split_field, value_in
from roqsim.errors import ConfigError, Message, NotFoundError

Scalar = bool | int | float | str | None

OPERATORS: Mapping[str, Callable[[object, object], bool]] = MappingProxyType(
    {"<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt}
)

WAYS = ("last", "first", "min", "max", "mean")
"""How the values of a run become one."""

ORDERED = ("<=", ">=", "<", ">")


@dataclasses.dataclass(frozen=True)
class Reading:
    """A number, text or truth value in the payload of an endpoint.

    Attributes:
        path: The endpoint, as ``owner/name``.
        field: The value in its payload, named as ``roqsim.context.payload_field`` says.
        option: The option that named it; errors begin with it.
    """

    path: str
    field: str
    option: str = dataclasses.field(default="", compare=False)

    @classmethod
    def parse(cls, text: str, option: str) -> Reading:
        """Reads ``owner/name.field``; what follows the first dot behind the last slash is the field.

        Raises:
            ConfigError: If no field is named.
        """
        owner, slash, rest = text.strip().rpartition("/")
        name, _, way = rest.partition(".")
        if not name or not way:
            raise ConfigError(
                Message(
                    f"{option}: expected OWNER/ENDPOINT.FIELD, such as robot/odom.x, got {text!r}",
                    hint="'roqsim scenes describe' and the summary of a run list the endpoints",
                )
            )
        return cls(f"{owner}{slash}{name}", way, option)

    def __str__(self) -> str:
        return f"{self.path}.{self.field}"

    def endpoint(self, ctx: SimContext) -> Endpoint:
        """The endpoint in a world.

        Raises:
            NotFoundError: If there is none.
        """
        owner, _, name = self.path.rpartition("/")
        try:
            return ctx.interface.get(owner, name, "out")
        except NotFoundError as error:
            raise NotFoundError(f"{self.option}: {error}") from None

    def of(self, payload: object) -> Scalar:
        """The value in a payload; None where there is no payload.

        Raises:
            NotFoundError: If the payload has no such field, or what is there is no single value.
        """
        value = value_in(payload, split_field(self.field), f"{self.option} {self.path}".strip())
        if isinstance(value, np.generic):
            value = value.item()
        if value is not None and not isinstance(value, bool | int | float | str):
            raise NotFoundError(
                f"{self.option} {self}: expected a single value, got {_shape(value)}; {members_of(value)}"
            )
        return value


def _shape(value: object) -> str:
    return f"a {type(value).__name__}" + (f" of shape {value.shape}" if isinstance(value, np.ndarray) else "")


@dataclasses.dataclass(frozen=True)
class Measure:
    """One column of the results.

    Attributes:
        reading: Where the values come from.
        way: How the values of a run become one: ``last``, ``first``, ``min``, ``max`` or ``mean`` over the due ticks.
    """

    reading: Reading
    way: str = "last"

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Reads ``OWNER/ENDPOINT.FIELD`` or ``OWNER/ENDPOINT.FIELD:WAY``.

        Raises:
            ConfigError: If it is something else.
        """
        path, colon, way = text.rpartition(":")
        if not colon:
            return cls(Reading.parse(text, "--measure"))
        if way not in WAYS:
            raise ConfigError(f"--measure {text}: expected one of {', '.join(WAYS)} behind the colon, got {way!r}")
        return cls(Reading.parse(path, "--measure"), way)

    def __str__(self) -> str:
        return str(self.reading) if self.way == "last" else f"{self.reading}:{self.way}"

    def of(self, values: Tally) -> Scalar:
        """The column's value."""
        return values.result(self.way)


class Tally:
    """The values of one reading over a run, as far as a result needs them."""

    def __init__(self) -> None:
        self.first: Scalar = None
        self.last: Scalar = None
        self._least: Scalar = None
        self._most: Scalar = None
        self._sum, self._count = 0.0, 0

    def add(self, value: Scalar) -> None:
        """Takes one more value; None counts as no value."""
        if value is None:
            return
        if self.first is None:
            self.first = self._least = self._most = value
        self.last = value
        self._count += 1
        if not isinstance(value, str):
            self._least, self._most = min(self._least, value), max(self._most, value)
            self._sum += value

    def result(self, way: str) -> Scalar:
        """One value for all of them; None where there was none."""
        if way == "mean":
            return self._sum / self._count if self._count and not isinstance(self.last, str) else None
        return {"first": self.first, "last": self.last, "min": self._least, "max": self._most}[way]


@dataclasses.dataclass(frozen=True)
class Condition:
    """Something that a value can come to.

    Attributes:
        reading: The value.
        sign: How it is compared.
        bound: With what.
    """

    reading: Reading
    sign: str
    bound: Scalar

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Reads ``OWNER/ENDPOINT.FIELD SIGN VALUE``, such as ``robot/odom.x >= 2``.

        Raises:
            ConfigError: If it is something else.
        """
        match = re.fullmatch(r"\s*([^<>=!]+?)\s*(<=|>=|==|!=|<|>)\s*(.+?)\s*", text)
        if match is None:
            raise ConfigError(f"--until: expected a condition such as 'robot/odom.x >= 2', got {text!r}")
        path, sign, bound = match.groups()
        value = load_value(bound, f"--until {text}").plain()
        if not isinstance(value, bool | int | float | str) or (sign in ORDERED and isinstance(value, str)):
            raise ConfigError(f"--until {text}: expected {sign} to stand before a number, got {bound!r}")
        return cls(Reading.parse(path, "--until"), sign, value)

    def __str__(self) -> str:
        return f"{self.reading} {self.sign} {self.bound}"

    def holds(self, value: Scalar) -> bool:
        """Whether a value fulfils it; no value does not."""
        if value is None or isinstance(value, str) != isinstance(self.bound, str):
            return False
        return OPERATORS[self.sign](value, self.bound)
