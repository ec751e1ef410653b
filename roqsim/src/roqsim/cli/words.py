"""Options that take several words after them: ``--focus robot table`` is ``--focus robot --focus table``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import click

Fits = Callable[[str], bool]


class WordyCommand(click.Command):
    """A command with options that take as many words as follow and fit.

    Where the words of such an option have taken the command's only argument too, the last of them is given back.

    Attributes:
        wordy: The options, and which further words each of them takes.
        argument: The name of the argument.
        instead: The name of an option that stands in the argument's place; empty for none.
    """

    wordy: Mapping[str, Fits] = {}
    argument = ""
    instead = ""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses the arguments with one option before every word."""
        spread, extra = spread_words(args, self.wordy)
        if extra is not None and not ctx.resilient_parsing:
            values, _, _ = self.make_parser(ctx).parse_args(args=list(spread))
            if not any(isinstance(values.get(name), str) for name in (self.argument, self.instead)):
                del spread[extra - 1]
        return super().parse_args(ctx, spread)


def spread_words(args: list[str], wordy: Mapping[str, Fits]) -> tuple[list[str], int | None]:
    """Repeats an option before each word that it takes.

    Returns:
        The arguments, and the place of the last word that was not written straight after its option.

    >>> spread_words(["--view", "a=1", "b=2", "w.yaml"], {"--view": lambda word: "=" in word})
    (['--view', 'a=1', '--view', 'b=2', 'w.yaml'], 3)
    """
    spread: list[str] = []
    extra = None
    fits: Fits | None = None
    option = ""
    is_first = False
    for index, word in enumerate(args):
        if word == "--":
            return spread + args[index:], extra
        if is_first and not word.startswith("-"):
            spread.append(word)
            is_first = False
        elif word in wordy:
            option, fits, is_first = word, wordy[word], True
            spread.append(word)
        elif fits is not None and not is_first and not word.startswith("-") and fits(word):
            spread += [option, word]
            extra = len(spread) - 1
        else:
            fits = None
            is_first = False
            spread.append(word)
    return spread, extra
