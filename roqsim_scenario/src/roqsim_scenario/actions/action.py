"""What all actions have in common: where the simulation is, and how a mistake fails the scenario."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from py_trees.common import Status
from roqsim.context import SimContext
from roqsim.errors import RoqsimError
from scenario_execution.actions.base_action import ActionError, BaseAction

ADAPTER = "roqsim.scenario_adapter:MujocoSim"


class SimAction(BaseAction):
    """An action on the simulation that the scenario steps.

    A subclass has ``execute`` with the parameters of its declaration and ``look``, called once a tick of the scenario,
    on the physics thread between two steps. What goes wrong in either fails the action with its reason: an exception
    that leaves an action would end the whole process without a result.
    """

    def setup(self, **kwargs: object) -> None:
        """Takes the simulation.

        Raises:
            ActionError: If there is none, or it is another one than roqsim's.
        """
        self.simulation = kwargs.get("simulation")
        if not hasattr(self.simulation, "context"):
            text = f"{self.name}: expected a simulation of roqsim, got {self.simulation!r}; add --simulation {ADAPTER}"
            raise ActionError(text, action=self)

    def initialise(self) -> None:
        """Hands the parameters to ``execute``."""
        self._mistake = self.feedback_message = ""
        try:
            super().initialise()
        except (RoqsimError, ActionError, ValueError) as error:
            self._mistake = _text(error)

    def update(self) -> Status:
        """Looks, unless something is wrong."""
        failure = self._mistake or getattr(self.simulation, "failure", None)
        if not failure:
            try:
                return self.look()
            except (RoqsimError, ActionError, ValueError) as error:
                failure = _text(error)
        return self.fail(failure)

    def look(self) -> Status:
        """Says how far the action is.

        Raises:
            RoqsimError: If it has failed.
        """
        raise NotImplementedError

    def fail(self, reason: str) -> Status:
        """Tells why the action has failed."""
        self.feedback_message = " ".join(reason.split())
        self.logger.error(f"{self.name}: {reason}")
        return Status.FAILURE

    @property
    def ctx(self) -> SimContext:
        """The simulation as a plugin sees it.

        Raises:
            RoqsimError: If there is none yet.
        """
        context = self.simulation.context
        if context is None:
            raise RoqsimError("expected a simulation that was reset, got none")
        return context


class CommandAction(SimAction):
    """An action that changes the simulation: its command runs at the beginning of the next step."""

    _reply: Future | None = None

    def post(self, command: Callable[[SimContext], object]) -> None:
        """Posts what is to be done; to be called in ``execute``."""
        self._reply = self.ctx.post(command)

    def look(self) -> Status:
        """Waits for the reply."""
        if not self._reply.done():
            self.feedback_message = "waits for the next step"
            return Status.RUNNING
        if self._reply.cancelled():
            raise RoqsimError("the simulation ended before the command was carried out")
        error = self._reply.exception()
        if error is not None:
            is_told = isinstance(error, RoqsimError | AttributeError)
            raise RoqsimError(str(error) if is_told else f"{type(error).__name__}: {error}") from error
        return self.check(self._reply.result())

    def check(self, result: object) -> Status:
        """Judges what the command returned."""
        return Status.SUCCESS


def _text(error: Exception) -> str:
    return error.msg if isinstance(error, ActionError) else str(error)
