"""``roqsim export``: worlds and recordings in the formats of other programs; each is a module of this folder."""

from __future__ import annotations

import importlib

import click

from roqsim.cli.group import SuggestingGroup

COMMANDS = {
    "web": "roqsim.cli.export_web",
    "capture": "roqsim.cli.export_capture",
    "mcap": "roqsim.cli.export_mcap",
    "parquet": "roqsim.cli.export_parquet",
}
"""The formats, in the order of the help page, and the modules with their ``command``."""


class ExportGroup(SuggestingGroup):
    """The formats, each of which is imported when it is wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the formats."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports the command of one format."""
        module = COMMANDS.get(cmd_name)
        return None if module is None else importlib.import_module(module).command


@click.group("export", cls=ExportGroup)
def command() -> None:
    """Write a world or a recording in the format of another program."""
