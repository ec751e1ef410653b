"""``roqsim plugins``: which plugins are installed, and which keys each of them takes."""

from __future__ import annotations

import click

from roqsim.cli.arguments import json_option, print_json, stdout_kept
from roqsim.cli.group import SuggestingGroup


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Tell about the installed plugins."""


@command.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """List them."""
    from roqsim.drivers import catalog

    with stdout_kept():
        items = list(catalog.plugins())
    if as_json:
        print_json({"items": items})
        return
    width = max((len(item["name"]) for item in items), default=0)
    for item in items:
        told = f"(broken) {item['error']}" if "error" in item else item["doc"]
        click.echo(f"{item['name']:<{width}}  {told}".rstrip())


@command.command(no_args_is_help=True)
@click.argument("name")
@json_option
def describe(name: str, as_json: bool) -> None:
    """Describe the keys of one of them.

    NAME is a short name, module:Class, or file.py:Class.
    """
    from roqsim.drivers.plugin_sheet import plugin_sheet, sheet_lines

    with stdout_kept():
        sheet = plugin_sheet(name)
    if as_json:
        print_json(sheet)
    else:
        click.echo("\n".join(sheet_lines(sheet)))
