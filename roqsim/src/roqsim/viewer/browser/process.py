"""The process that serves the page, as the run sees it: started, talked to, and gone when the run is."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from multiprocessing.connection import Connection

from roqsim.viewer.browser.link import Link, Message

MODULE = "roqsim.viewer.browser.page"
"""What the process runs."""

END_TIMEOUT = 3.0
"""Wall seconds that it may take to end."""

REASON_TIMEOUT = 2.0
"""Wall seconds that a process that hung up may take to say why."""


class PageProcess:
    """Starts the process; a process of its own keeps Studio's threads, hooks and crashes away from the run.

    Args:
        listening: Where browsers come in; the process takes it over.
        local: Whether the page is served to this machine alone.
        receive: Called with each message of the page, on a thread of its own.
        ended: Called there with the reason when the process ends before ``close``.
    """

    def __init__(
        self,
        listening: socket.socket,
        *,
        local: bool,
        receive: Callable[[Message], None],
        ended: Callable[[str], None],
    ) -> None:
        self._ended = ended
        self._is_closing = False
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        ours, theirs = socket.socketpair()
        with theirs:
            # A session of its own: Ctrl-C ends the run, and the run ends the page. No GL, for it draws nothing itself.
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-m", MODULE),
                    *(str(listening.fileno()), str(theirs.fileno()), "local" if local else "open"),
                ],
                pass_fds=(listening.fileno(), theirs.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                start_new_session=True,
                env={**os.environ, "MUJOCO_GL": "disable"},
            )
        self._link = Link(Connection(ours.detach()), receive, self._hung_up)
        self.put, self.put_latest = self._link.put, self._link.put_latest

    def _hung_up(self) -> None:
        if self._is_closing:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(REASON_TIMEOUT)
        self._ended(self._last_words())

    def _last_words(self) -> str:
        """The last line that the process wrote to its standard error."""
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"exit status {self._process.returncode}"

    def close(self) -> None:
        """Asks the process to end, and sees to it that it does."""
        self._is_closing = True
        self.put("bye")
        try:
            self._process.wait(END_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._link.close()
        self._errors.close()
