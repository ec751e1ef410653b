from __future__ import annotations

import pytest
from roqsim.context import Endpoint, SimContext
from roqsim.errors import NotFoundError, RoqsimError


@pytest.fixture
def ctx():
    ctx = SimContext()
    ctx.dt = 0.004
    return ctx


def out(name, owner="robot", **options):
    return Endpoint(name, "out", owner, lambda: 1, **options)


def test_endpoints_are_listed_in_the_order_of_registration(ctx):
    first, second = ctx.interface.add(out("scan")), ctx.interface.add(Endpoint("cmd", "in", "robot", write=print))
    assert ctx.interface.all() == [first, second]
    assert ctx.interface.by_direction("in") == [second]
    assert len(ctx.interface) == 2


def test_one_name_may_have_both_directions_but_each_once(ctx):
    ctx.interface.add(out("pose"))
    inbound = ctx.interface.add(Endpoint("pose", "in", "robot", write=print))
    assert ctx.interface.get("robot", "pose", "in") is inbound
    with pytest.raises(RoqsimError, match="^robot/pose: expected one endpoint of this name and direction 'out'"):
        ctx.interface.add(out("pose"))
    ctx.interface.add(out("pose", owner="other"))


def test_a_rate_is_moved_to_what_the_step_can_hold(ctx):
    endpoint = ctx.interface.add(out("image", rate_hz=30.0))
    assert endpoint.rate.every_steps == 8
    assert endpoint.rate.realised_hz == pytest.approx(31.25)
    assert ctx.interface.add(out("state")).rate is None


def test_a_rate_that_moves_far_is_a_warning_that_names_its_neighbours(ctx, caplog):
    ctx.interface.add(out("scan", rate_hz=100.0))
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert "robot/scan: 100 Hz runs at 83.3333 Hz" in record.message
    assert record.message.endswith("this step can hold 62.5, 83.3333, 125 Hz")


@pytest.mark.parametrize("rate", [-1.0, 251.0, float("nan")])
def test_a_rate_that_can_not_be_held_is_refused_naming_the_endpoint(ctx, rate):
    with pytest.raises(RoqsimError, match=r"^robot/scan: expected a rate .*; lower the rate or sim\.timestep$"):
        ctx.interface.add(out("scan", rate_hz=rate))


def test_an_endpoint_that_does_not_exist_is_named_with_the_nearest(ctx):
    ctx.interface.add(out("scan"))
    with pytest.raises(NotFoundError, match=r"got 'robot/skan'; did you mean 'robot/scan'\?"):
        ctx.interface.get("robot", "skan")


def test_due_publications_add_up_over_episodes(ctx):
    endpoint = ctx.interface.add(out("scan", rate_hz=25.0))
    for ticks in (95, 20):
        ctx.interface.count_due(ticks)
    assert endpoint.counters.due == 9 + 2
