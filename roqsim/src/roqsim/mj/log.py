"""Where MuJoCo's messages go: into ``logging``, never into a file of the working directory.

MuJoCo prints a warning to stderr and appends it to ``MUJOCO_LOG.TXT`` wherever the process happens to stand; its
bindings repeat the warnings of attach and compile as Python warnings, with details. Importing ``roqsim.mj`` turns the
first two off.
"""

from __future__ import annotations

import contextlib
import logging
import re
import warnings
from collections.abc import Iterator

import mujoco

from roqsim.errors import BuildError

LOG = logging.getLogger("roqsim.mujoco")

EXPECTED = ("Attaching a spec with an empty prefix",)
"""How warnings begin that say nothing to a user: an empty prefix is what the document asked for."""

UNSTABLE = "The simulation is unstable"
"""What a verdict on a state contains; the engine reports that state itself, with names."""

_captured: list[list[str]] = []
_told: set[str] = set()
_NUMBER = re.compile(r"[-+]?\d[\d.e+-]*")


def _receive(text: str) -> None:
    """Logs a warning once, for MuJoCo repeats it in every step and at every contact."""
    text = text.rstrip()
    if _captured:
        _captured[-1].append(text)
        return
    kind = _NUMBER.sub("#", text)
    level = logging.DEBUG if UNSTABLE in text or kind in _told else logging.WARNING
    _told.add(kind)
    LOG.log(level, "%s", text)


def tell_anew() -> None:
    """Lets every warning be told again: another run begins."""
    _told.clear()


def route_messages() -> None:
    """Sends MuJoCo's warnings to the logger ``roqsim.mujoco`` and stops its log file; a second call changes nothing."""
    config = mujoco.MjLogConfig.get()
    config.logto_console = False
    config.logto_file = False
    config.set()
    mujoco.set_mju_user_warning(_receive)


@contextlib.contextmanager
def captured(*, log: bool = True) -> Iterator[list[str]]:
    """Collects what MuJoCo warns about within the block, with its details.

    Args:
        log: Whether to log it at the end; False for a compile that only measures something.

    Yields:
        The texts, filled in when the block ends.
    """
    texts: list[str] = []
    subjects: list[str] = []
    _captured.append(subjects)
    try:
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            yield texts
    finally:
        _captured.remove(subjects)
        details = [str(warning.message).rstrip() for warning in raised if warning.category is UserWarning]
        lone = [subject for subject in subjects if not any(detail.startswith(subject) for detail in details)]
        texts.extend(text for text in [*details, *lone] if not text.startswith(EXPECTED))
        for text in texts if log else ():
            LOG.warning("%s", text)


def compile_to_measure(spec: mujoco.MjSpec, where: str) -> mujoco.MjModel:
    """Compiles a part of a world to find something out; its warnings are left to the world's own compile.

    Args:
        spec: The part.
        where: Whose part it is; an error begins with it.

    Raises:
        BuildError: MuJoCo's reason.
    """
    try:
        with captured(log=False):
            return spec.compile()
    except ValueError as error:
        reason = " ".join(str(error).removeprefix("Error: ").split())
        raise BuildError(f"{where}: expected a model that compiles, got {reason!r} from MuJoCo") from None
