"""Handles whose world was replaced: whatever is asked of one is refused, at no cost to those that are current."""

from __future__ import annotations

from collections.abc import Callable, Collection

from roqsim.errors import StaleError
from roqsim.generation import Generation

REFUSAL = "_refusal"
"""The attribute of a retired handle that makes its error."""


class Retirement:
    """Retires the handles of one generation.

    A retired handle keeps its identity and what ``isinstance`` says of it, and lets go of everything that it held.

    Args:
        generation: What they belong to.
        current: Tells what is current when somebody asks a retired one; None where nothing is.
    """

    def __init__(self, generation: Generation, current: Callable[[], Generation | None]) -> None:
        self._generation, self._current = generation, current
        self._classes: dict[tuple[type, frozenset[str]], type] = {}

    def retire(self, handle: object, what: str, cure: str, keep: Collection[str] = ()) -> None:
        """Makes a handle refuse everything; from then on on every thread.

        Args:
            handle: An object with attributes of its own.
            what: How the error calls it, such as ``entity 'box'``.
            cure: What to do, such as where the current one is found.
            keep: The attributes that stay.
        """

        def refusal() -> StaleError:
            current = self._current()
            expected = f"one of {current}" if current is not None else "a running engine"
            return StaleError(f"{what}: expected {expected}, got one of {self._generation}; {cure}")

        kept = frozenset(keep)
        fields = vars(handle)
        fields[REFUSAL] = refusal
        fields["_told"] = f"<stale {what} of {self._generation}>"
        object.__setattr__(handle, "__class__", self._class_of(type(handle), kept))
        for name in [name for name in fields if name not in (*kept, REFUSAL, "_told")]:
            del fields[name]

    def _class_of(self, kind: type, kept: frozenset[str]) -> type:
        key = (kind, kept)
        if key not in self._classes:
            self._classes[key] = type(kind.__name__, (kind,), _refusing(kept))
        return self._classes[key]


def is_stale(handle: object) -> bool:
    """Whether a handle was retired."""
    return REFUSAL in getattr(handle, "__dict__", ())


def _refusing(kept: frozenset[str]) -> dict[str, object]:
    """The methods of a class whose objects refuse everything but some attributes."""

    def get(self: object, name: str) -> object:
        if name in kept or (name.startswith("__") and name.endswith("__")):
            return object.__getattribute__(self, name)
        raise object.__getattribute__(self, REFUSAL)()

    def refuse(self: object, *_: object) -> None:
        raise object.__getattribute__(self, REFUSAL)()

    return {
        "__getattribute__": get,
        "__setattr__": refuse,
        "__delattr__": refuse,
        "__repr__": lambda self: object.__getattribute__(self, "_told"),
        "__eq__": object.__eq__,
        "__hash__": object.__hash__,
    }
