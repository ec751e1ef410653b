"""The thread that carries samples from the rows to the files, and flushes them each second."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence

from roqsim.errors import RoqsimError
from roqsim.recording.notes import Note
from roqsim.recording.ring import Ring
from roqsim.recording.sink import Meta, Sink

FLUSH = 1.0
"""Wall seconds after which what was sampled is on its way to the disk: what a kill may cost."""


class WriteError(RoqsimError):
    """A recording cannot be written; the run ends with it, and what was written stays readable."""


class Writer:
    """Feeds the files of one episode.

    Args:
        ring: The rows that the samples come through.
        sinks: The files.
        notes: Gives what was noted since its last call.
        status: Gives what is known of the run by now.
    """

    def __init__(
        self, ring: Ring, sinks: Sequence[Sink], notes: Callable[[], list[Note]], status: Callable[[], Meta]
    ) -> None:
        self._ring, self._sinks = ring, list(sinks)
        self._notes, self._status = notes, status
        self._last_status: Meta = {}
        self._at: Sink | None = None
        self._ending = threading.Event()
        self._asked, self._answered = 0, 0
        self._flushed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="roqsim-recording", daemon=True)

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    def flush(self) -> None:
        """Blocks until what was sampled by now is in the hands of the operating system."""
        with self._flushed:
            self._asked += 1
            asked = self._asked
            self._ring.wake()
            self._flushed.wait_for(lambda: self._answered >= asked or not self._thread.is_alive())

    def stop(self) -> None:
        """Writes what is left and ends the thread; the files are not finished yet."""
        self._ending.set()
        self._ring.wake()
        self._thread.join()

    def finish(self, meta: Meta) -> None:
        """Finishes the files; after a failure each is left as it is, for its end would not be true.

        Raises:
            WriteError: One of them cannot be written, and nobody was told yet.
        """
        failure = self._ring.failure
        for sink in self._sinks:
            try:
                if failure is None:
                    sink.close(meta)
                else:
                    sink.abandon()
            except OSError as error:
                failure = failure or failed(sink, error)
                sink.abandon()
        if failure is not None and not self._ring.is_failure_told:
            raise failure

    def _run(self) -> None:
        try:
            flushed = time.monotonic()
            while True:
                is_last, asked = self._ending.is_set(), self._asked
                self._carry(all_of_it=is_last)
                now = time.monotonic()
                if is_last or asked > self._answered or now - flushed >= FLUSH:
                    self._flush()
                    self._answer(asked)
                    flushed = now
                if is_last:
                    return
                self._ring.wait(max(FLUSH - (now - flushed), 0.0))
        except BaseException as error:
            self._ring.fail(failed(self._at, error) if isinstance(error, OSError) else error)
            self._answer(sys.maxsize)

    def _answer(self, asked: int) -> None:
        with self._flushed:
            self._answered = asked
            self._flushed.notify_all()

    def _carry(self, *, all_of_it: bool) -> None:
        """Hands on what makes a batch, or everything; what was noted before a sample reaches a file before it."""
        ring = self._ring
        while all_of_it or ring.head - ring.tail >= ring.batch:
            head = ring.head
            self._hand_notes()
            batch = ring.peek(head)
            if batch is None:
                break
            for sink in self._sinks:
                self._at = sink
                sink.write(batch)
            ring.give_back(batch)

    def _hand_notes(self) -> None:
        notes = self._notes()
        for sink in self._sinks if notes else ():
            self._at = sink
            sink.note(notes)

    def _flush(self) -> None:
        self._carry(all_of_it=True)
        status = self._status()
        for sink in self._sinks:
            self._at = sink
            if status != self._last_status:
                sink.status(status)
            sink.flush()
        self._last_status = status


def failed(sink: Sink | None, error: OSError) -> WriteError:
    """What to tell of a file that cannot be written."""
    path = getattr(sink, "path", None)
    reason = (error.strerror or str(error)).lower()
    text = f"{path}: expected a file that can be written, got {reason!r}; what was recorded until then can be read"
    return WriteError(text)
