"""Where the messages of a run go: to stderr, plain for people or stamped for a log."""

from __future__ import annotations

import logging
import os
import sys

FORMAT_VARIABLE = "ROQSIM_LOG_FORMAT"
"""Set to ``stamped``, every line carries wall time and level."""


def show_logs(level: int = logging.INFO) -> None:
    """Sends roqsim's messages to stderr; to be called once by a command."""
    logger = logging.getLogger("roqsim")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    handler = logging.StreamHandler(sys.stderr)
    stamped = os.environ.get(FORMAT_VARIABLE) == "stamped"
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s" if stamped else "%(message)s"))
    logger.addHandler(handler)
    logger.setLevel(level)
    logger.propagate = False
