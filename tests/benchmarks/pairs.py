"""Two durations, measured side by side."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def paired(ours: Callable[[], None], bare: Callable[[], None], rounds: int) -> float:
    """The median ratio of two durations.

    A round is ours, bare, bare, ours: a machine's moods hit both, and a drift tilts neither.

    Args:
        ours: What is measured.
        bare: What it is compared with.
        rounds: How many rounds the ratio is the median of.
    """
    ours(), bare()
    ratios = []
    for _ in range(rounds):
        took = {ours: 0.0, bare: 0.0}
        for run in (ours, bare, bare, ours):
            start = time.perf_counter()
            run()
            took[run] += time.perf_counter() - start
        ratios.append(took[ours] / took[bare])
    return statistics.median(ratios)
