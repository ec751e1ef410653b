"""Values of documents and configurations as JSON can hold them."""

from __future__ import annotations

import math
from collections.abc import Mapping


def as_json(value: object) -> object:
    """A value made of mappings, lists and scalars; numbers that JSON lacks become their texts, anything else None."""
    if isinstance(value, Mapping):
        return {str(key): as_json(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value if isinstance(value, bool | int | float | str) else None
