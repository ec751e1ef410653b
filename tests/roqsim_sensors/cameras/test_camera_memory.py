"""Worlds with cameras that come and go leave nothing behind."""

from __future__ import annotations

import gc
import os
import threading
from pathlib import Path

import pytest
from roqsim.testing import world

DOCUMENT = {"components": [{"camera": {"width": 64, "height": 48, "streams": ["colour", "depth"]}}]}
PAGE = os.sysconf("SC_PAGE_SIZE")


def most_resident(worlds: int) -> int:
    """Loads, runs and closes worlds; gives the most bytes that the process held between two of them."""
    most = 0
    for number in range(worlds):
        with world(DOCUMENT) as engine:
            engine.advance(20)
            assert engine.ctx.interface.get("", "depth").read() is not None
        if number % 10 == 9:
            gc.collect()
            most = max(most, int(Path("/proc/self/statm").read_text().split()[1]) * PAGE)
    return most


@pytest.mark.gl
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
def test_two_hundred_worlds_with_a_camera_leave_memory_and_threads_as_they_were():
    most_resident(50)
    threads = threading.active_count()
    first, second = most_resident(100), most_resident(100)
    assert second < 1.05 * first
    assert threading.active_count() == threads
