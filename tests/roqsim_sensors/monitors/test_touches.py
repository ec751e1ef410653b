from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim_sensors.monitors.latch import Latch
from roqsim_sensors.monitors.touches import ContactFilter, presses
from roqsim_sensors.monitors.watch import IGNORED, OTHER, OWN, WATCHED, Watch

STACK = """
<mujoco><option timestep="0.002"/><worldbody><geom name="floor" type="plane" size="5 5 .1"/>
  <body pos="0 0 .1"><freejoint/><geom name="low" type="box" size=".1 .1 .1" mass="2"/></body>
  <body pos=".02 0 .25"><freejoint/><geom name="high" type="box" size=".05 .05 .05" mass="1"/></body>
</worldbody></mujoco>
"""
FLOOR, LOW, HIGH = range(3)
GRAVITY = 9.81


def settled(xml: str = STACK, steps: int = 2000):
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, steps)
    return model, data


def watching(model, kinds: dict[int, int], *, own_parts: bool = False) -> Watch:
    table = np.full(model.ngeom + 1, OTHER, dtype=np.uint8)
    for geom, kind in kinds.items():
        table[geom] = kind
    return Watch(None, "test", table, own_parts)


def found(model, data, kinds, **options):
    min_force = options.pop("min_force", 0.0)
    rows = ContactFilter(data, watching(model, kinds, **options)).rows()
    return {(press.part, press.other): press for press in presses(model, data, rows, min_force)}


def test_a_resting_stack_presses_with_its_weight_at_its_centre():
    model, data = settled()
    touching = found(model, data, {LOW: WATCHED})
    assert set(touching) == {(LOW, FLOOR), (LOW, HIGH)}
    floor, high = touching[LOW, FLOOR], touching[LOW, HIGH]
    assert (floor.x, floor.y) == pytest.approx((0, 0), abs=1e-3)
    assert floor.z == pytest.approx(3 * GRAVITY, abs=1e-3)
    assert high.z == pytest.approx(-GRAVITY, abs=1e-3)
    assert floor.magnitude == pytest.approx(3 * GRAVITY, abs=1e-3)
    assert high.position == pytest.approx((0.02, 0, 0.2), abs=1e-3)
    # The torque balance puts the floor's reaction under the common centre of mass.
    assert floor.position[0] == pytest.approx(0.02 / 3, abs=1e-3)
    assert 0.0 < floor.penetration < 1e-3


def test_the_force_on_the_one_is_the_opposite_of_that_on_the_other():
    model, data = settled()
    up, down = found(model, data, {HIGH: WATCHED})[HIGH, LOW], found(model, data, {LOW: WATCHED})[LOW, HIGH]
    assert (up.x, up.y, up.z) == (-down.x, -down.y, -down.z)
    assert up.position == down.position


@pytest.mark.parametrize("angle", [0.0, 10.0, 20.0, 30.0])
def test_on_a_slope_the_force_still_points_up(angle):
    xml = f"""<mujoco><option cone="elliptic"/><worldbody>
      <geom type="plane" size="5 5 .1" euler="0 {angle} 0" friction="2"/>
      <body pos="0 0 .1" euler="0 {angle} 0"><freejoint/><geom type="box" size=".2 .2 .1" mass="2" friction="2"/></body>
      </worldbody></mujoco>"""
    model, data = settled(xml, 400)
    (press,) = found(model, data, {1: WATCHED}).values()
    assert (press.x, press.y, press.z) == pytest.approx((0, 0, 2 * GRAVITY), abs=0.02)


def test_ignored_and_own_geoms_do_not_count_unless_own_parts_do():
    model, data = settled()
    assert set(found(model, data, {LOW: WATCHED, FLOOR: IGNORED})) == {(LOW, HIGH)}
    assert set(found(model, data, {LOW: WATCHED, HIGH: OWN})) == {(LOW, FLOOR)}
    assert set(found(model, data, {LOW: WATCHED, HIGH: OWN}, own_parts=True)) == {(LOW, FLOOR), (LOW, HIGH)}
    assert set(found(model, data, {LOW: WATCHED, HIGH: WATCHED})) == {(LOW, FLOOR)}
    assert (LOW, HIGH) in found(model, data, {LOW: WATCHED, HIGH: WATCHED}, own_parts=True)


def test_a_threshold_is_on_the_pair_not_on_each_point():
    model, data = settled()
    assert set(found(model, data, {LOW: WATCHED}, min_force=20.0)) == {(LOW, FLOOR)}
    assert data.ncon > 4
    assert not found(model, data, {LOW: WATCHED}, min_force=30.0)


def test_a_contact_inside_a_gap_is_no_touch():
    xml = """<mujoco><worldbody><geom type="plane" size="1 1 .1"/><body pos="0 0 .11"><joint type="slide" axis="1 0 0"/>
      <geom size=".1" gap=".05"/></body></worldbody></mujoco>"""
    model, data = settled(xml, 1)
    assert data.ncon == 1
    assert not found(model, data, {1: WATCHED})


def test_a_cloth_that_lies_on_a_box_touches_it():
    xml = """<mujoco><worldbody><geom type="box" size=".3 .3 .1"/>
      <flexcomp name="cloth" type="grid" count="4 4 1" spacing=".1 .1 .1" pos="0 0 .12" radius=".01" dim="2" mass=".2">
      <contact selfcollide="none"/></flexcomp></worldbody></mujoco>"""
    model, data = settled(xml, 500)
    touching = found(model, data, {0: WATCHED})
    assert set(touching) == {(0, -1)}
    assert touching[0, -1].z == pytest.approx(-0.2 * GRAVITY, rel=0.02)


def test_the_filter_follows_contacts_that_come_and_go():
    model = mujoco.MjModel.from_xml_string(STACK)
    data = mujoco.MjData(model)
    data.qpos[9] = 0.6
    contacts = ContactFilter(data, watching(model, {HIGH: WATCHED}))
    seen = []
    for _ in range(400):
        mujoco.mj_step(model, data)
        one = contacts.rows()
        fresh = ContactFilter(data, watching(model, {HIGH: WATCHED})).rows()
        assert one == fresh
        seen.append(bool(one))
    assert seen[0] is False
    assert seen[-1] is True


@given(st.lists(st.booleans(), max_size=60), st.integers(1, 6), st.integers(1, 12))
def test_a_latch_shows_every_touch_to_whoever_samples_and_counts_gaps(touched, apart, hold):
    latch = Latch(apart, hold)
    count, last = 0, None
    for tick, is_touched in enumerate(touched, start=1):
        if is_touched:
            count += last is None or tick - last > apart
            last = tick
            latch.touch(tick)
        recent = touched[max(0, tick - hold) : tick]
        assert latch.is_shown(tick) == any(recent)
    assert latch.count == count
    latch.release()
    assert not latch.is_shown(len(touched))
