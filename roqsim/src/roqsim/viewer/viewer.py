"""What a driver needs of anything that shows a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from roqsim.engine import Engine


class Viewer(Protocol):
    """Shows a run; every method is called on the physics thread, between two ticks.

    One may have a method ``reload(engine)`` that goes on with the world that the engine has gone over to; one without
    it is closed and opened anew.
    """

    def open(self, engine: Engine) -> None:
        """Begins to show a run that was reset; returns when there is something to see.

        Raises:
            GLError: If nothing can be shown on this machine.
        """

    def sync(self) -> None:
        """Hands the state over if it is time for it, and does what the person asked for; never waits."""

    def close(self) -> None:
        """Ends the view and frees everything; may be called more than once, and before ``open``."""
