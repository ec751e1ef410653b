"""``roqsim render``: stills and videos."""

from __future__ import annotations

import re
from pathlib import Path

import click

from roqsim.cli.arguments import change_options, print_json, stdout_kept
from roqsim.cli.bar import progress_bar
from roqsim.cli.completion import complete_subject
from roqsim.cli.sim import SecondsType
from roqsim.cli.words import WordyCommand

MOST = 8192
"""Columns and rows of the largest picture."""

LIST = "list"
"""The overlay that is none: its name asks for the names of all others."""


RANGE = (("from", "start"), ("to", "stop"), ("speed", "speed"))
"""The options of a video of a recording, and what they are called here."""


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
    instead = "state"


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
@click.option("--at", type=SecondsType(), help="Simulate so many seconds first; of a recording, its moment.")
@click.option("--state", metavar="RUN", help="Show a recording instead of TARGET: a still of its end, or all of it.")
@click.option("--from", "start", type=SecondsType(), metavar="T", help="Begin a video of a recording there.")
@click.option("--to", "stop", type=SecondsType(), metavar="T", help="End a video of a recording there.")
@click.option(
    "--speed", type=click.FloatRange(0.0, 1000.0, min_open=True), help="Recorded seconds a second of a video; 1."
)
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
    state: str | None,
    out: Path | None,
    overlays: tuple[str, ...],
    sets: tuple[str, ...],
    overrides: tuple[str, ...],
    view: tuple[str, ...],
    start: float | None,
    stop: float | None,
    speed: float | None,
    **order: object,
) -> None:
    """Make a still or a video of TARGET, or of a recorded run.

    TARGET is a world (a YAML or MJCF file, package:world), a model (its name, package:model, menagerie:NAME, a URDF
    file) or a mesh (an STL or OBJ file); models and meshes stand on a studio floor. The camera is the world's sim.view
    with --view laid over it, and what both leave open is chosen so that everything is in the picture. Standard output
    is one line of JSON with the camera in the words of --view.
    """
    if LIST in overlays:
        _list_overlays()
        return
    ctx = click.get_current_context()
    for name, value in (("target", target or state), ("out", out)):
        if value is None:
            raise click.MissingParameter(ctx=ctx, param=next(each for each in ctx.command.params if each.name == name))
    import logging

    from roqsim.drivers.logs import show_logs

    show_logs(logging.WARNING)
    cut = {"start": start, "stop": stop, "speed": speed}
    with stdout_kept(), progress_bar() as progress:
        if state is None:
            _refuse({f"--{key}": cut[name] for key, name in RANGE}, "--state beside it; add it, or leave this out")
            order["at"] = order["at"] or 0.0
            reply = _render(target, out, overlays, sets, overrides, view, order, progress)
        else:
            given = {"TARGET": target, "--set": sets, "--override": overrides, "--seed": order.pop("seed")}
            given["--seconds"] = order.pop("seconds")
            _refuse(given, "to stand without --state, which fixes the world and the time; take one")
            reply = _render_state(state, out, overlays, view, order, cut, progress)
    print_json(reply)


def _refuse(options: dict[str, object], expected: str) -> None:
    """Refuses options that mean nothing here."""
    for option, value in options.items():
        if value not in (None, ()):
            raise click.UsageError(f"{option}: expected {expected}")


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
    from roqsim.drivers.pictures.order import Order, view_assignments
    from roqsim.drivers.pictures.picture import render
    from roqsim.drivers.pictures.subject import load_subject
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


def _render_state(
    state: str,
    out: Path,
    overlays: tuple[str, ...],
    view: tuple[str, ...],
    order: dict[str, object],
    cut: dict[str, float | None],
    progress: object,
) -> dict[str, object]:
    from dataclasses import replace

    from roqsim.drivers.pictures.order import Order, view_assignments
    from roqsim.drivers.pictures.picture import shoot
    from roqsim.drivers.pictures.recorded_stage import Cut, RecordedStage
    from roqsim.recording import open_recording
    from roqsim.rendering.overlays import load_overlay

    given = view_assignments(view)
    painted = tuple(load_overlay(text) for text in overlays)
    at = order.pop("at")
    wanted = Order(out, overlays=painted, viewed=frozenset(each.path[2] for each in given), **order)
    wanted.check()
    part = Cut(at, cut["start"], cut["stop"], cut["speed"] or 1.0)
    if wanted.is_video:
        _refuse({"--at": at}, f"a still, got {str(out)!r}; a video has --from and --to")
    else:
        _refuse({f"--{key}": cut[name] for key, name in RANGE}, f"a video, got {str(out)!r}; a still has --at")
    recording = open_recording(state)
    part.check(recording)
    if wanted.is_video:
        wanted = replace(wanted, seconds=part.seconds(recording))
    return shoot(RecordedStage(recording, part, wanted.is_video, given), wanted, progress)


def _list_overlays() -> None:
    from roqsim.rendering.overlays import overlay_entries

    found = overlay_entries()
    width = max((len(entry.name) for entry in found), default=0)
    for entry in found:
        click.echo(f"{entry.name:<{width}}  {entry.dist} ({entry.value})")
