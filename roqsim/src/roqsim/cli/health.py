"""``roqsim health``: whether a run is well."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from roqsim.cli.arguments import json_option, run_argument

if TYPE_CHECKING:
    from roqsim.analysis.health.report import Report

PERIOD = 1.0
"""Seconds between two looks at a run that is watched."""


@click.command("health", short_help="Say whether a run is well.")
@run_argument
@json_option
@click.option("--watch", is_flag=True, help="Look again every second until the run is over or in error.")
@click.option("--robot", metavar="NAME", help="Ask of this robot alone whether it moves.")
def command(run: Path, as_json: bool, watch: bool, robot: str | None) -> None:
    """Say whether RUN is well: the folder of a run, which may still go on, or a recording.

    Checked is whether it started, goes on, holds its pace, moves its robots, publishes its streams as due and ends on
    purpose. Exit status 5 says that a check found something.
    """
    from roqsim.analysis.health.report import examine

    report = examine(run, robot=robot)
    _print(report, as_json)
    while watch and report.state["running"] is not False and report.verdict != "error":
        report = _next(run, robot, report, as_json)
    if report.findings:
        from roqsim.errors import FindingError

        raise FindingError(report.reason)


def _next(run: Path, robot: str | None, last: Report, as_json: bool) -> Report:
    """Waits a second and looks again; tells what is new."""
    import time

    from roqsim.analysis.health.report import examine

    time.sleep(PERIOD)
    report = examine(run, robot=robot)
    if _gist(report) != _gist(last):
        _print(report, as_json)
    return report


def _gist(report: Report) -> list[tuple[str, str]]:
    return [(result.check, result.outcome) for result in report.results]


def _print(report: Report, as_json: bool) -> None:
    if as_json:
        from roqsim.cli.arguments import print_json

        print_json(report.document())
    else:
        click.echo(str(report))
