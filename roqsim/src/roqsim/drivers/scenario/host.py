"""What scenario-execution, in whose process an adapter is stepped, tells and can be told.

It hands an adapter neither the directory of the scenario that runs nor a way to fail it, but keeps both where any
code of the process can reach them. Nothing is imported here: where the package is not loaded, nobody hosts.
"""

from __future__ import annotations

import sys
from pathlib import Path

FAIL_EVENT = "fail"
"""The event of every scenario that ends it as failed, on the py_trees blackboard under ``/<scenario>/fail``."""


def output_directory() -> Path | None:
    """The directory of the scenario that is set up, known once its reset is over; None where there is none."""
    host = sys.modules.get("scenario_execution.scenario_execution_base")
    config = getattr(host, "ScenarioExecutionConfig", None)
    folder = config().output_directory if config is not None else None
    return Path(folder) if folder else None


def fail_scenario() -> bool:
    """Ends the scenario that runs as failed with its current tick.

    Returns:
        Whether there was one to tell.
    """
    module = sys.modules.get("py_trees.blackboard")
    if module is None:
        return False
    board = module.Blackboard
    # Scenarios that are over have an event too; the next one to be set up clears its own.
    events = [key for key in board.storage if key.count("/") == 2 and key.endswith(f"/{FAIL_EVENT}")]
    for event in events:
        board.set(event, True)
    return bool(events)


def register(adapter: type) -> None:
    """Makes a class count as a ``SimulationInterface`` where scenario-execution is loaded."""
    module = sys.modules.get("scenario_execution.simulation")
    if module is not None:
        module.SimulationInterface.register(adapter)
