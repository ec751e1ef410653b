"""``roqsim state``: what was in a recorded run, as tables and plots."""

from __future__ import annotations

from pathlib import Path

import click

from roqsim.cli.arguments import force_option, json_option, print_json, run_argument
from roqsim.cli.sim import SecondsType
from roqsim.cli.words import WordyCommand

FORMATS = ("table", "csv", "json", "parquet")

NAMED = ("poses", "joints", "contacts")
"""What may be asked for with or without names."""


class StateCommand(WordyCommand):
    """``roqsim state``, some of whose options take any number of names."""

    wordy = {f"--{kind}": lambda word: True for kind in NAMED}
    argument = "run"


def _names(kind: str, of: str, what: str) -> object:
    return click.option(
        f"--{kind}", metavar=f"[{of}…]", multiple=True, is_flag=False, flag_value="", default=None, help=what
    )


@click.command("state", cls=StateCommand, short_help="Look into a recorded run.")
@run_argument
@_names("poses", "NAME", "Poses and velocities of all entities, or of entities and bodies; '*' for every body.")
@_names("joints", "NAME", "Position, velocity and effort of all joints, or of joints and entities.")
@_names("contacts", "NAME", "Who touches whom and with what force; or what touches these.")
@click.option("--sensor", metavar="STREAM", help="What a sensor gave, such as robot/scan, its noise included.")
@click.option("--rerun", is_flag=True, help="With --sensor: simulate the run again, and read what was published.")
@click.option("--energy", is_flag=True, help="Kinetic and potential energy, and the power of the actuators.")
@click.option("--distance", metavar="A B", nargs=2, help="How far apart two entities or bodies are.")
@click.option("--at", type=SecondsType(), metavar="T", help="At one moment, in simulated seconds.")
@click.option("--from", "start", type=SecondsType(), metavar="T", help="From this simulated second on.")
@click.option("--to", "stop", type=SecondsType(), metavar="T", help="Up to this simulated second.")
@click.option("--rate", type=click.FloatRange(0.0, min_open=True), metavar="HZ", help="At most so many rows a second.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="That of --out's suffix, else table.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write the table there.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FILE", help="Draw it: .png .svg .pdf.")
@force_option
@json_option
def command(
    run: Path,
    form: str | None,
    out: Path | None,
    plot: Path | None,
    force: bool,
    as_json: bool,
    at: float | None,
    start: float | None,
    stop: float | None,
    rate: float | None,
    rerun: bool,
    **asked: object,
) -> None:
    """Look into RUN: a recording (run.mcap, run.npz) or the folder that holds one.

    Without an option: an overview. Each other question has one table. Names may be patterns such as 'robot*'.
    """
    import logging

    from roqsim.drivers.logs import show_logs

    show_logs(logging.WARNING)
    question = _question(asked)
    if rerun and not asked["sensor"]:
        raise click.UsageError("--rerun: expected --sensor beside it; every other table comes from the states")
    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json: expected to stand without --format {form}; take one")
    if as_json and out is not None:
        raise click.UsageError(
            "--json: expected to stand without --out, where the table goes; take --format json for it"
        )
    if question is None:
        options = {"--at": at, "--from": start, "--to": stop, "--rate": rate, "--out": out, "--plot": plot}
        options |= {"--format": None if form == "json" else form, "--force": force or None}
        given = [option for option, value in options.items() if value is not None]
        if given:
            raise click.UsageError(f"{given[0]}: expected something to look at; add --poses, --joints or another")
        _overview(run, as_json or form == "json")
        return
    _answer(run, (*question, rerun), (at, start, stop, rate), (out, "json" if as_json else form, plot, force))


def _question(asked: dict[str, object]) -> tuple[str, tuple[str, ...]] | None:
    """The kind of what is asked for, and the names behind it; None for nothing."""
    found = {kind: value for kind, value in asked.items() if value not in (None, (), False)}
    if len(found) > 1:
        options = ", ".join(f"--{kind}" for kind in found)
        raise click.UsageError(f"{options}: expected one table at a time; take one of them")
    for kind, value in found.items():
        names = value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()
        return kind, tuple(name for name in names if name)
    return None


def _overview(run: Path, as_json: bool) -> None:
    from roqsim.analysis.overview import as_text, overview
    from roqsim.recording import open_recording

    facts = overview(open_recording(run))
    if as_json:
        print_json(facts)
    else:
        click.echo(as_text(facts))


def _answer(run: Path, question: tuple[str, tuple[str, ...], bool], moments: tuple, files: tuple) -> None:
    import sys

    from roqsim.analysis.selection import Selection
    from roqsim.cli.arguments import stdout_kept
    from roqsim.drivers.state import Destination, Question, answer
    from roqsim.recording import open_recording

    destination = Destination(*files)
    destination.check()
    stdout = sys.stdout
    with stdout_kept():
        kind, names, rerun = question
        answer(open_recording(run), Question(kind, names, Selection(*moments), rerun), destination, stdout)
    for path in (destination.out, destination.plot):
        if path is not None:
            click.echo(f"wrote {path}", err=True)
