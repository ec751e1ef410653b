"""``roqsim sim``: run a world."""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from roqsim.cli.arguments import change_options
from roqsim.cli.completion import complete_run
from roqsim.cli.playback import is_recording, refuse_options, replay

if TYPE_CHECKING:
    from roqsim.config.world import SimConfig
    from roqsim.drivers.output import RunOutput
    from roqsim.drivers.summary import Summary
    from roqsim.drivers.tally import Limits
    from roqsim.drivers.world_source import WorldSource
    from roqsim.viewer import Viewer
    from roqsim.viewer.deck import Deck


class PacingType(click.ParamType):
    """``realtime``, ``asap`` or a positive factor."""

    name = "realtime|asap|FACTOR"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        if value in ("realtime", "asap"):
            return value
        try:
            factor = float(value)
        except (TypeError, ValueError):
            factor = 0.0
        if not 0.0 < factor < float("inf"):
            self.fail(f"expected 'realtime', 'asap' or a factor > 0, got {value!r}", param, ctx)
        return factor

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The words; a factor is nobody's to guess."""
        return [CompletionItem(word) for word in ("realtime", "asap") if word.startswith(incomplete)]


class SecondsType(click.FloatRange):
    """A finite number of seconds that is not negative."""

    name = "float"

    def __init__(self) -> None:
        super().__init__(min=0.0)

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Reads the number."""
        seconds = super().convert(value, param, ctx)
        if not math.isfinite(seconds):
            self.fail(f"expected a finite number of seconds, got {value!r}", param, ctx)
        return seconds


class PortType(click.IntRange):
    """A port; the word after a bare ``--browser`` is easily taken for one."""

    name = "PORT"

    def __init__(self) -> None:
        super().__init__(min=0, max=65535)

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Reads the number; the empty text of a bare option stays."""
        if value == "":
            return ""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(
                f"expected a port from 0 to 65535, got {value!r}; "
                "write --browser=PORT, or put --browser without one behind TARGET",
                param,
                ctx,
            )


@click.command("sim", short_help="Run a world, or replay a recording.")
@click.argument("target", metavar="TARGET", shell_complete=complete_run)
@change_options
@click.option("--headless", is_flag=True, help="Run without a window.")
@click.option("--pacing", type=PacingType(), help="Speed: realtime, asap, or simulated seconds a wall second.")
@click.option("--seconds", type=SecondsType(), help="End after so many simulated seconds.")
@click.option("--steps", type=click.IntRange(min=0), help="End after so many physics steps.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    envvar="ROQSIM_SEED",
    show_envvar=True,
    help="Seed of the run; wins over sim.seed.",
)
@click.option(
    "--record", metavar="FILE", type=click.Path(), help="Record the run into FILE: .mcap, or .npz for NumPy alone."
)
@click.option("--capture-fps", metavar="HZ", type=float, help="Samples a simulated second of --record; 25 by default.")
@click.option("--profile", is_flag=True, help="Time every hook and every phase of loading.")
@click.option("--no-communication", is_flag=True, help="Leave out every transport, such as the ROS 2 bridge.")
@click.option("--ros", is_flag=True, help="Add the ROS 2 bridge.")
@click.option("--tf-namespace", metavar="NAME", help="Publish /NAME/tf instead of /tf; implies --ros.")
@click.option("--sim-control", is_flag=True, help="Serve simulation_interfaces; implies --ros.")
@click.option("--manual-control", is_flag=True, help="Leave the controls to a person: no controller writes them.")
@click.option("--left-ui", is_flag=True, help="Open the window's panel of settings; Tab toggles it.")
@click.option("--right-ui", is_flag=True, help="Open the window's panel of joints and controls; Shift+Tab toggles it.")
@click.option(
    "--browser",
    type=PortType(),
    is_flag=False,
    flag_value="",
    metavar="[PORT]",
    help="Show the run on a web page instead of in a window; 0 for any port, 8080 or the next free one by default.",
)
@click.option("--browser-host", metavar="HOST", help="Serve the page there; to this machine alone by default.")
@click.option("--at", type=SecondsType(), metavar="T", help="Replay: begin there, held.")
@click.option("--browser-control", is_flag=True, help="Let the page pause, step, reset, push and set joints.")
def command(
    target: str,
    headless: bool,
    pacing: str | float | None,
    seconds: float | None,
    steps: int | None,
    seed: int | None,
    record: str | None,
    capture_fps: float | None,
    profile: bool,
    manual_control: bool,
    left_ui: bool,
    right_ui: bool,
    browser: int | str | None,
    browser_host: str | None,
    browser_control: bool,
    at: float | None,
    **world: object,
) -> None:
    """Runs TARGET in a window: a world file, an MJCF file, or package:world.

    The run ends at a limit, at a plugin's request, with Ctrl-C or SIGTERM, and closes everything in each case. Values
    are overridden by the file that ROQSIM_WORLD_OVERRIDES names, then by --override, then by --set.

    A recording (run.mcap, run.npz, or the folder of a run) is replayed instead; F1 lists the keys.
    """
    import logging

    from roqsim.drivers.logs import show_logs
    from roqsim.drivers.output import RunOutput
    from roqsim.drivers.tally import Limits
    from roqsim.drivers.target import load_target
    from roqsim.drivers.world_source import WorldSource

    page = (browser, browser_host, browser_control)
    is_recorded = is_recording(target)
    tracebacks = bool(click.get_current_context().find_root().params.get("traceback"))
    show_logs(logging.WARNING if is_recorded else logging.INFO, tracebacks=tracebacks)
    if is_recorded:
        refuse_options(click.get_current_context())
        replay(target, at, pacing, lambda deck: _views(False, left_ui, right_ui, *page, deck))
        return
    output = RunOutput.from_environment(record, capture_fps)
    if at is not None:
        raise click.UsageError("--at: expected a recording, got a world; 'roqsim render --at' shows one later on")
    source = WorldSource(lambda: load_target(target, **world), pacing, seed)
    config = source.load()
    views = _views(headless, left_ui, right_ui, *page)
    try:
        summary = _run(source, config, Limits(seconds, steps), profile, manual_control, views, output)
    finally:
        for view in views:
            view.close()
    click.echo(str(summary))
    if summary.failed:
        from roqsim.errors import RoqsimError

        raise summary.error or RoqsimError(summary.reason)


def _views(
    headless: bool,
    left_ui: bool,
    right_ui: bool,
    browser: int | str | None,
    browser_host: str | None,
    browser_control: bool,
    deck: Deck | None = None,
) -> list[Viewer]:
    windowless = "--browser" if browser is not None else "--headless" if headless else None
    if windowless and (left_ui or right_ui):
        raise click.UsageError(
            f"--left-ui, --right-ui: expected a window to open panels in, got {windowless}; take one"
        )
    if browser is not None:
        return [_page(browser, browser_host, browser_control, deck)]
    for option, value in (("--browser-host", browser_host), ("--browser-control", browser_control)):
        if value:
            raise click.UsageError(f"{option}: expected to stand with --browser; add it, or leave {option} out")
    if headless:
        return []
    from roqsim.viewer.display import require_display
    from roqsim.viewer.window import Window

    require_display("add --browser to watch in a browser" + (", or --headless" if deck is None else ""))
    return [Window(left_ui=left_ui, right_ui=right_ui, deck=deck)]


def _page(port: int | str, host: str | None, control: bool, deck: Deck | None) -> Viewer:
    """The page that shows the run; a port that is taken is known before the world is built."""
    from roqsim.viewer.browser.view import BrowserView

    def announce(line: str) -> None:
        click.echo(line, err=True)

    number = None if port == "" else int(port)
    return BrowserView(host or "127.0.0.1", number, control=control, announce=announce, deck=deck)


def _run(
    source: WorldSource,
    config: SimConfig,
    limits: Limits,
    profile: bool,
    manual_control: bool,
    views: Sequence[Viewer],
    output: RunOutput,
) -> Summary:
    from roqsim.drivers.progress import Progress
    from roqsim.drivers.runner import Runner
    from roqsim.drivers.signals import raise_on_sigterm
    from roqsim.engine import Engine

    seed = source.seed_of(config)
    if source.drawn is not None:
        logging.getLogger("roqsim").info("seed %d (drawn; --seed %d repeats this run)", seed, seed)
    engine = Engine(config, seed=seed, profile=profile, manual_control=manual_control)
    with _told(engine.format_timing, profile):
        with _told(engine.format_load_report, profile), raise_on_sigterm():
            engine.setup()
        try:
            output.attach(engine)
        except BaseException:
            engine.shutdown()
            raise
        limit = limits.in_steps(engine.ctx.dt)
        progress = Progress(None if limit is None else limit * engine.ctx.dt, sys.stderr)
        return Runner(engine, source.factor(config), limits, progress, views, source).run()


@contextmanager
def _told(table: Callable[[], str], wanted: bool) -> Iterator[None]:
    """Prints a table of times after what it times, also where that fails."""
    try:
        yield
    finally:
        if wanted:
            click.echo(table(), err=True)
