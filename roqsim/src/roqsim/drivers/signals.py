"""Ctrl-C, SIGTERM and a terminal that is closed as an orderly end of a run."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from roqsim.engine import Engine

REASONS = {
    signal.SIGINT: "interrupted (Ctrl-C)",
    signal.SIGTERM: "terminated (SIGTERM)",
    signal.SIGHUP: "the terminal was closed (SIGHUP)",
}


@contextmanager
def raise_on_sigterm() -> Iterator[None]:
    """Lets SIGTERM raise ``KeyboardInterrupt(SIGTERM)``, so that what is half set up is closed as after Ctrl-C.

    Outside the main thread nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt(signal.Signals(number))

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def stop_on_signals(engine: Engine) -> Iterator[None]:
    """Turns the first signal into a stop request; a second Ctrl-C interrupts for good.

    Outside the main thread, where Python handles no signals, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def request(number: int, frame: object) -> None:
        ctx = engine.ctx
        if ctx.stop_requested and number == signal.SIGINT:
            raise KeyboardInterrupt
        ctx.request_stop(REASONS[signal.Signals(number)])

    # Whoever starts a run by nohup wants it to outlive the terminal.
    is_kept = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    before = {number: signal.signal(number, request) for number in REASONS if not (is_kept and number == signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
