"""The arguments that several commands share: the world to look at, and what is changed in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

import click

from roqsim.cli.completion import complete_recording, complete_target


def target_argument(command: click.Command) -> click.Command:
    """Adds ``TARGET``: a world file, an MJCF file, or ``package:world``."""
    return click.argument("target", metavar="TARGET", shell_complete=complete_target)(command)


def run_argument(command: click.Command) -> click.Command:
    """Adds ``RUN``: a recording, or the directory of a run that holds one."""
    kind = click.Path(path_type=Path)
    return click.argument("run", metavar="RUN", type=kind, shell_complete=complete_recording)(command)


def override_option(command: click.Command) -> click.Command:
    """Adds ``--override FILE``, repeatable."""
    return click.option(
        "--override",
        "overrides",
        metavar="FILE",
        multiple=True,
        type=click.Path(),
        help="Change the world by a YAML file of the same shape; repeatable, later ones win.",
    )(command)


def change_options(command: click.Command) -> click.Command:
    """Adds ``--set PATH=VALUE`` and ``--override FILE``, both repeatable; the assignments win over the files."""
    option = click.option(
        "--set",
        "sets",
        metavar="PATH=VALUE",
        multiple=True,
        help="Change one value, such as sim.timestep=0.001 or components.robot.lidar.rays=720; repeatable.",
    )
    return option(override_option(command))


def force_option(command: click.Command) -> click.Command:
    """Adds ``--force``: what ``--out`` names may be there already."""
    return click.option("--force", is_flag=True, help="Replace what is there already.")(command)


def json_option(command: click.Command) -> click.Command:
    """Adds ``--json``: one line of JSON on standard output instead of text."""
    return click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")(command)


@contextmanager
def stdout_kept() -> Iterator[None]:
    """Sends what a plugin prints meanwhile to standard error, so that standard output holds the reply alone."""
    with redirect_stdout(sys.stderr):
        yield


def print_json(reply: dict[str, object]) -> None:
    """Prints a reply as the one line that programs read; what JSON cannot hold, such as NaN, is refused."""
    import json

    click.echo(json.dumps(reply, allow_nan=False, ensure_ascii=False))
