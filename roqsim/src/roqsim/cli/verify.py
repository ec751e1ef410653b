"""``roqsim verify``: does a recorded run come out the same a second time?"""

from __future__ import annotations

from pathlib import Path

import click

from roqsim.cli.arguments import json_option, print_json, run_argument, stdout_kept


@click.command("verify", short_help="Run a recording again and compare it.")
@run_argument
@json_option
def command(run: Path, as_json: bool) -> None:
    """Run a recorded episode again and compare every sample to the bit.

    RUN is a recording, or a run directory that holds one. Its world is built from what the recording knows, with the
    recorded seed and whatever came in from outside. The exit status is 5 where the two runs differ; the first tick and
    the first number that do are named.
    """
    import logging

    from roqsim.drivers.logs import show_logs
    from roqsim.drivers.verify import verify

    show_logs(logging.WARNING)
    with stdout_kept():
        verdict = verify(run)
    if as_json:
        print_json(verdict.as_dict())
    else:
        click.echo(str(verdict))
    verdict.check()
