"""``roqsim export parquet``: a run's states as tables."""

from __future__ import annotations

from pathlib import Path

import click

from roqsim.cli.arguments import force_option, print_json, run_argument, stdout_kept


@click.command("parquet", short_help="A run's states as tables.")
@run_argument
@click.option(
    "--out", metavar="FILE|DIR", type=click.Path(path_type=Path), required=True, help="NAME.parquet, or a folder."
)
@force_option
def command(run: Path, out: Path, force: bool) -> None:
    """Write joints, bodies and controls of RUN at every sample as Parquet.

    RUN is a recording, or the directory of a run. With NAME.parquet there is one table, a row a sample and a column a
    number; with a folder there are joints.parquet, bodies.parquet and actuators.parquet, a row for each thing and
    sample. Needs the package pyarrow (roqsim[parquet]). Standard output is one line of JSON.
    """
    from roqsim.export.parquet import export_parquet

    with stdout_kept():
        reply = export_parquet(run, out, overwrite=force)
    print_json({"recording": str(run), "out": str(out), **reply})
