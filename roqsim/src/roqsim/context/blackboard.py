"""The store through which plugins cooperate without importing each other."""

from __future__ import annotations

from typing import TypeVar

from roqsim.errors import NotFoundError, suggest

Value = TypeVar("Value")


class Blackboard:
    """Values under keys of the form ``<kind>:<name>``, such as ``robot:alice``."""

    def __init__(self) -> None:
        self._values: dict[str, object] = {}

    def set(self, key: str, value: object) -> None:
        """Stores a value; a later one under the same key replaces it."""
        self._values[key] = value

    def get(self, key: str, default: object = None) -> object:
        """The value under a key, or the default."""
        return self._values.get(key, default)

    def require(self, key: str, kind: type[Value] = object) -> Value:
        """The value under a key that has to be there.

        Args:
            key: The key, such as ``robot:alice``.
            kind: The class the value must have.

        Raises:
            NotFoundError: If nothing is stored there, or something of another class.
        """
        if key not in self._values:
            raise NotFoundError(
                f"blackboard: expected something under {key!r}, got nothing; {suggest(key, self._values)}"
            )
        value = self._values[key]
        if not isinstance(value, kind):
            raise NotFoundError(f"blackboard: expected {kind.__name__!r} under {key!r}, got {type(value).__name__!r}")
        return value

    def keys(self) -> list[str]:
        """Every key, sorted."""
        return sorted(self._values)

    def items(self) -> list[tuple[str, object]]:
        """Every key with its value, sorted by key."""
        return sorted(self._values.items(), key=lambda item: item[0])

    def __contains__(self, key: str) -> bool:
        return key in self._values
