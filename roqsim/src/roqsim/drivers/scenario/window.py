"""Whether a scenario's run is shown in a window."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping

from roqsim.config.transport import NO, YES
from roqsim.engine import Engine
from roqsim.errors import ConfigError, GLError, Problem
from roqsim.viewer import Viewer

LOG = logging.getLogger("roqsim")

X11 = "ENABLE_X11"
"""Set to ``false``, the deployment has no screen whatever ``DISPLAY`` says."""


class ScenarioWindow:
    """The window of a run, while one is wanted; where none opens, the run goes on unless the scenario insists."""

    def __init__(self) -> None:
        self._view: Viewer | None = None
        self._gave_up = False

    @property
    def view(self) -> Viewer | None:
        """The open window, or None."""
        return self._view

    def show(self, engine: Engine, headless: bool | str | None) -> None:
        """Opens or closes the window.

        Args:
            engine: A run that was reset.
            headless: What the scenario says: ``True``, ``False``, their names, or None for whatever the machine has.

        Raises:
            ConfigError: If it is none of these.
            GLError: If a window is insisted on and does not open.
        """
        without = is_headless(headless)
        if without or (without is None and (self._gave_up or not has_screen())):
            self.close()
        elif self._view is None:
            self._open(engine, insists=without is False)

    def _open(self, engine: Engine, *, insists: bool) -> None:
        from roqsim.viewer.window import Window

        window = Window()
        try:
            window.open(engine)
        except GLError as error:
            window.close()
            if insists:
                raise
            self._gave_up = True
            LOG.warning("the run has no window: %s", str(error).partition(";")[0])
        except BaseException:
            window.close()
            raise
        else:
            self._view = window

    def sync(self) -> None:
        """Hands the state over."""
        if self._view is not None:
            self._view.sync()

    def close(self) -> None:
        """Closes the window; may be called more than once."""
        view, self._view = self._view, None
        if view is not None:
            view.close()


def is_headless(value: bool | str | None) -> bool | None:
    """What a scenario's parameter ``headless`` says; None where it says nothing.

    Raises:
        ConfigError: If it is neither true nor false.
    """
    if value is None or isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in YES:
        return True
    if text in NO:
        return False if text else None
    raise ConfigError(Problem("headless", "true or false", repr(value)))


def has_screen(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether there seems to be a screen to open a window on."""
    from roqsim.viewer.display import has_display

    return environment.get(X11, "").strip().lower() not in NO[1:] and has_display(environment)
