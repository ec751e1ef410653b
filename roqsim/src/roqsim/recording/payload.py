"""Payloads of endpoints as JSON and back: dataclasses by their fields, arrays as lists, every number exact."""

from __future__ import annotations

import dataclasses
import importlib
import math
import sys
from collections.abc import Mapping
from types import ModuleType

import numpy as np

CLASS = "$class"
"""The key that names the class of a nested dataclass, ``module:Class``."""

FLOAT = "$float"
"""The key of a number that JSON has no word for: NaN or an infinity."""

FILE_MODULE = "roqsim_file_"
"""What the name of a module begins with that the registry made of a plugin's file."""

VALUE = "value"
"""The type of a payload without fields, and the key that it stands under."""


def to_plain(payload: object) -> tuple[str, dict[str, object]]:
    """A payload as its type and its fields.

    Raises:
        TypeError: It holds something that is neither a plain value, an array nor a dataclass.
    """
    if dataclasses.is_dataclass(payload) and not isinstance(payload, type):
        return _class_name(type(payload)), _fields(payload)
    if isinstance(payload, Mapping):
        return "", {str(key): _plain(value) for key, value in payload.items()}
    return VALUE, {VALUE: _plain(payload)}


def from_plain(type_name: str, fields: Mapping[str, object]) -> object:
    """The payload of a type and its fields.

    Raises:
        ValueError: The class is not there or has other fields.
    """
    if type_name == VALUE:
        return _value(fields[VALUE])
    values = {key: _value(value) for key, value in fields.items()}
    return _made(type_name, values) if type_name else values


def _fields(payload: object) -> dict[str, object]:
    return {field.name: _plain(getattr(payload, field.name)) for field in dataclasses.fields(payload)}


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return {FLOAT: repr(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {CLASS: _class_name(type(value)), **_fields(value)}
    raise TypeError(f"expected plain data, an array or a dataclass, got {type(value).__name__}")


def _value(value: object) -> object:
    if isinstance(value, list):
        return [_value(each) for each in value]
    if isinstance(value, Mapping):
        if FLOAT in value:
            return float(value[FLOAT])
        values = {key: _value(each) for key, each in value.items() if key != CLASS}
        return _made(value[CLASS], values) if CLASS in value else values
    return value


def _class_name(kind: type) -> str:
    module = kind.__module__
    # The module of a plugin's file has the file's age in its name, which a copy of the file does not share.
    return f"{module.rpartition('_')[0] if module.startswith(FILE_MODULE) else module}:{kind.__qualname__}"


def _file_module(name: str) -> ModuleType:
    """The module of a plugin's file that was loaded last under a name."""
    loaded = [module for key, module in sys.modules.items() if key.rpartition("_")[0] == name]
    if not loaded:
        raise ImportError(name)
    return loaded[-1]


def _made(name: str, values: dict[str, object]) -> object:
    """An instance of a dataclass; only classes of that kind are ever made from a file."""
    module, _, path = name.partition(":")
    try:
        found: object = _file_module(module) if module.startswith(FILE_MODULE) else importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"expected a class that can be imported, got {name!r}") from error
    if not isinstance(found, type) or not dataclasses.is_dataclass(found):
        raise ValueError(f"expected the name of a dataclass, got {name!r}")
    typed = {field.name: str(field.type) for field in dataclasses.fields(found)}
    try:
        return found(**{key: _as_annotated(value, typed.get(key, "")) for key, value in values.items()})
    except TypeError as error:
        raise ValueError(f"expected the fields of {name!r}, got {', '.join(values)}") from error


def _as_annotated(value: object, annotation: str) -> object:
    """A list as the array or tuple that a field says it holds."""
    if not isinstance(value, list):
        return value
    if "ndarray" in annotation:
        return np.array(value)
    return tuple(value) if annotation.startswith(("tuple", "Vector", "Quaternion")) else value
