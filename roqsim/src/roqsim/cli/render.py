"""``roqsim render``: stills and videos."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from roqsim.cli.arguments import change_options, print_json, stdout_kept
from roqsim.cli.completion import complete_subject
from roqsim.cli.sim import SecondsType
from roqsim.cli.words import WordyCommand

MOST = 8192
"""Columns and rows of the largest picture."""

LIST = "list"
"""The overlay that is none: its name asks for the names of all others."""


class SizeType(click.ParamType):
    """Columns and rows, such as ``1280x720``."""

    name = "WxH"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Reads the two numbers."""
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(\d+)[xX](\d+)", str(value).strip())
        size = (int(match[1]), int(match[2])) if match else (0, 0)
        if not all(1 <= edge <= MOST for edge in size):
            self.fail(f"expected columns x rows from 1x1 to {MOST}x{MOST}, such as 1280x720, got {value!r}", param, ctx)
        return size


class RenderCommand(WordyCommand):
    """``roqsim render``, whose ``--view`` and ``--focus`` take several words."""

    wordy = {"--view": lambda word: re.match(r"[a-z_]+=", word) is not None, "--focus": lambda word: True}
    argument = "target"


@click.command("render", cls=RenderCommand, short_help="Make stills and videos.")
@click.argument("target", metavar="TARGET", required=False, shell_complete=complete_subject)
@click.option(
    "--out", metavar="FILE", type=click.Path(path_type=Path), help="Still: .png .jpg; video: .mp4 .gif .webp."
)
@click.option(
    "--size", metavar="WxH", type=SizeType(), help="Columns and rows; 1280x720 by default, 480x270 for a GIF."
)
@click.option(
    "--view", metavar="KEY=VALUE…", multiple=True, help="Place the camera: azimuth elevation distance lookat track."
)
@click.option("--camera", metavar="NAME", help="Look through a camera of the model.")
@click.option("--focus", metavar="ENTITY…", multiple=True, help="Show these entities rather than the whole scene.")
@click.option("--at", type=SecondsType(), default=0.0, help="Simulate so many seconds first.")
@click.option("--seconds", type=SecondsType(), help="Length of a video; 5 by default.")
@click.option("--fps", type=click.FloatRange(0.0, 1000.0, min_open=True), help="Frames a second; 25, for a GIF 10.")
@click.option(
    "--quality",
    type=click.Choice(["auto", "low", "medium", "high"]),
    default="auto",
    show_default=True,
    help="Shadows, reflections and smooth edges.",
)
@click.option(
    "--overlay", "overlays", metavar="NAME[:K=V,…]", multiple=True, help="Paint on every frame; 'list' lists them."
)
@change_options
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the run; wins over sim.seed.")
def command(
    target: str | None,
    out: Path | None,
    overlays: tuple[str, ...],
    sets: tuple[str, ...],
    overrides: tuple[str, ...],
    view: tuple[str, ...],
    **order: object,
) -> None:
    """Make a still or a video of TARGET.

    TARGET is a world (a YAML or MJCF file, package:world), a model (its name, package:model, menagerie:NAME, a URDF
    file) or a mesh (an STL or OBJ file); models and meshes stand on a studio floor. The camera is the world's sim.view
    with --view laid over it, and what both leave open is chosen so that everything is in the picture. Standard output
    is one line of JSON with the camera in the words of --view.
    """
    if LIST in overlays:
        _list_overlays()
        return
    ctx = click.get_current_context()
    for name, value in (("target", target), ("out", out)):
        if value is None:
            raise click.MissingParameter(ctx=ctx, param=next(each for each in ctx.command.params if each.name == name))
    import logging

    from roqsim.drivers.logs import show_logs

    show_logs(logging.WARNING)
    with stdout_kept(), _bar() as progress:
        reply = _render(target, out, overlays, sets, overrides, view, order, progress)
    print_json(reply)


def _render(
    target: str,
    out: Path,
    overlays: tuple[str, ...],
    sets: tuple[str, ...],
    overrides: tuple[str, ...],
    view: tuple[str, ...],
    order: dict[str, object],
    progress: object,
) -> dict[str, object]:
    from roqsim.drivers.order import Order, view_assignments
    from roqsim.drivers.picture import render
    from roqsim.drivers.subject import load_subject
    from roqsim.drivers.target import read_overrides
    from roqsim.rendering.overlays import load_overlay

    given = view_assignments(view)
    wanted = Order(
        out,
        overlays=tuple(load_overlay(text) for text in overlays),
        viewed=frozenset(each.path[2] for each in given),
        **order,
    )
    wanted.check()
    subject = load_subject(target, [*read_overrides(overrides, sets), *given])
    return render(subject, wanted, progress)


def _list_overlays() -> None:
    from roqsim.rendering.overlays import overlay_entries

    found = overlay_entries()
    width = max((len(entry.name) for entry in found), default=0)
    for entry in found:
        click.echo(f"{entry.name:<{width}}  {entry.dist} ({entry.value})")


@contextmanager
def _bar() -> Iterator[object]:
    """A progress bar on standard error, where that is a terminal; yields what is told of the progress."""
    bars: dict[str, object] = {}

    def finish() -> None:
        while bars:
            bars.popitem()[1].render_finish()

    def report(what: str, done: int, total: int) -> None:
        if not sys.stderr.isatty():
            return
        if what not in bars:
            finish()
            bars[what] = click.progressbar(length=total, label=what, file=sys.stderr)
        bars[what].update(done - bars[what].pos)

    try:
        yield report
    finally:
        finish()
