"""roqsim's messages through the logger of another program."""

from __future__ import annotations

import logging
from typing import Protocol


class ForeignLogger(Protocol):
    """A logger that takes one text per message: no arguments to format, no exception."""

    def debug(self, msg: str) -> None: ...

    def info(self, msg: str) -> None: ...

    def warning(self, msg: str) -> None: ...

    def error(self, msg: str) -> None: ...


class LogRelay(logging.Handler):
    """Hands every message on as one text, from ``attach`` until ``detach``.

    Args:
        target: Who gets them.
    """

    def __init__(self, target: ForeignLogger) -> None:
        super().__init__()
        self._target = target
        self._source = logging.getLogger("roqsim")
        self._level_before: int | None = None

    def attach(self) -> None:
        """Begins to relay what roqsim says from INFO on."""
        self._level_before = self._source.level
        if self._source.getEffectiveLevel() > logging.INFO:
            self._source.setLevel(logging.INFO)
        self._source.addHandler(self)

    def detach(self) -> None:
        """Ends it; may be called more than once."""
        self._source.removeHandler(self)
        if self._level_before is not None:
            self._source.setLevel(self._level_before)
            self._level_before = None

    def emit(self, record: logging.LogRecord) -> None:
        """Hands a message on."""
        target = self._target
        if record.levelno >= logging.ERROR:
            write = target.error
        elif record.levelno >= logging.WARNING:
            write = target.warning
        else:
            write = target.info if record.levelno >= logging.INFO else target.debug
        try:
            write(record.getMessage())
        except Exception:
            self.handleError(record)
