"""Runs a sweep: trials to executors, results to a table, and on again where it was interrupted."""

from __future__ import annotations

import json
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from roqsim.destination import write_json
from roqsim.drivers.sweep.plan import Plan, Trial, directory_of, plan_differences
from roqsim.drivers.sweep.table import write_table
from roqsim.drivers.sweep.trial import ERROR, FAILED, Order, check_readings, crashed, read_result, run_trial
from roqsim.errors import ConfigError, RoqsimError
from roqsim.extras import load_extra
from roqsim.recording.provenance import world_facts

PLAN = "sweep.json"
"""The file that says what a directory's sweep is."""

DIED = "the process that ran it died; its run.log may tell why"

Tell = Callable[[int, int], None]
"""Is told how many of how many trials are done."""


@dataclass(frozen=True)
class Outcome:
    """What a sweep came to.

    Attributes:
        table: The file with the results.
        total: How many trials it has.
        skipped: How many of them had been run before.
        failed: How many a component called failed.
        broken: How many ended with an error.
    """

    table: Path
    total: int
    skipped: int
    failed: int
    broken: int


def check_directory(out: Path) -> None:
    """Makes sure that a directory can hold a sweep.

    Raises:
        ConfigError: It is a file, or lies below one.
    """
    found = next((each for each in (out, *out.parents) if each.exists()), None)
    if found is not None and not found.is_dir():
        raise ConfigError(f"--out: expected a new or empty directory, got {str(out)!r}, where {str(found)!r} is a file")


class Sweep:
    """A plan in a directory.

    Args:
        plan: What is to be done.
        out: The directory; an interrupted sweep of the same plan goes on there.
        table: The file for the results.
    """

    def __init__(self, plan: Plan, out: Path, table: Path) -> None:
        self._plan, self._out, self._table = plan, out, table
        self._trials = plan.trials()

    def prepare(self) -> None:
        """Makes the directory, or finds an earlier part of the same sweep in it.

        Raises:
            RoqsimError: If the plan is wrong, or the directory holds something else.
        """
        self._plan.check()
        check_readings(self._order(self._trials[0]))
        path = self._out / PLAN
        facts = world_facts(self._plan.world())
        content = {**self._plan.as_dict(), "inputs": facts["inputs"], "versions": facts["versions"]}
        content = json.loads(json.dumps(content))
        if path.exists():
            self._compare(path, content)
        elif self._out.exists() and any(self._out.iterdir()):
            raise ConfigError(f"--out {self._out}: expected a new or empty directory, got files without {PLAN}")
        elif self._table.exists():
            raise ConfigError(f"--table {self._table}: expected a file that is not there yet, got one; name another")
        write_json(path, content)

    def _compare(self, path: Path, content: dict[str, object]) -> None:
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            raise ConfigError(f"{path}: expected the plan of a sweep, got no JSON; take another --out") from None
        different = plan_differences(content, before)
        if different:
            raise ConfigError(
                f"--out {self._out}: expected the sweep that was begun there, got another "
                f"{', '.join(different)}; repeat its options to go on with it, or take another --out"
            )

    def run(self, executors: Executors, tell: Tell = lambda done, total: None) -> Outcome:
        """Runs what has not been run, then writes the table; after an interruption, of what is there.

        Args:
            executors: Where trials run.
            tell: Is told of every trial that is done.
        """
        missing = [trial for trial in self._trials if read_result(directory_of(self._out, trial)) is None]
        total = len(self._trials)
        done = total - len(missing)
        tell(done, total)
        try:
            for count, _ in enumerate(_results([self._order(trial) for trial in missing], executors), done + 1):
                tell(count, total)
        finally:
            results = {trial.number: read_result(directory_of(self._out, trial)) for trial in self._trials}
            if any(results.values()):
                write_table(self._table, self._plan, self._trials, results)
        statuses = [result["status"] for result in results.values() if result]
        return Outcome(self._table, total, done, statuses.count(FAILED), statuses.count(ERROR))

    def _order(self, trial: Trial) -> Order:
        plan = self._plan
        return Order(
            str(directory_of(self._out, trial).absolute()),
            plan.target,
            plan.overrides,
            plan.assignments(trial.levels),
            trial.seed,
            plan.seconds,
            plan.steps,
            plan.until,
            plan.measures,
            plan.record,
            plan.capture_fps,
        )


@dataclass(frozen=True)
class Executors:
    """Makes executors: several of them in turn, since one that a dying process broke cannot be used any more.

    Attributes:
        jobs: How many processes run at a time.
        scheduler: The address of a Dask scheduler whose workers run the trials instead, or None.
    """

    jobs: int
    scheduler: str | None = None

    def check(self) -> None:
        """Makes sure that there is what runs the trials.

        Raises:
            ConfigError: If a package is missing, or no scheduler answers.
        """
        if self.scheduler is not None:
            with _dask(self.scheduler):
                pass

    @contextmanager
    def open(self, jobs: int | None = None) -> Iterator[Executor]:
        """An executor, of so many processes where it is one of this machine."""
        if self.scheduler is not None:
            with _dask(self.scheduler) as executor:
                yield executor
            return
        # A process that is spawned has no state of this one, so a trial does not depend on what ran before.
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(jobs or self.jobs, mp_context=context, initializer=_end_with_parent)
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """Ends this worker when the process that started it is killed; it would wait for work for ever otherwise."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="parent watch").start()


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    distributed = load_extra("dask.distributed", "dask", "--scheduler", package="distributed")
    try:
        client = distributed.Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"--scheduler {address}: expected the address of a Dask scheduler, got: {error}; "
            "start one with 'dask scheduler'"
        ) from None
    with client:
        # A run is a pure function of its order, but it leaves files, so it is run once for each order.
        yield client.get_executor(pure=False)


def _results(orders: Sequence[Order], executors: Executors) -> Iterator[dict[str, object]]:
    """The results as they come; a trial whose process dies is found out and takes no other one with it."""
    suspects: list[Order] = []
    with executors.open() as executor:
        futures = {executor.submit(run_trial, order): order for order in orders}
        for future in as_completed(futures):
            try:
                yield future.result()
            except BrokenProcessPool:
                suspects.append(futures[future])
            except RoqsimError:
                raise
            except Exception as error:
                yield crashed(futures[future], f"{type(error).__name__}: {error}")
    # Whoever was in the pool when it broke is run again by itself.
    for order in suspects:
        yield _alone(order, executors)


def _alone(order: Order, executors: Executors) -> dict[str, object]:
    with executors.open(1) as executor:
        try:
            return executor.submit(run_trial, order).result()
        except BrokenProcessPool:
            return crashed(order, DIED)
