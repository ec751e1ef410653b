"""What a panel shows of a payload: a picture, a curve, or a few numbers. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from numbers import Real

import numpy as np

MOST_NUMBERS = 16
"""Longer arrays are shown as a curve rather than number by number."""

MOST_SERIES = 24
"""Numbers of one payload that are shown."""

MOST_POINTS = 1024
"""Points of a curve."""

MOST_PIXELS = 320
"""Longer side of a picture in pixels."""

COLOURS = np.array(
    [(0, 0, 0), (230, 97, 1), (26, 133, 255), (254, 225, 93), (93, 173, 80), (212, 17, 89), (153, 102, 204)]
)
"""Colours of the labels of a segmented picture, black for what belongs to nobody."""

Shown = tuple[object, ...]
"""``picture`` (width, height, RGB bytes), ``curve`` (values), ``numbers`` ({name: value}) or ``text`` (text)."""


def show(payload: object) -> Shown:
    """What a panel shows of a payload."""
    if payload is None:
        return ("text", "nothing yet")
    data = getattr(payload, "data", None)
    if isinstance(data, np.ndarray) and data.ndim >= 2:
        return _picture(data, is_labels=hasattr(payload, "labels"))
    numbers = dict(_limited(_numbers(payload, "")))
    curve = _longest(payload)
    if curve is not None:
        return ("curve", curve)
    return ("numbers", numbers) if numbers else ("text", _description(payload))


def _picture(data: np.ndarray, *, is_labels: bool) -> Shown:
    stride = -(-max(data.shape[:2]) // MOST_PIXELS)
    data = data[::stride, ::stride]
    if is_labels:
        data = COLOURS[np.where(data == 0, 0, 1 + data % (len(COLOURS) - 1))]
    elif data.ndim == 2:
        data = np.repeat(_nearness(data)[..., None], 3, axis=2)
    height, width = data.shape[:2]
    return ("picture", width, height, np.ascontiguousarray(data[..., :3], dtype=np.uint8).tobytes())


def _nearness(depth: np.ndarray) -> np.ndarray:
    """``(h, w)`` depths as grey: the nearest is white, the farthest dark, nothing black."""
    seen = np.isfinite(depth) & (depth > 0)
    if not seen.any():
        return np.zeros(depth.shape)
    near, far = float(depth[seen].min()), float(depth[seen].max())
    grey = 255.0 - 215.0 * (np.where(seen, depth, far) - near) / max(far - near, 1e-9)
    return np.where(seen, grey, 0.0)


def _items(payload: object) -> Iterator[tuple[str, object]]:
    if is_dataclass(payload):
        yield from ((field.name, getattr(payload, field.name)) for field in fields(payload))
    elif isinstance(payload, Mapping):
        yield from ((str(key), value) for key, value in payload.items())
    elif isinstance(payload, list | tuple):
        yield from ((str(index), value) for index, value in enumerate(payload))


def _numbers(payload: object, name: str) -> Iterator[tuple[str, float]]:
    """Every number of a payload with its path, stamps and long arrays left out."""
    if isinstance(payload, np.ndarray):
        payload = payload.ravel().tolist() if payload.size <= MOST_NUMBERS else None
    if isinstance(payload, Real | np.generic) and not isinstance(payload, np.str_):
        yield name or "value", float(payload)
        return
    if isinstance(payload, list | tuple) and len(payload) > MOST_NUMBERS:
        return
    for key, value in _items(payload):
        if not key.startswith("stamp"):
            yield from _numbers(value, f"{name}.{key}" if name else key)


def _limited(numbers: Iterator[tuple[str, float]]) -> Iterator[tuple[str, float]]:
    for _, item in zip(range(MOST_SERIES), numbers, strict=False):
        yield item


def _longest(payload: object) -> list[float] | None:
    """The first long row of numbers of a payload, thinned; NaN where it is not finite."""
    values = payload if isinstance(payload, np.ndarray) else None
    if values is None:
        candidates = (np.asarray(value) for _, value in _items(payload) if isinstance(value, np.ndarray | tuple | list))
        rows = (value for value in candidates if value.ndim == 1 and value.dtype.kind in "iuf")
        values = next((value for value in rows if value.size > MOST_NUMBERS), None)
    if values is None or values.ndim != 1 or values.size <= MOST_NUMBERS:
        return None
    thinned = values[:: -(-values.size // MOST_POINTS)].astype(float)
    return np.where(np.isfinite(thinned), thinned, np.nan).tolist()


def _description(payload: object) -> str:
    for name, value in _items(payload):
        if isinstance(value, np.ndarray):
            return f"{type(payload).__name__}: {name} {'x'.join(map(str, value.shape))} {value.dtype}"
        if isinstance(value, bytes):
            return f"{type(payload).__name__}: {len(value)} bytes"
    return str(payload)[:200]
