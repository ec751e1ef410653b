"""What is painted on a finished picture: overlays that any package announces under ``roqsim.render_overlays``.

An overlay is made as ``cls(placement, **options)``, or by the class method ``from_spec(options, placement)`` where
there is one. It has a ``name``, optionally ``prepare(width, height, *, state)``, and ``draw(frame, t)``.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Protocol

import numpy as np

from roqsim.config.nodes import load_value
from roqsim.errors import ConfigError, NotFoundError, PluginError, RoqsimError, suggest
from roqsim.registry import OVERLAYS, Entry, entries

if TYPE_CHECKING:
    from PIL.Image import Image

OPTION = "--overlay"

ANCHORS = {
    f"{row}{'-' if row and column else ''}{column}" or "center": (x, y)
    for row, y in (("top", 0.0), ("", 0.5), ("bottom", 1.0))
    for column, x in (("left", 0.0), ("", 0.5), ("right", 1.0))
}
"""Where an overlay can stand: the share of the free width and height that is left of it and above it."""


@dataclass(frozen=True)
class Placement:
    """Where an overlay stands in the frame.

    Attributes:
        anchor: ``top-left``, ``top``, ``center``, ``bottom-right`` and so on: one of ``ANCHORS``.
        width: Its width as a fraction of the frame's; None leaves it to the overlay.
        margin: The space between it and the frame's edges, as a fraction of the frame's width.
    """

    anchor: str = "top-left"
    width: float | None = None
    margin: float = 0.02

    def __post_init__(self) -> None:
        if self.anchor not in ANCHORS:
            raise ValueError(f"anchor: expected one of {', '.join(ANCHORS)}, got {self.anchor!r}")
        if self.width is not None and not (_is_number(self.width) and 0.0 < self.width <= 1.0):
            raise ValueError(f"width: expected a fraction of the frame, 0 < width <= 1, got {self.width!r}")
        if not (_is_number(self.margin) and 0.0 <= self.margin < 0.5):
            raise ValueError(f"margin: expected a fraction of the frame, 0 <= margin < 0.5, got {self.margin!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class Overlay(Protocol):
    """Paints on frames."""

    name: str

    def draw(self, frame: np.ndarray, t: float) -> np.ndarray:
        """Paints on a frame, in place or on a copy.

        Args:
            frame: ``(h, w, 3)`` uint8 RGB.
            t: Simulated seconds.

        Returns:
            The frame, of the same shape and type.
        """


def paste(frame: np.ndarray, image: Image, placement: Placement) -> np.ndarray:
    """Lays a PIL image over a frame, in place.

    Args:
        frame: ``(h, w, 3)`` uint8 RGB, writable.
        image: What to lay over it; its alpha channel, where it has one, is respected. It is scaled to the placement's
            width, and down to what fits between the margins.
        placement: Where.

    Returns:
        The frame.
    """
    from PIL import Image

    height, width = frame.shape[:2]
    margin = round(placement.margin * width)
    wanted = image.width if placement.width is None else placement.width * width
    room = (max(width - 2 * margin, 1), max(height - 2 * margin, 1))
    scale = min(wanted / image.width, room[0] / image.width, room[1] / image.height)
    size = (max(round(image.width * scale), 1), max(round(image.height * scale), 1))
    top = image.convert("RGBA")
    if top.size != size:
        top = top.resize(size, Image.Resampling.LANCZOS)
    x, y = (
        margin + round(share * (space - own))
        for share, space, own in zip(ANCHORS[placement.anchor], room, size, strict=True)
    )
    below = Image.fromarray(frame[y : y + size[1], x : x + size[0]])
    below.paste(top, (0, 0), top)
    frame[y : y + size[1], x : x + size[0]] = np.asarray(below)
    return frame


def overlay_entries() -> list[Entry]:
    """What the installed packages announce, by name."""
    return entries(OVERLAYS)


def load_overlay(text: str) -> Overlay:
    """Makes the overlay that ``NAME`` or ``NAME:key=value,…`` asks for.

    Raises:
        NotFoundError: No package announces it.
        ConfigError: An option is wrong.
        PluginError: It can not be made.
    """
    name, _, rest = text.partition(":")
    where = f"{OPTION} {text}"
    cls = _find(name, where)
    options = _options(rest, where)
    shared = {field.name for field in fields(Placement)}
    try:
        placement = Placement(**{key: value for key, value in options.items() if key in shared})
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from None
    return _made(cls, placement, {key: value for key, value in options.items() if key not in shared}, where)


def _find(name: str, where: str) -> object:
    known = overlay_entries()
    found = [entry for entry in known if entry.name == name]
    if not found:
        hint = suggest(name, [entry.name for entry in known])
        raise NotFoundError(f"{where}: expected an installed overlay, got {name!r}; {hint}")
    if len({entry.value for entry in found}) > 1:
        places = ", ".join(f"{entry.dist} ({entry.value})" for entry in found)
        raise PluginError(f"{where}: expected one overlay of that name, got {places}; uninstall all but one")
    return found[0].load()


def _options(text: str, where: str) -> dict[str, object]:
    options: dict[str, object] = {}
    for part in text.split(",") if text else ():
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"{where}: expected KEY=VALUE, got {part!r}; write for example anchor=top-right")
        options[key.strip()] = load_value(value, where).plain()
    return options


def _made(cls: object, placement: Placement, options: Mapping[str, object], where: str) -> Overlay:
    from_spec = getattr(cls, "from_spec", None)
    try:
        if from_spec is not None:
            return from_spec(dict(options), placement)
        _check_options(cls, options, where)
        return cls(placement, **options)
    except RoqsimError:
        raise
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{where}: {error}") from error
    except Exception as error:
        raise PluginError(f"{where}: it could not be made: {type(error).__name__}: {error}") from error


def _check_options(cls: object, options: Mapping[str, object], where: str) -> None:
    """Refuses options that a constructor does not name, with the nearest one that it does."""
    try:
        parameters = list(inspect.signature(cls).parameters.values())[1:]
    except (TypeError, ValueError):
        return
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return
    known = [parameter.name for parameter in parameters]
    for key in options:
        if key not in known:
            hint = suggest(key, [*known, *(field.name for field in fields(Placement))])
            raise ConfigError(f"{where}: expected an option of the overlay, got {key!r}; {hint}")


class Overlays:
    """The overlays of one still or video, painted in their order.

    Args:
        overlays: What paints.
    """

    def __init__(self, overlays: Sequence[Overlay] = ()) -> None:
        self._overlays = list(overlays)

    def prepare(self, width: int, height: int, state: object = None) -> None:
        """Tells them the size of the frames, once, before the first.

        Args:
            width: Columns.
            height: Rows.
            state: The recording that is drawn, or None.
        """
        for overlay in self._overlays:
            prepare = getattr(overlay, "prepare", None)
            if prepare is not None:
                _guarded(overlay, "prepare", lambda prepare=prepare: prepare(width, height, state=state))

    def draw(self, frame: np.ndarray, t: float) -> np.ndarray:
        """Paints on a frame.

        Args:
            frame: ``(h, w, 3)`` uint8 RGB, contiguous; may be painted in place.
            t: Simulated seconds.

        Raises:
            PluginError: An overlay fails, or gives back something else than a frame of the same size.
        """
        shape = frame.shape
        for overlay in self._overlays:
            frame = _guarded(overlay, "draw", lambda overlay=overlay, frame=frame: overlay.draw(frame, t))
            if not isinstance(frame, np.ndarray) or frame.shape != shape or frame.dtype != np.uint8:
                got = f"{frame.dtype} {frame.shape}" if isinstance(frame, np.ndarray) else repr(frame)
                raise PluginError(f"overlay {_name(overlay)!r}: expected draw to give a uint8 array {shape}, got {got}")
        return np.ascontiguousarray(frame)


def _name(overlay: Overlay) -> str:
    return str(getattr(overlay, "name", type(overlay).__name__))


def _guarded(overlay: Overlay, hook: str, call: object) -> object:
    try:
        return call()
    except RoqsimError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise PluginError(f"overlay {_name(overlay)!r}: {hook} failed: {reason}", hook=hook) from error
