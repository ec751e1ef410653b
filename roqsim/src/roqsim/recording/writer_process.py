"""What runs in the process that writes a recording: ``python -m roqsim.recording.writer_process DESCRIPTOR``.

It carries samples from the shared rows to the files, flushes them each second, and answers over a connection. Where
that ends before the episode does, the run was killed: everything left goes into the files, which then say so.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle

from roqsim.errors import os_reason
from roqsim.recording.notes import Note
from roqsim.recording.ring import Outlet, Rows
from roqsim.recording.sink import Meta, Sink
from roqsim.recording.writer import WriteError

FLUSH = 1.0
"""Wall seconds after which what was sampled is on its way to the disk: what a kill of this process may cost."""


class Files:
    """The files of one episode.

    Args:
        outlet: Where samples come from.
        sinks: The files, as ``pickle`` sends them.
        meta: What is known at the begin.

    Attributes:
        outlet: Where samples come from.
        failure: What they failed with.
    """

    def __init__(self, outlet: Outlet, sinks: bytes, meta: Meta) -> None:
        self.failure: Exception | None = None
        self.outlet = outlet
        self._sinks: list[Sink] = []
        self._at: Sink | None = None
        self._last_status: Meta = {}
        self._status: Meta = {}
        self._flushed = time.monotonic()
        try:
            for sink in pickle.loads(sinks):
                self._at = sink
                sink.open(meta)
                self._sinks.append(sink)
        except Exception as error:
            self._fail(error)

    def note(self, notes: list[Note]) -> None:
        """Takes what happened beside the samples."""
        self._each(lambda sink: sink.note(notes))

    def tell(self, status: Meta) -> None:
        """Takes what is known of the run by now."""
        self._status = status

    def look(self) -> None:
        """Writes whole batches of what is there; all of it where it is time to flush."""
        if time.monotonic() - self._flushed >= FLUSH:
            self.flush()
        while self.failure is None and self.outlet.has_batch:
            self._write()

    def seconds_left(self) -> float:
        """Until the next flush."""
        return max(self._flushed + FLUSH - time.monotonic(), 0.0)

    def flush(self) -> None:
        """Hands everything that is there to the operating system."""
        self._flushed = time.monotonic()
        self._write_all()
        if self._status != self._last_status:
            self._last_status = self._status
            self._each(lambda sink: sink.status(self._status))
        self._each(lambda sink: sink.flush())

    def finish(self, meta: Meta) -> None:
        """Writes what is left and finishes every file."""
        self._write_all()
        self._each(lambda sink: sink.close(meta))

    def _write_all(self) -> None:
        while self.failure is None and self._write():
            pass

    def _write(self) -> bool:
        batch = self.outlet.peek()
        if batch is None:
            return False
        self._each(lambda sink: sink.write(batch))
        if self.failure is None:
            self.outlet.give_back(batch)
        return True

    def _each(self, act: Callable[[Sink], None]) -> None:
        """Does something with every file; after the first failure none is touched again."""
        try:
            for sink in self._sinks if self.failure is None else ():
                self._at = sink
                act(sink)
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self.failure = _told(self._at, error) if isinstance(error, OSError) else _with_trace(error)
        self.outlet.fail()
        for sink in self._sinks:
            sink.abandon()

    def abandon(self) -> None:
        """Lets go of every file as it is."""
        for sink in self._sinks if self.failure is None else ():
            sink.abandon()


class Service:
    """Does what the run asks for.

    Args:
        connection: Where requests come from and answers go.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rows: Rows | None = None
        self._files: Files | None = None

    def run(self) -> None:
        """Serves until it is told to end, or the run is gone."""
        try:
            while True:
                self._connection.poll(self._files.seconds_left() if self._files else None)
                # Counted before the requests are read: what was noted before a sample is in a file before it.
                if self._files:
                    self._files.outlet.count()
                while self._connection.poll():
                    request, *content = self._connection.recv()
                    if request == "end":
                        return self._lose()
                    self._obey(request, *content)
                if self._files:
                    self._files.look()
        except (EOFError, OSError):
            self._lose()

    def _lose(self) -> None:
        """Writes what is left of an episode whose end nobody told."""
        if self._files:
            self._files.outlet.count()
            self._files.flush()
            self._files.abandon()

    def _obey(self, request: str, *content: object) -> None:
        if request == "share":
            self._share(*content)
        elif request == "open":
            self._open(*content)
        elif request == "note":
            self._files.note(*content)
        elif request == "tell":
            self._files.tell(*content)
        elif request == "ask":
            self._answer()
        elif request == "flush":
            (self._files.outlet.head,) = content
            self._files.flush()
            self._answer()
        elif request == "finish":
            self._files.outlet.head, meta = content
            self._files.finish(meta)
            self._answer()
            self._files = None

    def _share(self, size: int) -> None:
        self._rows = Rows(size, recv_handle(self._connection))
        self._rows.close()

    def _open(self, dt: float, sinks: bytes, meta: Meta, folder: str) -> None:
        os.chdir(folder)
        self._files = Files(Outlet(self._rows, dt), sinks, meta)
        self._answer()

    def _answer(self) -> None:
        self._connection.send(self._files.failure)


def _told(sink: Sink | None, error: OSError) -> WriteError:
    """What to tell of a file that cannot be written."""
    path = getattr(sink, "path", None)
    reason = os_reason(error)
    text = f"{path}: expected a file that can be written, got {reason!r}; what was recorded until then can be read"
    return WriteError(text)


def _with_trace(error: Exception) -> Exception:
    """An error that says where it was raised, wherever it is read."""
    error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError("".join(traceback.format_exception(error)))
    return error


if __name__ == "__main__":
    Service(Connection(int(sys.argv[1]))).run()
