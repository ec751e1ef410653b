"""``roqsim completion SHELL``, and what the shell is offered for targets and models."""

from __future__ import annotations

from glob import escape
from pathlib import Path

import click
from click.shell_completion import CompletionItem

SHELLS = {
    "bash": ('eval "$(roqsim completion bash)"', "~/.bashrc"),
    "zsh": ('eval "$(roqsim completion zsh)"', "~/.zshrc"),
    "fish": ("roqsim completion fish | source", "~/.config/fish/config.fish"),
}
"""For each shell, the line that switches completion on and the file that it belongs in."""

RECORDINGS = (".mcap", ".npz", ".npz.stream")
"""How the names of recordings end; the last is what a killed run leaves."""

WORD_BREAKS = ":="
"""Where bash parts a word that the user sees as one."""


class ShellType(click.Choice):
    """One of the shells; what is missing is told on one line."""

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """What to write."""
        return f"Choose from {', '.join(self.choices)}."


@click.command()
@click.argument("shell", type=ShellType(list(SHELLS)))
def command(shell: str) -> None:
    """Print a shell's completion script.

    It completes commands, options, worlds and models.
    """
    from click.shell_completion import get_completion_class

    from roqsim.cli import main

    complete_across_colons()
    line, file = SHELLS[shell]
    click.echo(f"# To complete roqsim in {shell}, add to {file}:  {line}")
    click.echo(get_completion_class(shell)(main, {}, "roqsim", "_ROQSIM_COMPLETE").source())


command.help += "\n\n\b\n" + "\n".join(f"{line:<36} in {file}" for line, file in SHELLS.values())


def complete_target(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Worlds of the installed packages, and files."""
    from roqsim.worlds import MJCF, YAML, list_worlds

    return _with_files([world.ref for world in list_worlds()], (*YAML, *MJCF), incomplete)


def complete_run(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Worlds, files of them, and recordings."""
    from roqsim.worlds import MJCF, YAML, list_worlds

    return _with_files([world.ref for world in list_worlds()], (*YAML, *MJCF, *RECORDINGS), incomplete)


def complete_model(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Models of the installed packages, by name and by ``package:name``, and files."""
    from roqsim.models import SUFFIXES, list_models

    names = {name for model in list_models() for name in (model.name, model.ref)}
    return _with_files(sorted(names), SUFFIXES, incomplete)


def complete_subject(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What a picture can be taken of: worlds and models of the installed packages, and files."""
    from roqsim.models import SUFFIXES, list_models
    from roqsim.worlds import MJCF, YAML, list_worlds

    names = {name for model in list_models() for name in (model.name, model.ref)}
    names |= {world.ref for world in list_worlds()}
    return _with_files(sorted(names), (*YAML, *MJCF, *SUFFIXES, ".stl", ".obj"), incomplete)


def complete_recording(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Recordings, and the folders that may hold one."""
    return _files(RECORDINGS, incomplete) or [CompletionItem(incomplete, type="file")]


def _with_files(names: list[str], suffixes: tuple[str, ...], incomplete: str) -> list[CompletionItem]:
    """The names that fit, with the files and folders that fit; where no name does, whatever the shell offers."""
    fitting = [name for name in names if name.startswith(incomplete)]
    if not fitting:
        return [CompletionItem(incomplete, type="file")]
    return [*map(CompletionItem, fitting), *_files(suffixes, incomplete)]


def _files(suffixes: tuple[str, ...], incomplete: str) -> list[CompletionItem]:
    """The files and folders that fit."""
    head = incomplete[: incomplete.rfind("/") + 1]
    paths = sorted(Path(head or ".").glob(f"{escape(incomplete[len(head) :])}*"))
    files = [f"{head}{path.name}" for path in paths if path.name.endswith(suffixes)]
    folders = [f"{head}{path.name}/" for path in paths if path.is_dir() and not path.name.startswith(".")]
    return [CompletionItem(found) for found in (*files, *folders)]


def complete_across_colons() -> None:
    """Makes bash complete ``package:world``, which it splits at the colon into three words."""
    from click.shell_completion import BashComplete, add_completion_class

    class ColonBash(BashComplete):
        def get_completion_args(self) -> tuple[list[str], str]:
            args, incomplete = super().get_completion_args()
            *args, incomplete = rejoin([*args, incomplete])
            self._head = incomplete[: max(incomplete.rfind(mark) for mark in WORD_BREAKS) + 1]
            return args, incomplete

        def format_completion(self, item: CompletionItem) -> str:
            value = item.value
            if value is not None and value.startswith(self._head):
                item = CompletionItem(value[len(self._head) :], item.type, item.help)
            return super().format_completion(item)

    add_completion_class(ColonBash)


def rejoin(words: list[str]) -> list[str]:
    """The words as typed, from those that bash parted at colons and equals signs.

    >>> rejoin(["sim", "roqsim_mobile", ":", "tur"])
    ['sim', 'roqsim_mobile:tur']
    """
    joined: list[str] = []
    open_end = False
    for word in words:
        is_break = word != "" and set(word) <= set(WORD_BREAKS)
        if joined and (is_break or open_end):
            joined[-1] += word
        else:
            joined.append(word)
        open_end = is_break
    return joined
