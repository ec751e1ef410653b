"""The part of ``roqsim sim`` that shows a recording instead of running a world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roqsim.cli.completion import RECORDINGS

if TYPE_CHECKING:
    from roqsim.viewer import Viewer
    from roqsim.viewer.deck import Deck

TAKEN = ("target", "pacing", "at", "left_ui", "right_ui", "browser", "browser_host", "browser_control")
"""The parameters that mean something for a recording."""


def is_recording(target: str) -> bool:
    """Whether a target is a recording, or a folder that holds one."""
    path = Path(target)
    names = [each.name for each in path.iterdir()] if path.is_dir() else [path.name]
    return any(name.lower().endswith(RECORDINGS) for name in names)


def refuse_options(ctx: click.Context) -> None:
    """Refuses what only a run of a world can take.

    Raises:
        click.UsageError: Such an option was given.
    """
    for parameter in ctx.command.params:
        name = str(parameter.name)
        is_given = ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE
        if not is_given or name in TAKEN:
            continue
        if name == "headless":
            hint = "'roqsim render --state' makes pictures and videos of it, 'roqsim state' tables and plots"
            raise click.UsageError(f"--headless: expected somewhere to show the recording; leave it out, or {hint}")
        raise click.UsageError(f"{parameter.opts[0]}: expected a world to run, got a recording; leave it out")


def replay(
    target: str,
    at: float | None,
    pacing: str | float | None,
    make_views: Callable[[Deck], Sequence[Viewer]],
) -> None:
    """Shows a recording until its window is closed or a signal comes.

    Args:
        target: The recording, or the folder that holds it.
        at: Simulated seconds at which it begins, held; None for the beginning, playing.
        pacing: The speed at first: ``realtime``, or simulated seconds a wall second.
        make_views: Makes the views, given what plays the recording.
    """
    from roqsim.analysis.selection import Selection
    from roqsim.drivers.replay import Replay
    from roqsim.recording import open_recording
    from roqsim.viewer.deck import Deck

    if pacing == "asap":
        raise click.UsageError("--pacing: expected 'realtime' or a factor for a recording, got 'asap'")
    recording = open_recording(target)
    Selection(at=at).check(recording)
    deck = Deck(recording.times, speed=pacing if isinstance(pacing, float) else 1.0, at=at, paused=at is not None)
    views = list(make_views(deck))
    try:
        reason = Replay(recording, recording.rebuild(preview=True), deck, views).run()
    finally:
        for view in views:
            view.close()
    click.echo(f"replayed {recording.path}: {reason}")
