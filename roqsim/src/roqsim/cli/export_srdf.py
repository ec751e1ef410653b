"""``roqsim export srdf`` and its script ``roqsim-export-srdf``: what MoveIt wants to know of a robot."""

from __future__ import annotations

from pathlib import Path

import click

from roqsim.cli.arguments import print_json, stdout_kept
from roqsim.cli.export_urdf import robot_options
from roqsim.cli.group import SETTINGS, ScriptCommand


def _options(command: click.Command) -> click.Command:
    for option in (
        click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the poses."),
        click.option(
            "--samples",
            type=click.IntRange(min=1),
            default=10_000,
            show_default=True,
            help="Random poses that decide which links never or always touch.",
        ),
        click.option(
            "--base-frame", metavar="FRAME", default="world", show_default=True, help="What the base stands in."
        ),
        click.option(
            "--base-joint",
            type=click.Choice(["fixed", "planar", "floating"]),
            help="How the base stands there; fixed or floating by default, as in the world.",
        ),
        click.option(
            "--group",
            "groups",
            metavar="NAME=BASE:TIP",
            multiple=True,
            help="A chain of links; repeatable. Arms and grippers are looked for where none is given.",
        ),
    ):
        command = option(command)
    return robot_options(command)


@click.command("srdf", short_help="A robot's groups and collision pairs as SRDF.")
@_options
def command(**arguments: object) -> None:
    """Write what MoveIt wants to know of a robot of TARGET: groups, states, and pairs that need no collision check.

    It belongs to the URDF that "roqsim export urdf" writes of the same robot. Standard output is one line of JSON.
    """
    _export(**arguments)


@click.command("roqsim-export-srdf", cls=ScriptCommand, context_settings=SETTINGS)
@_options
def script(**arguments: object) -> None:
    """Write what MoveIt wants to know of a robot of TARGET, as `roqsim export srdf` does."""
    _export(**arguments)


def _export(
    target: str,
    out: Path,
    robot: str | None,
    name: str | None,
    weld: tuple[str, ...],
    sets: tuple[str, ...],
    overrides: tuple[str, ...],
    force: bool,
    **options: object,
) -> None:
    import logging

    from roqsim.drivers.logs import show_logs
    from roqsim.drivers.robot_export import Wanted, export_srdf

    show_logs(logging.WARNING)
    wanted = Wanted(target, robot, name, weld, overrides, sets)
    with stdout_kept():
        reply = export_srdf(wanted, out, overwrite=force, **options)
    print_json(reply)
