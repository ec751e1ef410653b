"""The geometry of a running world for a browser, written once in each folder that a run uses; of each of its worlds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from roqsim.export.web import export_web
from roqsim.recording.container import numbered

if TYPE_CHECKING:
    from roqsim.context import SimContext
    from roqsim.engine import Engine


class SceneOutput:
    """An observer that writes the scene when an episode begins.

    Args:
        folder: Names where to.
        every_steps: Gives the ticks between two looks for a physics step in seconds.
        is_lazy: Whether the folder is known at the first look after the reset rather than at the reset.
    """

    def __init__(self, folder: Callable[[], Path], every_steps: Callable[[float], int], *, is_lazy: bool) -> None:
        self.every_steps, self._cadence = 1, every_steps
        self._folder, self._is_lazy = folder, is_lazy
        self._written: set[Path] = set()
        self._is_due = False

    def begin(self, engine: Engine) -> None:
        """Writes the scene, unless it is lazy.

        Raises:
            ConfigError: The folder cannot be written.
        """
        self._ctx, self._view, self._is_due = engine.ctx, engine.cfg.sim.view, True
        self.every_steps = self._cadence(engine.ctx.dt)
        if not self._is_lazy:
            self._write()

    def sample(self, ctx: SimContext) -> None:
        """Writes the scene at the first look.

        Raises:
            ConfigError: The folder cannot be written.
        """
        if self._is_due:
            self._write()

    def close(self, reason: str, failed: bool) -> None:
        """Writes the scene of an episode that ended before the first look.

        Raises:
            ConfigError: The folder cannot be written.
        """
        if self._is_due:
            self._write()

    def end(self) -> None:
        """Nothing is open."""

    def _write(self) -> None:
        self._is_due = False
        folder = numbered(self._folder(), self._ctx.model_generation.number)
        if folder not in self._written:
            self._written.add(folder)
            export_web(self._ctx, folder, view=self._view, overwrite=True)
