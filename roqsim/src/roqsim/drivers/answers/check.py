"""Checking a world without running it, stage by stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from roqsim.config.extends import DocumentReader
from roqsim.config.transport import drop_transport
from roqsim.config.world import SimConfig, instantiate_plugins, locate_parent
from roqsim.drivers.target import load_target
from roqsim.engine import Engine
from roqsim.errors import ConfigError, Problem, RoqsimError
from roqsim.scene.sources import sources_of
from roqsim.worlds import YAML, resolve_world

STAGES = ("resolve", "inputs", "config", "build", "configure", "reset")


@dataclass
class Stage:
    """One stage of a check.

    Attributes:
        name: One of ``STAGES``.
        status: ``ok``, ``failed``, or ``skipped`` after an earlier failure.
        problems: What is wrong, one text a mistake.
        exit_status: What a run that fails there ends with: 2 for a wrong input, 1 for a component whose code fails.
    """

    name: str
    status: str = "skipped"
    problems: list[str] = field(default_factory=list)
    exit_status: int = 0

    def finish(self, problems: Sequence[str], exit_status: int = ConfigError.exit_status) -> bool:
        """Sets the status; returns whether the stage is good.

        Args:
            problems: What is wrong; nothing where it is good.
            exit_status: What a run with these problems ends with.
        """
        self.problems = list(dict.fromkeys(problems))
        self.exit_status = exit_status if self.problems else 0
        self.status = "failed" if self.problems else "ok"
        return not self.problems


@dataclass
class Report:
    """The outcome of a check.

    Attributes:
        world: The target as it was named.
        stages: All stages, in order.
    """

    world: str
    stages: list[Stage] = field(default_factory=lambda: [Stage(name) for name in STAGES])

    @property
    def is_ok(self) -> bool:
        """Whether every stage is good."""
        return all(stage.status == "ok" for stage in self.stages)

    @property
    def problems(self) -> list[str]:
        """What is wrong, in the order of the stages."""
        return [problem for stage in self.stages for problem in stage.problems]

    @property
    def exit_status(self) -> int:
        """What ``roqsim sim`` ends with for the same world: the status of the stage that it meets first."""
        resolve, inputs, config, *later = self.stages
        return next((stage.exit_status for stage in (resolve, config, inputs, *later) if stage.exit_status), 0)

    def as_dict(self) -> dict[str, object]:
        """The report as plain data."""
        stages = [{"name": s.name, "status": s.status, "problems": s.problems} for s in self.stages]
        return {"world": self.world, "ok": self.is_ok, "stages": stages}


def check_world(
    target: str, *, sets: Sequence[str] = (), overrides: Sequence[str] = (), no_communication: bool = False
) -> Report:
    """Checks a world; the arguments are those of ``load_target``.

    Transport is checked like everything else up to its configuration, and left out of the build, so nothing is
    published.
    """
    report = Report(target)
    resolve, inputs, config = report.stages[:3]
    found = resolve.finish(_resolve_problems(target))
    loaded = None
    try:
        loaded = load_target(target, sets=sets, overrides=overrides, no_communication=no_communication)
        _instantiate(loaded, config)
    except RoqsimError as error:
        rest = [text for text in str(error).splitlines() if text not in resolve.problems]
        if found or rest:
            config.finish(rest, error.exit_status)
    if loaded is None:
        return report
    files_are_there = inputs.finish([gap for gap in sources_of(loaded)[1] if gap not in config.problems])
    if files_are_there and config.status == "ok":
        _build(loaded, report.stages[3:])
    return report


def _resolve_problems(target: str) -> list[str]:
    """What is wrong with the chain of documents itself: not found, not readable, not in the grammar of a world."""
    problems: list[Problem] = []
    try:
        found = resolve_world(target)
        if found.path.suffix.lower() in YAML:
            source = target if found.package is None else str(found.path)
            DocumentReader(locate_parent, problems).read_file(found.path, source, found if found.package else None)
    except ConfigError as error:
        problems += error.problems
    except RoqsimError as error:
        return str(error).splitlines()
    return [str(problem) for problem in problems]


def _instantiate(loaded: SimConfig, stage: Stage) -> None:
    try:
        instantiate_plugins(loaded)
    except RoqsimError as error:
        stage.finish(str(error).splitlines(), error.exit_status)
    else:
        stage.finish([])


def _build(loaded: SimConfig, stages: Sequence[Stage]) -> None:
    """Builds, configures and resets the world and closes it again; what fails to close fails the last stage."""
    build, configure, reset = stages
    scene, _ = drop_transport(loaded)
    engine = Engine(scene, preview=True)
    stage = build
    try:
        engine.setup()
        build.finish([])
        configure.finish([])
        stage = reset
        engine.reset()
    except RoqsimError as error:
        if stage is build and "configure" in engine.load_report():
            build.finish([])
            stage = configure
        stage.finish(str(error).splitlines(), error.exit_status)
        engine.shutdown()
    else:
        failures = engine.shutdown(log=False)
        reset.finish([str(failure) for failure in failures], failures[0].exit_status if failures else 0)
