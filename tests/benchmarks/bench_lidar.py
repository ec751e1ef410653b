"""What a scan costs over the bare ray cast of the same rays."""

from __future__ import annotations

import os
from collections.abc import Callable

import mujoco
import numpy as np
from pairs import paired
from roqsim.raycast import visible_groups
from roqsim.testing import world

SCAN_BUDGET = 1.10
"""For a 360-ray scan, ready to publish, with the noise off."""

CLOUD_BUDGET = 1.05
"""For a 20,160-ray cloud, ready to publish, with the noise off, cast on one thread."""

POOL_BUDGET = 0.6
"""For the same cloud, cast on two threads while two cores are free."""

EXACT = ["components.scanner.lidar.range_stddev_relative=0"]
"""The scanner of the lidar room without noise, which is another cost than rays."""

CLOUD = [
    "components.puck.lidar_3d.rings=28",
    "components.puck.lidar_3d.azimuths=720",
    "components.puck.lidar_3d.range_stddev=0",
]
"""Makes the demo's spinning lidar one of 20,160 rays."""

Row = tuple[str, float, float]
"""What was measured, the ratio to bare MuJoCo, and the largest ratio that is good."""


def rows() -> list[Row]:
    """The lines of the budget that are about rays."""
    found = [
        _row("lidar_room", "scanner", EXACT, "a 360-ray scan, ready to publish", SCAN_BUDGET, rounds=100, scans=20)
    ]
    what = "a 20,160-ray 3-D scan, ready to publish"
    for threads, name, budget in ((1, "on one thread", CLOUD_BUDGET), (2, "on two threads", POOL_BUDGET)):
        if len(os.sched_getaffinity(0)) >= threads:
            overrides = [*CLOUD, f"components.puck.lidar_3d.threads={threads}"]
            found.append(_row("cloud_room", "puck", overrides, f"{what}, {name}", budget, rounds=30, scans=1))
    return found


def _row(name: str, owner: str, overrides: list[str], what: str, budget: float, *, rounds: int, scans: int) -> Row:
    """The first stream of an entity of a demo world, measured against the bare cast of its rays."""
    from roqsim.config.overrides import overrides_from_dotlist

    with world(f"roqsim_sensors:{name}", overrides=overrides_from_dotlist(overrides)) as engine:
        ctx = engine.ctx
        engine.advance(500)
        sensor = next(plugin for plugin in engine.plugins if plugin.owner == owner)
        endpoint = ctx.interface.get(owner, sensor.stream)

        def ready() -> None:
            for _ in range(scans):
                ctx.state_changed(derived=True)
                endpoint.read()

        ratio = paired(ready, _bare(ctx.model, ctx.data, sensor, scans), rounds)
    return f"{what}, to a bare mj_multiRay", ratio, budget


def _bare(model: mujoco.MjModel, data: mujoco.MjData, sensor: object, scans: int) -> Callable[[], None]:
    """Casts the sensor's rays from its place, with nothing but MuJoCo's call in the loop."""
    site = model.site(f"{sensor.owner}_{sensor.config.site}").id
    origin = data.site_xpos[site].copy()
    directions = sensor.rays()
    rays, count = (directions @ data.site_xmat[site].reshape(3, 3).T).ravel(), len(directions)
    geoms, distances = np.empty(count, dtype=np.int32), np.empty(count)
    groups, limit = visible_groups(), sensor.config.range_max
    excluded = int(model.site_bodyid[site])

    def run() -> None:
        for _ in range(scans):
            mujoco.mj_multiRay(model, data, origin, rays, groups, 1, excluded, geoms, distances, None, count, limit)

    return run
