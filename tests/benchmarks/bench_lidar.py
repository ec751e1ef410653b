"""What a scan costs over the bare ray cast of the same rays."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import mujoco
import numpy as np
from roqsim.raycast import visible_groups
from roqsim.testing import world

ROUNDS = 200
SCANS = 20

BUDGET = 1.10
"""For a 360-ray scan, ready to publish, with the noise off."""


def rows() -> list[tuple[str, float, float]]:
    """One line of the budget: what was measured, the ratio to bare MuJoCo, and the largest ratio that is good."""
    with world("roqsim_sensors:lidar_room") as engine:
        ctx = engine.ctx
        engine.advance(500)
        sensor = next(plugin for plugin in engine.plugins if plugin.address == "scanner.lidar")
        endpoint = ctx.interface.get("scanner", "scan")
        scan = endpoint.read()

        def ready() -> None:
            for _ in range(SCANS):
                ctx.state_changed(derived=True)
                endpoint.read()

        bare = _bare(ctx.model, ctx.data, sensor, len(scan.ranges))
        ratio = _ratio(ready, bare)
    return [("a 360-ray scan, ready to publish, to a bare mj_multiRay of the same rays", ratio, BUDGET)]


def _bare(model: mujoco.MjModel, data: mujoco.MjData, sensor: object, count: int) -> Callable[[], None]:
    """Casts the sensor's rays from its place, with nothing but MuJoCo's call in the loop."""
    site = model.site(f"scanner_{sensor.config.site}").id
    origin = data.site_xpos[site].copy()
    rays = (sensor.rays() @ data.site_xmat[site].reshape(3, 3).T).ravel()
    geoms, distances = np.empty(count, dtype=np.int32), np.empty(count)
    groups, limit = visible_groups(), sensor.config.range_max
    excluded = int(model.site_bodyid[site])

    def run() -> None:
        for _ in range(SCANS):
            mujoco.mj_multiRay(model, data, origin, rays, groups, 1, excluded, geoms, distances, None, count, limit)

    return run


def _ratio(ours: Callable[[], None], bare: Callable[[], None]) -> float:
    """The median ratio of two durations, measured in turn so that a machine's moods hit both."""
    ours(), bare()
    ratios = []
    for index in range(ROUNDS):
        times = {}
        for run in (ours, bare) if index % 2 else (bare, ours):
            start = time.perf_counter()
            run()
            times[run] = time.perf_counter() - start
        ratios.append(times[ours] / times[bare])
    return statistics.median(ratios)


if __name__ == "__main__":
    for what, ratio, budget in rows():
        print(f"{what}: {ratio:.3f} (budget {budget:g})")
