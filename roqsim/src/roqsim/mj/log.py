"""Where MuJoCo's messages go: into ``logging``, never into a file of the working directory.

MuJoCo prints a warning to stderr and appends it to ``MUJOCO_LOG.TXT`` wherever the process happens to stand; its bindings repeat
the warnings of attach and compile as Python warnings, with details. Importing ``roqsim.mj`` turns the first two off.
"""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Iterator

import mujoco

LOG = logging.getLogger("roqsim.mujoco")

EXPECTED = ("Attaching a spec with an empty prefix",)
"""How warnings begin that say nothing to a user: an empty prefix is what the document asked for."""

_captured: list[list[str]] = []


def _receive(text: str) -> None:
    if _captured:
        _captured[-1].append(text.rstrip())
    else:
        LOG.warning("%s", text.rstrip())


def route_messages() -> None:
    """Sends MuJoCo's warnings to the logger ``roqsim.mujoco`` and stops its log file; calling it again changes nothing."""
    config = mujoco.MjLogConfig.get()
    config.logto_console = False
    config.logto_file = False
    config.set()
    mujoco.set_mju_user_warning(_receive)


@contextlib.contextmanager
def captured() -> Iterator[list[str]]:
    """Collects what MuJoCo warns about within the block, with its details, and logs it at the end.

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
        for text in texts:
            LOG.warning("%s", text)
