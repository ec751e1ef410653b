"""``roqsim export urdf`` and its script ``roqsim-export-urdf``: a robot for ROS."""

from __future__ import annotations

from pathlib import Path

import click

from roqsim.cli.arguments import change_options, force_option, print_json, stdout_kept
from roqsim.cli.completion import complete_subject
from roqsim.cli.group import SETTINGS, ScriptCommand


def robot_options(command: click.Command) -> click.Command:
    """Adds what says which robot of which world is meant, and where it goes."""
    for option in (
        force_option,
        change_options,
        click.option("--weld", metavar="JOINT", multiple=True, help="Fix a joint where it stands; repeatable."),
        click.option("--name", metavar="NAME", help="What the robot is called; its name in the world by default."),
        click.option("--robot", metavar="ENTITY", help="Which entity or body; the world's only robot by default."),
        click.option("--out", metavar="FILE", type=click.Path(path_type=Path), required=True, help="File to write."),
        click.argument("target", metavar="TARGET", shell_complete=complete_subject),
    ):
        command = option(command)
    return command


def _options(command: click.Command) -> click.Command:
    package = click.option(
        "--package-name", metavar="PACKAGE", help="Name meshes package://PACKAGE/…, for a file in that ROS package."
    )
    absolute = click.option("--absolute", is_flag=True, help="Name meshes file://…, for a file that stays here.")
    kind = click.option(
        "--mesh-format", type=click.Choice(["stl", "obj"]), default="stl", show_default=True, help="Kind of mesh files."
    )
    return robot_options(package(absolute(kind(command))))


@click.command("urdf", short_help="A robot as URDF.")
@_options
def command(**arguments: object) -> None:
    """Write a robot of TARGET as URDF, with its meshes in meshes/ beside it.

    TARGET is a world (a YAML or MJCF file, package:world) or a model (its name, package:model, menagerie:NAME, a URDF
    file). Links have the bodies' frames and names, without the robot's prefix; frames that components publish, sites
    and cameras are links too. Standard output is one line of JSON; what URDF can not say is listed on standard error.
    """
    _export(**arguments)


@click.command("roqsim-export-urdf", cls=ScriptCommand, context_settings=SETTINGS)
@_options
def script(**arguments: object) -> None:
    """Write a robot of TARGET as URDF, as `roqsim export urdf` does."""
    _export(**arguments)


def _export(
    out: Path,
    package_name: str | None,
    absolute: bool,
    mesh_format: str,
    force: bool,
    **wanted: object,
) -> None:
    import logging

    from roqsim.drivers.logs import show_logs
    from roqsim.drivers.robot_export import Wanted, export_urdf

    if package_name is not None and absolute:
        raise click.UsageError("--absolute: expected to stand without --package-name; take one")
    show_logs(logging.WARNING)
    with stdout_kept():
        reply = export_urdf(
            Wanted(**wanted),
            out,
            package=package_name,
            absolute=absolute,
            mesh_suffix=f".{mesh_format}",
            overwrite=force,
        )
    for text in reply["lost"]:
        click.echo(f"not in the URDF: {text}", err=True)
    print_json(reply)
