"""``roqsim export web`` and its script ``roqsim-export-web``: a world's geometry for a browser."""

from __future__ import annotations

from pathlib import Path

import click

from roqsim.cli.arguments import change_options, force_option, print_json, stdout_kept, target_argument
from roqsim.cli.group import SETTINGS, ScriptCommand

LARGEST_TEXTURE = 16384
"""Columns and rows of a texture that any browser takes."""


def _options(command: click.Command) -> click.Command:
    """Adds what the command and the script have in common."""
    manifest = click.option(
        "--manifest", metavar="FILE", type=click.Path(path_type=Path), help="Also write which files it was made from."
    )
    size = click.option(
        "--max-tex-dim",
        metavar="N",
        type=click.IntRange(1, LARGEST_TEXTURE),
        default=1024,
        show_default=True,
        help="Make larger textures smaller, to so many columns or rows.",
    )
    out = click.option("--out", metavar="DIR", type=click.Path(path_type=Path), required=True, help="Folder to write.")
    return out(change_options(size(manifest(force_option(command)))))


@click.command("web", short_help="A world's geometry for a browser.")
@target_argument
@_options
def command(target: str, out: Path, force: bool, **options: object) -> None:
    """Write what a picture of TARGET shows as scene.json, scene.bin and a PNG file per texture.

    TARGET is a world: a YAML or MJCF file, or package:world. Nothing is drawn, so no OpenGL is needed. A capture of a
    run (roqsim export capture) moves the scene. Standard output is one line of JSON that says what was written.
    """
    _export(target, out, overwrite=force, **options)


@click.command("roqsim-export-web", cls=ScriptCommand, context_settings=SETTINGS)
@click.option("--world", metavar="WORLD", required=True, help="A YAML or MJCF file, or package:world.")
@_options
def script(world: str, out: Path, force: bool, **options: object) -> None:
    """Write what a picture of a world shows for a browser, as `roqsim export web` does."""
    _export(world, out, overwrite=force, **options)


def _export(target: str, out: Path, **options: object) -> None:
    import logging

    from roqsim.drivers.logs import show_logs
    from roqsim.drivers.web_scene import export_scene

    show_logs(logging.WARNING)
    with stdout_kept():
        reply = export_scene(target, out, **options)
    print_json(reply)
