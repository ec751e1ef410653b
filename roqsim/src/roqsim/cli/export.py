"""``roqsim export``: worlds and recordings in the formats of other programs; each is a module of this folder."""

from __future__ import annotations

import click

from roqsim.cli.group import LazyGroup

COMMANDS = {
    "web": "roqsim.cli.export_web",
    "capture": "roqsim.cli.export_capture",
    "mcap": "roqsim.cli.export_mcap",
    "parquet": "roqsim.cli.export_parquet",
    "urdf": "roqsim.cli.export_urdf",
    "srdf": "roqsim.cli.export_srdf",
}
"""The formats, in the order of the help page, and the modules with their ``command``."""


@click.group("export", cls=LazyGroup, modules=COMMANDS)
def command() -> None:
    """Write a world or a recording in the format of another program."""
