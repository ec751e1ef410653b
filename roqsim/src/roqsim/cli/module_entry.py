"""``python -m roqsim.introspection`` and its sister: commands of ``roqsim catalog`` that always answer in JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

import click

from roqsim.errors import RoqsimError


def answer(name: str, commands: Mapping[str, str]) -> None:
    """Runs ``roqsim catalog COMMAND --json …`` for the arguments of this process.

    What is not found is answered with ``{"error": reason}`` as well, beside the exit status and the reason on
    standard error, because the programs that ask this way read standard output whatever the status is.

    Args:
        name: What the program is called in help and errors.
        commands: The words that it takes, and the commands that they stand for.
    """
    from roqsim.cli import main

    words = sys.argv[1:]
    if not words or words[0] not in commands or {"-h", "--help"} & set(words):
        is_help = not words or bool({"-h", "--help"} & set(words))
        click.echo(f"usage: {name} {' | '.join(commands)} [NAME]", err=not is_help)
        if not is_help:
            click.echo(f"{name}: expected {' or '.join(map(repr, commands))}, got {words[0]!r}", err=True)
        sys.exit(0 if is_help else 2)
    try:
        main(["catalog", commands[words[0]], *words[1:], "--json"], prog_name=name, standalone_mode=False)
    except click.ClickException as error:
        cause = error.__cause__
        if isinstance(cause, RoqsimError):
            click.echo(json.dumps({"error": str(cause)}))
        error.show()
        sys.exit(error.exit_code)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
