"""The run itself: its end, its beginning."""

from __future__ import annotations

from py_trees.common import Status
from roqsim.errors import RoqsimError, suggest

from roqsim_scenario.actions.action import SimAction

STEPPED = ("pause", "resume", "step")
"""What is the business of whoever steps the simulation, which is the scenario."""


class RunEnded(SimAction):
    """Waits until the simulation asks for the end of the run."""

    def execute(self, require_success: bool) -> None:
        """Begins to wait."""
        self._require_success = require_success

    def look(self) -> Status:
        """Looks whether somebody has asked."""
        ctx = self.ctx
        if not ctx.stop_requested:
            return Status.RUNNING
        if ctx.stop_failed and self._require_success:
            raise RoqsimError(f"expected a run that succeeds, got {ctx.stop_reason!r}")
        self.feedback_message = ctx.stop_reason
        return Status.SUCCESS


class SimStopRequested(RunEnded):
    """The same by another name."""


class SimCommand(SimAction):
    """Puts the world to its beginning, or asks for the end of the run."""

    def execute(self, command: str) -> None:
        """Asks for it.

        Raises:
            RoqsimError: If it is another command.
        """
        self._reset = None
        if command == "stop":
            self.ctx.request_stop("the scenario asked for it")
        elif command == "reset":
            self._reset = self.ctx.control.reset()
        elif command in STEPPED:
            raise RoqsimError(
                f"command: expected 'reset' or 'stop', got {command!r}: the scenario itself steps the simulation; "
                "let it wait instead"
            )
        else:
            hint = suggest(command, ("reset", "stop"))
            raise RoqsimError(f"command: expected 'reset' or 'stop', got {command!r}; {hint}")

    def look(self) -> Status:
        """Waits for the reset, which is made before the next step."""
        if self._reset is None or self._reset.done():
            return Status.SUCCESS
        return Status.RUNNING
