"""The keys that roqsim adds to the window: one record each, from which the handlers and the list on F1 are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Key:
    """One key.

    Attributes:
        code: GLFW's number of it.
        label: How the keyboard calls it.
        does: What it does, in a few words.
    """

    code: int
    label: str
    does: str


RIGHT, BACKSPACE = 262, 259
F1, F8, F9, F10, F11 = 290, 297, 298, 299, 300

PAUSE = Key(ord(" "), "Space", "pause or go on")
STEP = Key(RIGHT, "Right arrow", "one physics step, while paused")
RESET = Key(BACKSPACE, "Backspace", "reset the world")
RELOAD = Key(F11, "F11", "read the world file again")
SAVE_VIEW = Key(F8, "F8", "save this view into the world file")
LIST = Key(F1, "F1", "show or hide this list")
FOLLOW = Key(F9, "F9", "camera: free, on the robot, turning with it")
FLY = Key(F10, "F10", "fly: W A S D, Q down, E up, Shift faster")

Handlers = Mapping[Key, Callable[[], None]]


class KeyMap:
    """The handlers of a window by key.

    Args:
        handlers: Of one or several owners; no two may want the same key.

    Raises:
        ValueError: If two do.
    """

    def __init__(self, *handlers: Handlers) -> None:
        self._handlers: dict[int, Callable[[], None]] = {}
        self.keys: list[Key] = []
        for each in handlers:
            for key, handler in each.items():
                if key.code in self._handlers:
                    raise ValueError(f"expected one handler a key, got another for {key.label!r}")
                self._handlers[key.code] = handler
                self.keys.append(key)

    def press(self, code: int) -> bool:
        """Runs the handler of a key; false where there is none."""
        handler = self._handlers.get(code)
        if handler is not None:
            handler()
        return handler is not None


def key_list(keys: Iterable[Key]) -> tuple[str, str]:
    """The keys and what they do, as two columns of text."""
    listed = list(keys)
    return "\n".join(key.label for key in listed), "\n".join(key.does for key in listed)
