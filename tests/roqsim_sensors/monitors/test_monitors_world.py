from __future__ import annotations

import pytest
from roqsim.testing import check_plugin
from roqsim_sensors.plugins.bumper import Bumper
from roqsim_sensors.plugins.contact_monitor import ContactMonitor


@pytest.fixture
def readings(world):
    """What each monitor of the cart says once the cart pushes the crate with its 20 N."""
    engine = world("roqsim_sensors:monitors")
    engine.advance(1500)
    read = engine.ctx.blackboard.require
    return {
        kind: read(f"{kind}:{kind}")()
        for kind in ("bumper", "contact_monitor", "clearance_monitor", "energy_monitor", "upright_monitor")
    }


def test_the_pads_share_the_push_and_the_front_has_all_of_it(readings):
    forces = {zone.name: zone.force for zone in readings["bumper"].zones}
    assert forces == pytest.approx({"left": 10, "right": 10, "front": 20, "around": 20}, rel=1e-6)


def test_the_crate_is_named_with_the_force_on_the_cart(readings):
    report = readings["contact_monitor"]
    assert report.counts == {"crate": 1}
    assert report.force == pytest.approx([-20, 0, 0], abs=1e-6)
    assert {touch.part.geom for touch in report.touches} == {"cart_pad_left", "cart_pad_right"}


def test_the_pillar_is_what_is_nearest_beside_the_crate(readings):
    report = readings["clearance_monitor"]
    assert report.distance == pytest.approx(0.4 - 0.1 - 0.12, abs=1e-6)
    assert report.now.other.entity == "pillar"


def test_a_blocked_motor_still_draws_heat_and_idle_power(readings):
    report = readings["energy_monitor"]
    assert report.power == pytest.approx(5 + 0.02 * 20**2, rel=1e-6)
    # The way to the crate, 0.03 m under 20 N, is all the work there is.
    assert report.mechanical_energy == pytest.approx(20 * 0.03, rel=2e-3)


def test_the_post_stands(readings):
    assert not readings["upright_monitor"].fallen


@pytest.mark.parametrize("cls", [Bumper, ContactMonitor])
def test_a_reset_gives_the_same_series_to_the_bit(cls):
    check_plugin(cls, "roqsim_sensors:monitors", seconds=0.5)
