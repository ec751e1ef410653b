from __future__ import annotations

from roqsim.plugin import HOOKS
from roqsim.plugins.dummy import Dummy
from roqsim.testing import check_plugin

WORLD = {"components": [{"dummy": {"rate_hz": 100}, "name": "d"}]}


def test_the_dummy_keeps_the_contract():
    check_plugin(Dummy, WORLD)


def test_every_hook_is_called(world):
    engine = world(WORLD)
    engine.advance(50)
    dummy = engine.plugins[0]
    engine.shutdown()
    assert dummy.calls.keys() == set(HOOKS)
    assert (dummy.calls["pre_step"], dummy.calls["post_step"], dummy.calls["build"]) == (10, 10, 1)


def test_its_endpoint_counts_from_the_last_reset(world):
    engine = world(WORLD)
    count = engine.ctx.interface.get("d", "count")
    engine.advance(50)
    assert count.read().steps == 10
    engine.reset()
    assert (count.read().steps, count.read().stamp_ns) == (0, 0)
