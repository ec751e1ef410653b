"""The text over the picture, by slot: MuJoCo replaces all of it at once, so somebody has to know the rest."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import mujoco

FONT = int(mujoco.mjtFontScale.mjFONTSCALE_150)

PLACES = {
    "paused": int(mujoco.mjtGridPos.mjGRID_TOP),
    "keys": int(mujoco.mjtGridPos.mjGRID_TOPRIGHT),
    "camera": int(mujoco.mjtGridPos.mjGRID_BOTTOMRIGHT),
    "notice": int(mujoco.mjtGridPos.mjGRID_BOTTOM),
}
"""Where each slot stands. MuJoCo itself writes top left (help, F1) and bottom left (info, F2)."""

Text = tuple[int, int, str, str]


@dataclass(frozen=True)
class _Slot:
    left: str
    right: str
    until: float | None


class Overlay:
    """What is written, and whether it changed since it was taken last.

    Args:
        clock: Monotonic wall time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._slots: dict[str, _Slot] = {}
        self._taken: list[Text] = []

    def write(self, slot: str, left: str, right: str = "", *, seconds: float | None = None) -> None:
        """Replaces the text of one slot and leaves the others alone.

        Args:
            slot: One of ``PLACES``.
            left: The first column, lines parted by newlines.
            right: The second column.
            seconds: How long it stays; until it is cleared where None.
        """
        if slot not in PLACES:
            raise ValueError(f"expected one of {sorted(PLACES)}, got {slot!r}")
        self._slots[slot] = _Slot(left, right, None if seconds is None else self._clock() + seconds)

    def clear(self, slot: str) -> None:
        """Empties a slot."""
        self._slots.pop(slot, None)

    def has(self, slot: str) -> bool:
        """Whether something stands in a slot."""
        return slot in self._slots

    def take(self) -> list[Text] | None:
        """All texts in MuJoCo's form, or None where nothing changed since the last call."""
        now = self._clock()
        self._slots = {name: slot for name, slot in self._slots.items() if slot.until is None or slot.until > now}
        texts = [
            (FONT, place, self._slots[name].left, self._slots[name].right)
            for name, place in PLACES.items()
            if name in self._slots
        ]
        if texts == self._taken:
            return None
        self._taken = texts
        return texts
