"""What a scenario sends to a component: values of a text, in the two ways in which components take them."""

from __future__ import annotations

from roqsim.config.nodes import load_value
from roqsim.errors import ConfigError, RoqsimError


class Values(dict):
    """A mapping whose entries are attributes too: components take mappings or objects with fields."""

    def __getattr__(self, name: str) -> object:
        """An entry.

        Raises:
            AttributeError: If there is none.
        """
        if name in self:
            return self[name]
        raise AttributeError(f"expected a value with {name!r}, got {dict(self)!r}")


def payload(text: str) -> object:
    """The value that a text states in JSON or in YAML; None for an empty one.

    Raises:
        RoqsimError: If it states none.
    """
    try:
        return _with_attributes(load_value(text, "value").plain())
    except ConfigError as error:
        raise RoqsimError(f"value: expected JSON, got {text!r}: {error}") from None


def _with_attributes(value: object) -> object:
    if isinstance(value, dict):
        return Values((key, _with_attributes(each)) for key, each in value.items())
    return [_with_attributes(each) for each in value] if isinstance(value, list) else value
