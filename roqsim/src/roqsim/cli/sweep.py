"""``roqsim sweep``: many runs of one world, one table."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from roqsim.cli.arguments import change_options, target_argument
from roqsim.cli.bar import progress_bar
from roqsim.cli.sim import SecondsType

WORDS_APART = 0.1
"""Which share of the runs lies between two lines in a log."""


@click.command("sweep", short_help="Run a world many times with varied values.")
@target_argument
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), required=True, help="Directory for the runs.")
@click.option(
    "--vary",
    "factors",
    metavar="PATH=V,V,…",
    multiple=True,
    help="Run with each of these values, such as components.robot.lidar.range_stddev=0,0.01; repeatable, all "
    "combinations are run.",
)
@click.option("--repeat", type=click.IntRange(min=1), default=1, show_default=True, help="Runs of each combination.")
@click.option("--jobs", type=click.IntRange(min=1), help="Runs at a time; as many as there are processors by default.")
@click.option("--seconds", type=SecondsType(), help="End a run after so many simulated seconds.")
@click.option("--steps", type=click.IntRange(min=0), help="End a run after so many physics steps.")
@click.option(
    "--until", metavar="CONDITION", multiple=True, help="End a run when 'robot/odom.x >= 2', or the like, holds."
)
@click.option(
    "--measure",
    "measures",
    metavar="OWNER/ENDPOINT.FIELD[:WAY]",
    multiple=True,
    help="A column of the table: the last value of a run, or the first, min, max or mean; repeatable.",
)
@click.option("--seed", type=click.IntRange(min=0), help="What the runs' seeds are made of; drawn where none is given.")
@click.option("--record", metavar="NAME", help="Record every run, into run.mcap or run.npz in its directory.")
@click.option("--capture-fps", metavar="HZ", type=float, help="Samples a simulated second of --record; 25 by default.")
@click.option("--table", metavar="FILE", type=click.Path(path_type=Path), help="The results; DIR/results.csv.")
@click.option("--scheduler", metavar="ADDRESS", help="Run on the workers of a Dask scheduler.")
@change_options
def command(
    target: str,
    out: Path,
    factors: tuple[str, ...],
    table: Path | None,
    jobs: int | None,
    seed: int | None,
    scheduler: str | None,
    **plan: object,
) -> None:
    """Runs TARGET once for every combination of values, and as often again as asked.

    Every run has a directory in DIR with its result.json and run.log; the table has one row a run with the factors as
    columns. The same command goes on with a sweep that was interrupted. Results depend on the world, the seed and the
    values alone, not on the order of the runs or on --jobs; the same repetition has the same seed in all combinations.
    """
    from roqsim.drivers.signals import raise_on_sigterm
    from roqsim.drivers.sweep.plan import Factor, Plan
    from roqsim.drivers.sweep.run import Executors, Sweep, check_directory
    from roqsim.drivers.sweep.table import check_table
    from roqsim.errors import RoqsimError
    from roqsim.seed import draw_seed

    if scheduler is not None and jobs is not None:
        raise click.UsageError("--jobs: expected to stand without --scheduler, whose workers do the runs; take one")
    check_directory(out)
    table = table or out / "results.csv"
    check_table(table)
    executors = Executors(jobs or os.cpu_count() or 1, scheduler)
    executors.check()
    begun = _begun_seed(out) if seed is None else seed
    seed = draw_seed() if begun is None else begun
    sweep = Sweep(Plan(target, tuple(Factor.parse(text) for text in factors), seed=seed, **plan), out, table)
    sweep.prepare()
    if begun is None:
        click.echo(f"seed {seed} (drawn; --seed {seed} repeats this sweep)", err=True)
    with raise_on_sigterm(), _bar() as tell:
        outcome = sweep.run(executors, tell)
    before = f", {outcome.skipped} of them before" if outcome.skipped else ""
    runs = "1 run" if outcome.total == 1 else f"{outcome.total} runs"
    click.echo(f"{runs}{before}: {outcome.failed} failed, {outcome.broken} broke; {outcome.table}")
    if outcome.broken:
        raise RoqsimError(
            f"{outcome.broken} of {outcome.total} runs ended with an error; "
            f"the column 'reason' of {outcome.table} says why"
        )


def _begun_seed(out: Path) -> int | None:
    """The seed of the sweep that was begun in a directory, if one was."""
    import json

    from roqsim.drivers.sweep.run import PLAN

    try:
        return int(json.loads((out / PLAN).read_text(encoding="utf-8"))["seed"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextmanager
def _bar() -> Iterator[object]:
    """A bar on a terminal, some lines in a log."""
    if sys.stderr.isatty():
        with progress_bar() as report:
            yield partial(report, "runs")
        return
    told = -1.0

    def write(done: int, total: int) -> None:
        nonlocal told
        if total and (done / total - told >= WORDS_APART or done == total):
            told = done / total
            click.echo(f"{done} of {total} runs are done", err=True)

    yield write
