"""What an ``in`` endpoint is given: an instance of its command class, or a mapping of the same fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from roqsim.config.nodes import Origin, from_plain
from roqsim.config.schema import read

Command = TypeVar("Command")


def command_value(cls: type[Command], payload: object, where: str) -> Command:
    """Reads a command with all the rules of its class, however it came.

    Args:
        cls: A dataclass whose fields use ``need`` and ``opt``.
        payload: An instance of it, or a mapping with its fields; arrays are welcome.
        where: The endpoint; errors begin with it.

    Raises:
        ConfigError: If the payload breaks a rule of the class; it holds every mistake.
    """
    if isinstance(payload, cls):
        payload = {field.name: getattr(payload, field.name) for field in dataclasses.fields(payload)}
    plain = _plain(payload)
    return read(cls, from_plain(plain, Origin("command", None)), where)


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
