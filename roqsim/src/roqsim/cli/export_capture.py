"""``roqsim export capture``: a run's motion for a browser."""

from __future__ import annotations

from pathlib import Path

import click

from roqsim.cli.arguments import force_option, print_json, run_argument, stdout_kept


@click.command("capture", short_help="A run's motion for a browser.")
@run_argument
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), required=True, help="Folder to write.")
@force_option
def command(run: Path, out: Path, force: bool) -> None:
    """Write where everything was in RUN as capture.json and capture.bin.

    RUN is a recording, or the directory of a run. The capture moves the scene that `roqsim export web` makes of the
    same world and overrides. Standard output is one line of JSON that says what was written.
    """
    from roqsim.export.capture import export_capture

    with stdout_kept():
        reply = export_capture(run, out, overwrite=force)
    print_json({"recording": str(run), "out": str(out), **reply})
