"""Every exception that roqsim raises on purpose, and the nearest-match text that all of them use."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

LISTED_NAMES = 10
"""How many alternatives an error lists before it stops."""


class RoqsimError(Exception):
    """The base of all errors that are meant for a user: shown as one text, never as a traceback."""

    exit_status = 1


@dataclass(frozen=True)
class Problem:
    """One mistake in an input.

    Attributes:
        where: The address of the value, such as ``components.robot.lidar.rays``.
        expected: The rule that was broken, such as ``int > 0``.
        got: The ``repr`` of what was found, or None where nothing was.
        origin: Where the value was written (prints as ``world.yaml:6``), or None.
        hint: What to do about it, or an empty text.
    """

    where: str
    expected: str
    got: str | None = None
    origin: object | None = None
    hint: str = ""

    def __str__(self) -> str:
        text = f"{self.where}: expected {self.expected}" if self.where else f"expected {self.expected}"
        if self.got is not None:
            text += f", got {self.got}"
        if self.origin is not None:
            text += f" at {self.origin}"
        return f"{text}; {self.hint}" if self.hint else text

    @property
    def sort_key(self) -> tuple[str, int, str]:
        """Orders problems by file, then by line."""
        line = getattr(self.origin, "line", None)
        return (str(getattr(self.origin, "source", "")), -1 if line is None else line, self.where)


class ConfigError(RoqsimError):
    """The input is wrong: every mistake of it, in the order of its files and lines.

    Attributes:
        problems: The mistakes, sorted and without repetitions.
    """

    exit_status = 2

    def __init__(self, problems: Sequence[Problem | str] | Problem | str) -> None:
        listed = [problems] if isinstance(problems, Problem | str) else list(problems)
        found = [p if isinstance(p, Problem) else Message(p) for p in listed]
        first: dict[object, Problem] = {}
        for problem in found:
            # The same mistake may be met twice; who met it first knows the better hint.
            first.setdefault((type(problem), problem.where, problem.expected, problem.got, problem.origin), problem)
        self.problems: list[Problem] = sorted(first.values(), key=lambda problem: problem.sort_key)
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass(frozen=True)
class Message(Problem):
    """A mistake that is told in a sentence of its own rather than as a broken rule."""

    where: str
    expected: str = ""

    def __str__(self) -> str:
        text = self.where if self.origin is None else f"{self.where} at {self.origin}"
        return f"{text}; {self.hint}" if self.hint else text


class NotFoundError(RoqsimError):
    """A name that nothing answers to: a plugin, a model, a world, a body, a file."""

    exit_status = 2


class PluginError(RoqsimError):
    """A plugin failed in one of its hooks, or could not be made.

    Attributes:
        address: The component's address in the world.
        hook: The hook that raised, such as ``pre_step``.
    """

    def __init__(self, message: str, *, address: str = "", hook: str = "") -> None:
        super().__init__(message)
        self.address = address
        self.hook = hook


class BuildError(RoqsimError):
    """The world could not be compiled: MuJoCo's reason, and the component that brought the element."""

    exit_status = 2


class StaleError(RoqsimError):
    """Something that belongs to a world which was replaced; it has to be looked up in the current one."""


class SeedError(RoqsimError):
    """Something wants a random number in a run that was given no seed."""

    exit_status = 2


class DivergenceError(RoqsimError):
    """The simulated state became NaN, infinite or huge.

    Attributes:
        report: What diverged, where and when.
    """

    def __init__(self, message: str, report: object | None = None) -> None:
        super().__init__(message)
        self.report = report


class RecordingError(RoqsimError):
    """A file is no recording, a damaged one, or one from which its run cannot be built again."""

    exit_status = 4


class GLError(RoqsimError):
    """No usable OpenGL for pictures."""

    exit_status = 3


class FindingError(RoqsimError):
    """A check found something."""

    exit_status = 5


def reason_of(error: BaseException) -> str:
    """An exception that somebody's code raised, in one line: its class, its text, and where it arose."""
    trace, last = error.__traceback__, None
    while trace is not None:
        last, trace = trace, trace.tb_next
    at = f" at {last.tb_frame.f_code.co_filename}:{last.tb_lineno}" if last is not None else ""
    return f"{type(error).__name__}: {str(error) or 'no reason given'}{at}"


def os_reason(error: OSError) -> str:
    """What the operating system says of a failed call, in lower case, to stand within a sentence."""
    return (error.strerror or str(error)).lower()


def placed(text: str, origin: object | None) -> str:
    """An error about a component with the place of its entry, told before what to do about it.

    Args:
        text: The error, one line a mistake; a line that names a file and a line already stays as it is.
        origin: Where the entry was written (prints as ``world.yaml:6``); None, or one without a line, changes nothing.
    """
    if getattr(origin, "line", None) is None:
        return text
    return "\n".join(_placed(line, origin) for line in text.splitlines())


_PLACE = re.compile(r" at .+:\d+$")
"""How a mistake ends that is in another file, such as a component's model."""


def _placed(line: str, origin: object) -> str:
    rule, semicolon, hint = line.partition("; ")
    if f"{origin.source}:" in line:
        return line
    if "expected " in rule:
        return line if _PLACE.search(rule) else f"{rule} at {origin}{semicolon}{hint}"
    return f"{line}; its entry is at {origin}"


def suggest(name: str, names: Iterable[str]) -> str:
    """What to offer somebody who wrote a name that does not exist.

    Args:
        name: What was written.
        names: What exists.

    Returns:
        ``did you mean 'x'?`` where something is close, else the first ten names, else that there is none.
    """
    known = sorted(set(names))
    if not known:
        return "there is none"
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    if not close:
        sorted_words = {_words(candidate): candidate for candidate in known}
        nearest = difflib.get_close_matches(_words(name), sorted_words, n=1, cutoff=0.7)
        close = [sorted_words[nearest[0]]] if nearest else []
    if close:
        return f"did you mean {close[0]!r}?"
    more = f" and {len(known) - LISTED_NAMES} more" if len(known) > LISTED_NAMES else ""
    return f"there is {', '.join(repr(candidate) for candidate in known[:LISTED_NAMES])}{more}"


def _words(name: str) -> str:
    """A name with its words in alphabetical order, so that ``max_range`` is close to ``range_max``."""
    return "_".join(sorted(name.casefold().replace("-", "_").split("_")))
