"""Shows a recording in a window or on a page: states are put in one after the other, and no physics is stepped."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from roqsim.drivers.signals import stop_on_signals
from roqsim.viewer import Viewer
from roqsim.viewer.deck import Deck

if TYPE_CHECKING:
    from roqsim.engine import Engine
    from roqsim.recording import Recording

PERIOD = 1.0 / 120.0
"""Wall seconds between two looks at the deck; views take a state 60 times a second at most."""


class Replay:
    """Drives the views of one recording.

    What a person does to the model (pushes, sliders) is dropped: nobody runs it.

    Args:
        recording: The recording.
        engine: Its engine (``recording.rebuild()``); the replay shuts it down.
        deck: What plays it; the views steer it.
        views: Who shows it.
    """

    def __init__(self, recording: Recording, engine: Engine, deck: Deck, views: Sequence[Viewer]) -> None:
        self._recording, self._engine, self._deck, self._views = recording, engine, deck, tuple(views)
        self._shown: int | None = None

    def run(self) -> str:
        """Shows it until the window is closed or a signal comes.

        Returns:
            Why it ended.

        Raises:
            RoqsimError: A view failed, or a state could not be restored; everything is closed by then.
        """
        ctx = self._engine.ctx
        # Whatever a view posts is cancelled as it comes.
        ctx.commands.close()
        try:
            with stop_on_signals(self._engine):
                self._show()
                for view in self._views:
                    view.open(self._engine)
                while not ctx.stop_requested:
                    self._show()
                    ctx.control.refuse_reloads("the replay of a recording")
                    for view in self._views:
                        view.sync()
                    time.sleep(PERIOD)
        finally:
            for view in self._views:
                view.close()
            self._engine.shutdown()
        return ctx.stop_reason or "ended"

    def _show(self) -> None:
        """Puts in the state that the deck is at, and the way it is held."""
        index, control = self._deck.index, self._engine.ctx.control
        if index != self._shown:
            self._recording.restore(self._engine, self._recording[index])
            self._shown = index
        if self._deck.paused != control.paused:
            (control.pause if self._deck.paused else control.resume)()
