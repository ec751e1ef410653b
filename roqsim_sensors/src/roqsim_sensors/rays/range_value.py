"""What a range sensor reports where it has no distance to report."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from roqsim.config.nodes import Node
from roqsim.errors import ConfigError, Problem

NAMED = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf, "nan": math.nan}
"""Values that YAML spells with a dot (``.inf``) and people without."""

RAW = "raw"
LIMIT = "max"


@dataclass(frozen=True)
class RangeValue:
    """A number, the far limit with something added to it, or the distance as it is.

    Attributes:
        number: Metres, or one of inf, -inf and NaN; what is added where ``above_limit`` is set.
        above_limit: Whether the number is added to the sensor's far limit.
        is_raw: Whether the distance is reported as it was measured.
    """

    number: float = math.inf
    above_limit: bool = False
    is_raw: bool = False

    expected: ClassVar[str] = "metres, inf, -inf, nan, max, max+metres or raw"

    @classmethod
    def from_node(cls, node: Node, where: str) -> RangeValue:
        """Reads a number (``.inf`` and ``.nan`` too), ``inf``, ``-inf``, ``nan``, ``raw``, ``max`` or ``max+0.5``.

        Raises:
            ConfigError: If it is anything else.
        """
        value = node.value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return cls(float(value))
        text = value.strip().lower() if isinstance(value, str) else ""
        if text in NAMED:
            return cls(NAMED[text])
        if text == RAW:
            return cls(math.nan, is_raw=True)
        if text.startswith(LIMIT):
            added = _added(text.removeprefix(LIMIT).replace(" ", ""))
            if added is not None:
                return cls(added, above_limit=True)
        raise ConfigError(Problem(where, cls.expected, node.shown(), node.origin))

    @staticmethod
    def json_schema() -> dict[str, object]:
        """The JSON Schema of what ``from_node`` reads."""
        words = "|".join(["[+-]?inf", "nan", RAW, rf"{LIMIT}( *\+ *[0-9.eE-]+)?"])
        return {"anyOf": [{"type": "number"}, {"type": "string", "pattern": f"^({words})$"}]}

    def resolve(self, range_max: float) -> float:
        """The number to report in metres; NaN for ``raw``, which reports the distance instead."""
        return range_max + self.number if self.above_limit else self.number

    def __str__(self) -> str:
        if self.is_raw:
            return RAW
        if self.above_limit:
            return f"{LIMIT}+{self.number:g}" if self.number else LIMIT
        return f"{self.number:g}"


def _added(text: str) -> float | None:
    """What a text such as ``+0.5`` adds, 0 for an empty one, None for any other."""
    if not text:
        return 0.0
    try:
        number = float(text)
    except ValueError:
        return None
    return number if text.startswith("+") and math.isfinite(number) else None
