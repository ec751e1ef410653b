"""Values of any kind as JSON can hold them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping

import numpy as np


def json_value(value: object, infinite: Callable[[float], object] = repr) -> object:
    """A value made of scalars, arrays, sequences, mappings and dataclasses; what else there is becomes its text.

    Args:
        value: The value.
        infinite: What becomes of NaN and the infinities, which JSON has no word for: their text by default.
    """
    if isinstance(value, np.ndarray | np.generic):
        return json_value(value.tolist(), infinite)
    if isinstance(value, float) and not math.isfinite(value):
        return infinite(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): json_value(each, infinite) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [json_value(each, infinite) for each in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: json_value(getattr(value, field.name), infinite) for field in dataclasses.fields(value)}
    return str(value)
