"""The process that writes a recording, seen from the run: started, told what happens, asked to flush and to finish.

It is a process of its own because the run and what compresses its samples would otherwise wait for each other: Python
runs one thread at a time. It also outlives a run that is killed, and writes down what is left.
"""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
import time
import weakref
from collections.abc import Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle

from roqsim.errors import RoqsimError, os_reason
from roqsim.recording.notes import Note
from roqsim.recording.ring import Rows
from roqsim.recording.sink import Meta, Sink

LOG = logging.getLogger("roqsim")

GLANCE = 0.0005
"""Wall seconds between two looks whether there is room again."""


class WriteError(RoqsimError):
    """A recording cannot be written; the run ends with it, and what was written stays readable."""


class Writer:
    """Feeds the files of one episode after the other.

    Attributes:
        failure: What the files of this episode failed with, as far as it is known here.
    """

    def __init__(self) -> None:
        self.failure: BaseException | None = None
        self._is_failure_told = False
        self._rows: Rows | None = None
        self._connection, theirs = Pipe()
        # A session of its own: Ctrl-C in a terminal is for the run, which then tells the writer.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "roqsim.recording.writer_process", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            env=_environment(),
        )
        theirs.close()
        self.end = weakref.finalize(self, _end, self._connection, self._process)

    def rows(self, size: int) -> Rows:
        """Memory that is shared with the process; that of the episode before where it fits.

        Args:
            size: How many numbers a state has.

        Raises:
            WriteError: There is not enough.
        """
        if self._rows is None or self._rows.states.shape[1] != size:
            try:
                self._rows = Rows(size)
            except OSError as error:
                reason = os_reason(error)
                raise WriteError(f"recording: expected shared memory for its samples, got {reason!r}") from None
        return self._rows

    def open(self, dt: float, sinks: Sequence[Sink], meta: Meta) -> None:
        """Makes the files of an episode, whose samples come from ``rows``.

        Args:
            dt: The physics step in seconds.
            sinks: The files; they go to the other process and have to be what ``pickle`` can send.
            meta: What is known at the begin.

        Raises:
            WriteError: A file cannot be made.
        """
        self.failure, self._is_failure_told = None, False
        self._share()
        self._post("open", dt, pickle.dumps(list(sinks)), meta, os.getcwd())
        self._require(self._answer())

    def _share(self) -> None:
        """Gives the process the memory, once."""
        rows = self._rows
        if rows.file < 0:
            return
        self._post("share", rows.states.shape[1])
        try:
            send_handle(self._connection, rows.file, self._process.pid)
        except OSError:
            raise _ended() from None
        rows.close()

    def note(self, notes: Sequence[Note]) -> None:
        """Hands on what happened; it reaches a file before any sample that comes later."""
        self._post("note", list(notes))

    def tell(self, status: Meta) -> None:
        """Hands on what is known of the run by now."""
        self._post("tell", status)

    def look(self) -> None:
        """Lets the process look for samples."""
        self._post("look")

    def wait(self) -> None:
        """Waits a little for room.

        Raises:
            BaseException: What the files failed with.
        """
        time.sleep(GLANCE)
        self._post("ask")
        self._require(self._answer())

    def flush(self, head: int) -> None:
        """Blocks until the samples before the one with index ``head`` are in the hands of the operating system.

        Raises:
            WriteError: They cannot be written.
        """
        self._ask("flush", head)
        self._require(self.failure)

    def finish(self, head: int, meta: Meta) -> None:
        """Writes what is left and finishes the files; after a failure each is left as it is: its end were not true.

        Raises:
            WriteError: One of them cannot be written, and nobody was told yet.
        """
        self._ask("finish", head, meta)
        if self.failure is not None and not self._is_failure_told:
            self._require(self.failure)

    def _ask(self, request: str, *content: object) -> None:
        self._post(request, *content)
        self.failure = self.failure or self._answer()

    def _require(self, failure: BaseException | None) -> None:
        if failure is not None:
            self.failure, self._is_failure_told = failure, True
            raise failure

    def _post(self, request: str, *content: object) -> None:
        try:
            self._connection.send((request, *content))
        except OSError:
            raise _ended() from None

    def _answer(self) -> BaseException | None:
        try:
            return self._connection.recv()
        except (EOFError, OSError):
            return _ended()


def _ended() -> WriteError:
    return WriteError("the process that writes the recording has ended; what was recorded until then can be read")


def _environment() -> dict[str, str]:
    """What the process finds: the same packages, and no GL, for a library that a window needs may not be there."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
    environment.pop("LD_PRELOAD", None)
    return {**environment, "MUJOCO_GL": "disable"}


def _end(connection: Connection, process: subprocess.Popen) -> None:
    """Lets the process end; it is told so, because a fork of this one may keep the connection open."""
    try:
        connection.send(("end",))
    except OSError:
        LOG.debug("the process that writes a recording was gone before it was told to end")
    connection.close()
    process.wait()
