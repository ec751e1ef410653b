"""The keys of a window that shows a recording."""

from __future__ import annotations

from roqsim.viewer.deck import SKIP, Deck
from roqsim.viewer.keys import PAUSE, RESET, RIGHT, Handlers, Key

LEFT, DOWN, UP, HOME, END = 263, 264, 265, 268, 269

PLAY = Key(PAUSE.code, "Space", "play or hold")
ON = Key(RIGHT, "Right arrow", f"{SKIP:g} s on; one sample while held")
BACK = Key(LEFT, "Left arrow", f"{SKIP:g} s back; one sample while held")
FASTER = Key(UP, "Up arrow", "faster")
SLOWER = Key(DOWN, "Down arrow", "slower")
START = Key(RESET.code, "Backspace", "to the beginning")
FIRST = Key(HOME, "Home", "to the beginning")
LAST = Key(END, "End", "to the end")


def deck_keys(deck: Deck) -> Handlers:
    """What each key does to a replay."""
    return {
        PLAY: deck.toggle,
        ON: lambda: deck.skip(1),
        BACK: lambda: deck.skip(-1),
        FASTER: lambda: deck.shift_speed(1),
        SLOWER: lambda: deck.shift_speed(-1),
        START: lambda: deck.seek(deck.start),
        FIRST: lambda: deck.seek(deck.start),
        LAST: lambda: deck.seek(deck.stop),
    }
