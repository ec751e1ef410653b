"""``roqsim import``: robots from other formats, one thin module a format."""

from __future__ import annotations

import click

from roqsim.cli.group import LazyGroup

COMMANDS = {"urdf": "roqsim.cli.import_urdf"}
"""The formats, and the modules with their ``command``."""


@click.group("import", cls=LazyGroup, modules=COMMANDS)
def command() -> None:
    """Read a robot of another program's format."""
