"""A scenario of scenario-execution, run by that package itself inside a test."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml


@dataclass
class Log:
    """A logger as scenario-execution's own ones: one text per message.

    Attributes:
        lines: ``(level, message)`` of everything so far.
    """

    lines: list[tuple[str, str]] = field(default_factory=list)

    def debug(self, msg: str) -> None: ...

    def info(self, msg: str) -> None:
        self.lines.append(("info", msg))

    def warning(self, msg: str) -> None:
        self.lines.append(("warning", msg))

    def error(self, msg: str) -> None:
        self.lines.append(("error", msg))

    def text(self, *levels: str) -> str:
        """The messages of some levels, of all by default, one a line."""
        return "\n".join(message for level, message in self.lines if not levels or level in levels)


@dataclass(frozen=True)
class Trial:
    """What became of one scenario.

    Attributes:
        name: The scenario; its parameter document's number follows where there are several.
        passed: Whether it succeeded.
        reason: Why not, with the tree of its actions.
    """

    name: str
    passed: bool
    reason: str


@dataclass(frozen=True)
class ScenarioOutcome:
    """What became of a run.

    Attributes:
        passed: Whether every scenario succeeded: what the exit status says.
        trials: Each of them, in order.
        log: What was said.
        folder: The output directory.
    """

    passed: bool
    trials: list[Trial]
    log: Log
    folder: Path

    @property
    def results(self) -> list[bool]:
        """Whether each scenario succeeded."""
        return [trial.passed for trial in self.trials]

    @property
    def reason(self) -> str:
        """Why scenarios failed."""
        return "\n".join(trial.reason for trial in self.trials if not trial.passed)


def run_scenario(
    scenario: str | Path,
    simulation: object,
    folder: Path,
    parameters: Sequence[Mapping[str, object]] = (),
) -> ScenarioOutcome:
    """Runs a scenario as the command ``scenario_execution`` does, in this process.

    Args:
        scenario: The text of an ``.osc`` file, or its path.
        simulation: What it steps, such as ``MujocoSim("world.yaml")``; it is shut down afterwards.
        folder: The output directory, where a text is written too.
        parameters: One mapping per trial, such as ``{"my_scenario": {"height": 1.0}}``; none for one trial as written.

    Raises:
        ImportError: If scenario-execution is not installed.
    """
    from scenario_execution.scenario_execution_base import ScenarioExecution

    folder.mkdir(parents=True, exist_ok=True)
    path = scenario if isinstance(scenario, Path) else folder / "scenario.osc"
    if path != scenario:
        path.write_text(textwrap.dedent(scenario), encoding="ascii")
    documents = folder / "parameters.yaml" if parameters else None
    if documents is not None:
        documents.write_text(yaml.safe_dump_all([dict(each) for each in parameters]), encoding="utf-8")
    log = Log()
    run = ScenarioExecution(
        debug=False,
        log_model=False,
        live_tree=False,
        scenario_file=str(path),
        output_dir=str(folder),
        scenario_parameter_file=None if documents is None else str(documents),
        logger=log,
        register_signal=False,
        simulation=simulation,
    )
    if run.parse():
        run.run()
    passed = run.process_results()
    trials = [
        Trial(each.name, bool(each.result), f"{each.failure_message} {each.failure_output}".strip())
        for each in run.results
    ]
    return ScenarioOutcome(passed, trials, log, folder)
