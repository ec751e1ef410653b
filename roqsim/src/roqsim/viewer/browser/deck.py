"""Playing a recording from the page: the requests on the run's side, and the panel with the slider on the page's."""

from __future__ import annotations

from collections.abc import Callable

from roqsim.context import SimContext
from roqsim.viewer.browser.refusals import Refusals
from roqsim.viewer.deck import FIXED, Deck

QUIT = "the page only watches; start with --browser-control to end the replay from it"


class DeckRequests:
    """Takes the page's requests about a recording, on the thread that receives them.

    Everybody who sees the page may play, hold and seek: that changes nothing.

    Args:
        ctx: The simulation that the recording is shown in.
        deck: What plays it.
        control: Whether the page may end the replay.
        tell: Told the reason of each refusal.
    """

    def __init__(self, ctx: SimContext, deck: Deck, control: bool, tell: Callable[[str], None]) -> None:
        self._ctx, self._control, self.refuse = ctx, control, Refusals(tell)
        self._known: dict[object, Callable[..., None]] = {
            "pause": lambda paused: deck.pause() if paused else deck.play(),
            "step": lambda: deck.step(1),
            "back": lambda: deck.step(-1),
            "reset": lambda: deck.seek(deck.start),
            "seek": lambda t: deck.seek(float(t)),
            "speed": lambda speed: deck.set_speed(float(speed)),
            "quit": self._quit,
        }

    def take(self, kind: object, *values: object) -> None:
        """Does what is asked for, or says why not."""
        if kind == "refused":
            self.refuse(*values)
        elif kind in self._known:
            self._known[kind](*values)
        elif kind != "push" or values != ({},):
            self.refuse(FIXED)

    def release(self) -> None:
        """Part of what takes requests; nothing is held here."""

    def _quit(self) -> None:
        if self._control:
            self._ctx.request_stop("ended from the browser")
        else:
            self.refuse(QUIT)
