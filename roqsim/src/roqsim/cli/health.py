"""``roqsim health``: whether a run is well."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from roqsim.cli.arguments import json_option, print_json, run_argument

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
    while watch and report.state["running"] is not False and report.verdict != "error":
        if not as_json:
            click.echo(str(report))
        report = _next(run, robot, report)
    if as_json:
        print_json(report.document())
    else:
        click.echo(str(report))
    if report.findings:
        from roqsim.errors import FindingError

        raise FindingError(report.reason)


def _next(run: Path, robot: str | None, last: Report) -> Report:
    """Looks again every second until there is something new."""
    import time

    from roqsim.analysis.health.report import examine

    report = last
    while _gist(report) == _gist(last):
        time.sleep(PERIOD)
        report = examine(run, robot=robot)
    return report


def _gist(report: Report) -> list[object]:
    return [report.state["running"], *((result.check, result.outcome) for result in report.results)]
