"""A sensor's payload as a row of numbers and texts. Pure functions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from numbers import Integral, Real
from types import MappingProxyType

import numpy as np

from roqsim.analysis.table import Cell
from roqsim.context.payload_field import AXES
from roqsim.json_value import json_value

MOST = 4096
"""The most numbers of one array that become columns."""


UNITS = MappingProxyType(
    {
        **dict.fromkeys(
            ("ranges", "range", "range_min", "range_max", "distance", "minimum", "altitude", "x", "y"), "m"
        ),
        **dict.fromkeys(("yaw", "angle_min", "angle_max", "angle_increment", "tilt"), "rad"),
        "angular_velocity": "rad/s",
        "linear_acceleration": "m/s²",
        "twist.linear": "m/s",
        "twist.angular": "rad/s",
        **dict.fromkeys(("force", "peak_force", "magnitude"), "N"),
        "torque": "Nm",
        "power": "W",
        "mechanical_power": "W",
        "energy": "J",
        "mechanical_energy": "J",
        "latitude": "deg",
        "longitude": "deg",
        "pressure": "Pa",
        "field": "T",
        "voltage": "V",
        "current": "A",
        "stamp_ns": "ns",
        "scan_time": "s",
        "time_increment": "s",
    }
)
"""Units of fields that have the same one in every payload of roqsim's own, by the path without its index."""


VECTORS = (
    *("linear", "angular", "angular_velocity", "linear_acceleration", "force", "torque", "position", "field"),
    *("p_part", "p_other"),
)
"""Fields that have axes where they have three numbers."""


class TooLargeError(ValueError):
    """A payload that is no row: a picture, a cloud of points."""


def flatten(payload: object) -> dict[str, Cell]:
    """Numbers and texts by path, such as ``twist.linear.x`` or ``ranges[12]``.

    A list of records, and a mapping, is one cell of JSON: how many there are changes from row to row.

    Raises:
        TooLargeError: The payload holds a picture or a cloud.
    """
    return dict(_cells(payload, ""))


def _cells(value: object, path: str) -> Iterator[tuple[str, Cell]]:
    name = path or "value"
    if value is None or isinstance(value, str):
        yield name, value
    elif isinstance(value, bool | np.bool_):
        yield name, bool(value)
    elif isinstance(value, Integral):
        yield name, int(value)
    elif isinstance(value, Real):
        yield name, float(value)
    elif isinstance(value, np.ndarray):
        yield from _array(value, path)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _cells(getattr(value, field.name), f"{path}.{field.name}" if path else field.name)
    elif isinstance(value, list | tuple) and all(isinstance(each, Real | str) for each in value):
        for part, each in zip(_parts(path, len(value)), value, strict=True):
            yield from _cells(each, f"{path}{part}")
    elif isinstance(value, Mapping | list | tuple):
        yield name, json.dumps(json_value(value), ensure_ascii=False, sort_keys=True)
    else:
        raise TooLargeError(f"{type(value).__name__} in {name}")


def _array(array: np.ndarray, path: str) -> Iterator[tuple[str, Cell]]:
    if array.size > MOST or array.dtype.names is not None or array.ndim > 2:
        raise TooLargeError(f"{'x'.join(map(str, array.shape))} {array.dtype} in {path or 'the payload'}")
    if array.ndim == 0:
        yield from _cells(array.item(), path)
        return
    if array.ndim == 1:
        for part, value in zip(_parts(path, array.size), array.tolist(), strict=True):
            yield f"{path}{part}", value
        return
    for index in np.ndindex(array.shape):
        yield f"{path}[{','.join(map(str, index))}]", array[index].item()


def _parts(path: str, count: int) -> list[str]:
    """How the numbers of a list are told apart: by axes, or by their place."""
    name = path.rpartition(".")[2]
    if (name, count) == ("quaternion", 4):
        return [f".{axis}" for axis in AXES[4]]
    if name in VECTORS and count == 3:
        return [f".{axis}" for axis in AXES[3]]
    return [f"[{place}]" for place in range(count)]
