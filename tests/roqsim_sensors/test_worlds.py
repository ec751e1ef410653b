from __future__ import annotations

import pytest
from roqsim.presence import set_present
from roqsim_sensors.worlds import WORLDS_DIR


@pytest.mark.parametrize("name", sorted(path.stem for path in WORLDS_DIR.glob("*.yaml")))
def test_a_shipped_world_runs_and_stays_where_it_is(world, name):
    engine = world(f"roqsim_sensors:{name}")
    engine.advance(500)
    before = engine.ctx.data.qpos.copy()
    engine.advance(500)
    assert engine.ctx.data.qpos == pytest.approx(before, abs=1e-4)


def test_the_visitor_of_the_lidar_room_is_seen_when_it_comes(world):
    engine = world("roqsim_sensors:lidar_room", seed=1)
    endpoint = engine.ctx.interface.get("scanner", "scan")
    to_the_south = 90
    assert endpoint.read().ranges[to_the_south] > 3.0
    set_present(engine.ctx, "visitor", True)
    assert endpoint.read().ranges[to_the_south] == pytest.approx(1.6, rel=0.05), (
        "within five times the noise of its data sheet"
    )
