"""Progress bars of commands that take long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

Report = Callable[[str, int, int], None]
"""Is told what goes on, how much of it is done, and how much there is."""


@contextmanager
def progress_bar() -> Iterator[Report]:
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
