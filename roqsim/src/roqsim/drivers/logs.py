"""Where the messages of a run go: to stderr, plain for people or stamped for a log."""

from __future__ import annotations

import logging
import os
import sys

FORMAT_VARIABLE = "ROQSIM_LOG_FORMAT"
"""Set to ``stamped``, every line carries wall time and level."""


class Lines(logging.Formatter):
    """Writes a message without the traceback of its exception."""

    def formatException(self, ei: object) -> str:
        """Leaves the traceback out."""
        return ""


def show_logs(level: int = logging.INFO, *, tracebacks: bool = False) -> None:
    """Sends roqsim's messages to stderr; to be called once by a command.

    Args:
        level: The least level that is shown.
        tracebacks: Whether an exception is shown with its traceback.
    """
    logger = logging.getLogger("roqsim")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    handler = logging.StreamHandler(sys.stderr)
    stamped = os.environ.get(FORMAT_VARIABLE) == "stamped"
    layout = "%(asctime)s %(levelname)s %(message)s" if stamped else "%(message)s"
    handler.setFormatter((logging.Formatter if tracebacks else Lines)(layout))
    logger.addHandler(handler)
    logger.setLevel(level)
    logger.propagate = False
