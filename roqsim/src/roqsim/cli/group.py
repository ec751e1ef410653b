"""The root command: finds the commands, of the core and of other packages, and shows every error as one text.

A core command is a module of this folder with a click command called ``command``; another package adds one as an
entry point of the group ``roqsim.commands``. Modules are imported when their command or its line in the overview is
wanted, and import anything heavy inside their callbacks, so that help pages stay quick.
"""

from __future__ import annotations

import importlib
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import click

from roqsim.cli.failure import failure
from roqsim.errors import PluginError, RoqsimError, suggest
from roqsim.registry import COMMANDS, Entry, entries

CORE = (
    "sim",
    "render",
    "state",
    "health",
    "verify",
    "sweep",
    "export",
    "import",
    "check",
    "catalog",
    "scenes",
    "schema",
    "doctor",
    "completion",
)
"""The core's commands, in the order in which a newcomer meets them."""

MODULES = {"import": "importing"}
"""The modules of commands that a module cannot be called by, for Python keeps the word to itself."""

EPILOG = (
    "Exit status: 0 good, 1 the run failed, 2 the input was wrong, 3 no usable OpenGL, 4 a recording that cannot be "
    "read, 5 a check that found something. The reason is the last line on standard error."
)

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}
"""How the help pages of ``roqsim`` and of its scripts look."""

_COMPLETION_VARIABLE = "_ROQSIM_COMPLETE"


class BrokenCommand(click.Command):
    """Stands in the overview for another package's command that cannot be loaded, and says why when it is called."""

    def __init__(self, entry: Entry, reason: str) -> None:
        settings = {"ignore_unknown_options": True, "allow_extra_args": True}
        super().__init__(entry.name, short_help=f"(broken) {reason}", context_settings=settings, add_help_option=False)
        self.reason = f"{reason}; repair or uninstall {entry.dist}"

    def invoke(self, ctx: click.Context) -> None:
        """Refuses to run.

        Raises:
            PluginError: always, with the reason.
        """
        raise PluginError(f"roqsim {self.name}: {self.reason}")


class NoCommand(click.UsageError):
    """A group was called without saying which of its commands is wanted: all of them are shown, the reason last."""

    def __init__(self, ctx: click.Context) -> None:
        super().__init__(f"{ctx.command_path}: expected a command, got none; name one of the above", ctx)

    def show(self, file: object | None = None) -> None:
        """Writes the help page and the reason to standard error."""
        click.echo(f"{self.ctx.get_help()}\n\nError: {self.message}", file=file, err=True, color=self.ctx.color)


class SuggestingGroup(click.Group):
    """A group of commands that offers the nearest one to a misspelt name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses the arguments; without any there is nothing to do."""
        if not args and not ctx.resilient_parsing:
            raise NoCommand(ctx)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Looks a command up, or names the nearest."""
        name = args[0]
        if not name.startswith("-") and not ctx.resilient_parsing and self.get_command(ctx, name) is None:
            path, names = ctx.command_path, self.list_commands(ctx)
            inner = self._inner(ctx, name)
            hint = f"did you mean '{path} {inner} {name}'?" if inner else suggest(name, names)
            raise click.UsageError(f"{path}: expected a command, got {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def _inner(self, ctx: click.Context, name: str) -> str | None:
        """The command that has one of that name below it."""
        for each in self.list_commands(ctx):
            group = self.get_command(ctx, each)
            if isinstance(group, click.Group) and name in group.list_commands(ctx):
                return each
        return None


class LazyGroup(SuggestingGroup):
    """A group whose commands are modules, imported when their command or their line in the overview is wanted.

    Args:
        modules: The commands in the order of the help page, and the modules with their ``command``.
    """

    def __init__(self, *args: object, modules: dict[str, str], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the table."""
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports one command."""
        module = self.modules.get(cmd_name)
        return None if module is None else importlib.import_module(module).command


class CommandLine(SuggestingGroup):
    """The root of all commands."""

    def __init__(self, name: str) -> None:
        super().__init__(
            name,
            help="Simulate robots in MuJoCo: one YAML file declares the world, its robots and sensors.",
            epilog=EPILOG,
            context_settings=SETTINGS,
        )
        self.params += [_version_option(), _traceback_option()]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The core's commands, then those of other packages by name."""
        return [*CORE, *sorted(set(_entries()) - set(CORE))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports one command; one of another package that fails becomes a ``BrokenCommand``."""
        if cmd_name in CORE:
            return importlib.import_module(f"roqsim.cli.{MODULES.get(cmd_name, cmd_name)}").command
        entry = _entries().get(cmd_name)
        return None if entry is None else _load(entry)

    def invoke(self, ctx: click.Context) -> object:
        """Runs the command that the arguments name, and turns what it raises into one text and an exit status."""
        with _told(ctx):
            return super().invoke(ctx)

    def main(self, *args: object, **kwargs: object) -> object:
        """The entry point of the script ``roqsim``; the arguments are click's."""
        if _COMPLETION_VARIABLE in os.environ:
            from roqsim.cli.completion import complete_across_colons

            complete_across_colons()
        kwargs.setdefault("prog_name", self.name)
        kwargs.setdefault("complete_var", _COMPLETION_VARIABLE)
        return super().main(*args, **kwargs)


class ScriptCommand(click.Command):
    """A command with a console script of its own, which shows errors as ``roqsim`` does."""

    def invoke(self, ctx: click.Context) -> object:
        """Runs the command, and turns what it raises into one text and an exit status."""
        with _told(ctx):
            return super().invoke(ctx)


@contextmanager
def _told(ctx: click.Context) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        shown = failure(error)
        if shown is None or ctx.params.get("traceback"):
            raise
        raise shown from error
    except KeyboardInterrupt as error:
        number = error.args[0] if error.args else signal.SIGINT
        click.echo("terminated" if number == signal.SIGTERM else "interrupted", err=True)
        raise click.exceptions.Exit(128 + number) from None


def _entries() -> dict[str, Entry]:
    return {entry.name: entry for entry in entries(COMMANDS)}


def _load(entry: Entry) -> click.Command:
    try:
        command = entry.load()
    except RoqsimError as error:
        return BrokenCommand(entry, str(error))
    if not isinstance(command, click.Command):
        return BrokenCommand(entry, f"{entry.value}: expected a click command, got {command!r}")
    return command


def _version_option() -> click.Option:
    def show(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            from roqsim import __version__

            click.echo(f"roqsim {__version__}")
            ctx.exit()

    return click.Option(
        ["-V", "--version"],
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=show,
        help="Show the version and exit.",
    )


def _traceback_option() -> click.Option:
    return click.Option(
        ["--traceback"],
        is_flag=True,
        envvar="ROQSIM_TRACEBACK",
        show_envvar=True,
        help="Show where in the code an error arose.",
    )
