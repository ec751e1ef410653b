"""What a sweep is to do: factors, repetitions, and the trials that they make."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from roqsim.config.nodes import load_value
from roqsim.config.world import SimConfig, load_config
from roqsim.drivers.sweep.measure import Condition, Measure, Scalar
from roqsim.drivers.target import read_overrides
from roqsim.errors import ConfigError, Problem
from roqsim.seed import SEED_BITS

MOST_TRIALS = 100_000
"""More directories than this in one folder are a mistake."""


@dataclass(frozen=True)
class Factor:
    """One value of the world that is varied.

    Attributes:
        path: Where it is, as overrides spell it.
        levels: What it is set to, as YAML.
    """

    path: str
    levels: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Factor:
        """Reads ``PATH=VALUE,VALUE,…``; a list as a value goes into brackets of its own.

        Raises:
            ConfigError: If it is something else, or a value comes twice.
        """
        path, equals, values = text.partition("=")
        if not equals or not path.strip() or not values.strip():
            raise ConfigError(
                f"--vary: expected PATH=VALUE,VALUE,… such as components.robot.lidar.range_stddev=0,0.01, got {text!r}"
            )
        levels = [level.strip() for level in split_levels(values)]
        plain = [repr(load_value(level, f"--vary {text}").plain()) for level in levels]
        for index, level in enumerate(plain):
            if level in plain[:index]:
                raise ConfigError(f"--vary {text}: expected different values, got {levels[index]} twice")
        return cls(path.strip(), tuple(levels))

    def value(self, level: str) -> object:
        """A level as plain data."""
        return load_value(level, f"--vary {self.path}").plain()


def split_levels(text: str) -> list[str]:
    """Splits at the commas that stand in no bracket and no quotation marks."""
    parts, depth, quote = [""], 0, ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "[{":
            depth += 1
        elif char in "]}":
            depth -= 1
        if char == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += char
    return parts


@dataclass(frozen=True)
class Trial:
    """One run of a sweep.

    Attributes:
        number: Its place in the plan, from 1.
        levels: By factor, what it is set to.
        repeat: Which repetition it is, from 1.
        seed: The seed of the run.
    """

    number: int
    levels: tuple[str, ...]
    repeat: int
    seed: int

    @property
    def name(self) -> str:
        """The name of its directory."""
        return f"run_{self.number:05d}"


@dataclass(frozen=True)
class Plan:
    """A sweep.

    Attributes:
        target: The world, as it was named.
        factors: What is varied; every combination is run.
        repeat: How often each combination is run, each time with another seed.
        seed: What the seeds of the repetitions are drawn from.
        overrides: Override files for all runs.
        sets: Assignments for all runs.
        seconds: Simulated seconds after which a run ends, or None.
        steps: Physics steps after which a run ends, or None.
        until: Conditions; a run ends when one holds.
        measures: What is read off a run, beside its verdict.
        record: The name of the recording in a run's directory, or None.
        capture_fps: Samples a simulated second of it in Hz, or None for the usual rate.
    """

    target: str
    factors: tuple[Factor, ...]
    repeat: int
    seed: int
    overrides: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    seconds: float | None = None
    steps: int | None = None
    until: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    record: str | None = None
    capture_fps: float | None = None

    def trials(self) -> list[Trial]:
        """Every run, the repetitions of a combination one after the other.

        The same repetition of two combinations has the same seed, so that they differ in their factors alone.
        """
        seeds = [trial_seed(self.seed, repeat) for repeat in range(1, self.repeat + 1)]
        grid = itertools.product(*(factor.levels for factor in self.factors))
        pairs = ((levels, repeat) for levels in grid for repeat in range(1, self.repeat + 1))
        return [Trial(n, levels, repeat, seeds[repeat - 1]) for n, (levels, repeat) in enumerate(pairs, 1)]

    def assignments(self, levels: Sequence[str]) -> tuple[str, ...]:
        """What a run sets in its world: what all runs set, then its own levels."""
        own = (f"{factor.path}={level}" for factor, level in zip(self.factors, levels, strict=True))
        return (*self.sets, *own)

    def as_dict(self) -> dict[str, object]:
        """The plan as JSON values."""
        return asdict(self)

    def world(self) -> SimConfig:
        """The world that all runs vary.

        Raises:
            RoqsimError: If the world or an override is wrong.
        """
        return load_config(self.target, read_overrides(self.overrides, self.sets))

    def check(self) -> None:
        """Makes sure that every level of every factor gives a world that loads.

        Raises:
            RoqsimError: If the world, a path or a value is wrong; nothing has run by then.
        """
        self._check_shape()
        problems: list[Problem] = []
        self.world()
        first = tuple(factor.levels[0] for factor in self.factors)
        for index, factor in enumerate(self.factors):
            for level in factor.levels:
                levels = (*first[:index], level, *first[index + 1 :])
                try:
                    load_config(self.target, read_overrides(self.overrides, self.assignments(levels)))
                except ConfigError as error:
                    problems += error.problems
        if problems:
            raise ConfigError(problems)

    def _check_shape(self) -> None:
        paths = [factor.path for factor in self.factors]
        for index, path in enumerate(paths):
            if path in paths[:index]:
                raise ConfigError(
                    f"--vary {path}: expected each path once, got it twice; list its values in one --vary"
                )
        count = self.repeat
        for factor in self.factors:
            count *= len(factor.levels)
        if count > MOST_TRIALS:
            raise ConfigError(f"--vary: expected at most {MOST_TRIALS} runs, got {count}; vary less or repeat less")
        for text in self.until:
            Condition.parse(text)
        columns = [str(Measure.parse(text)) for text in self.measures]
        for index, column in enumerate(columns):
            if column in columns[:index]:
                raise ConfigError(f"--measure {column}: expected each column once, got it twice; leave one out")
        if self.record is not None and Path(self.record).name != self.record:
            raise ConfigError(
                f"--record: expected a file name, which every run has in its own directory, got {self.record!r}"
            )
        if self.seconds is None and self.steps is None:
            raise ConfigError(
                "--seconds: expected a limit for runs that never end, got none; give --seconds or --steps"
            )


def trial_seed(base: int, repeat: int) -> int:
    """The seed of a repetition: a hash of the sweep's seed and the number, so that no order matters."""
    digest = hashlib.blake2b(f"{base}\0{repeat}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") % 2**SEED_BITS


def plan_differences(now: Mapping[str, object], before: Mapping[str, object]) -> list[str]:
    """The keys in which two plans differ; of their inputs and versions, the names of those that do."""
    found: list[str] = []
    for key in now:
        mine, theirs = now[key], before.get(key)
        if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
            found += [Path(name).name for name in (mine | theirs) if mine.get(name) != theirs.get(name)]
        elif mine != theirs:
            found.append(key)
    return found


Row = dict[str, Scalar]


def header(plan: Plan) -> list[str]:
    """The columns of the table: who, factors, verdict, measures."""
    factors = [factor.path for factor in plan.factors]
    measures = [str(Measure.parse(text)) for text in plan.measures]
    return ["run", *factors, "repeat", "seed", "status", "reason", "simulated", "steps", *measures]


def directory_of(out: Path, trial: Trial) -> Path:
    """Where a run leaves its files."""
    return out / trial.name
