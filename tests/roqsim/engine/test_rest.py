"""Hooks that rest: left out of the ticks while they would do nothing, and back in their own rhythm once woken."""

from __future__ import annotations

import sys
import threading

import pytest
from roqsim.plugin import Plugin

PERIOD = 5


class Sleeper(Plugin):
    """Notes when it runs, every five ticks, and rests whenever it is told to."""

    def configure(self, ctx):
        self.ran: list[int] = []
        self.rests = False
        ctx.schedule(self, "post_step", 1.0 / (PERIOD * ctx.dt))

    def post_step(self, ctx):
        self.ran.append(ctx.tick)
        if self.rests:
            ctx.rest(self, "post_step")


class Waker(Plugin):
    """Wakes the sleeper from its own hook at tick 23."""

    def configure(self, ctx):
        self.sleeper = ctx.blackboard.require("sleeper", Sleeper)

    def post_step(self, ctx):
        if ctx.tick == 23:
            ctx.wake(self.sleeper, "post_step")


@pytest.fixture
def sleepers(world, monkeypatch):
    """An engine with sleepers of these names, and the plugins."""
    monkeypatch.setitem(sys.modules, "test_rest", sys.modules[__name__])

    def make(*names: str):
        engine = world({"components": [{"test_rest:Sleeper": {}, "name": name} for name in names]})
        return engine, *engine.plugins

    return make


@pytest.mark.parametrize("many", [1, 7, 40])
def test_a_hook_that_rests_is_left_out_until_it_is_woken(sleepers, many):
    engine, one, other = sleepers("one", "other")
    one.rests = True
    for _ in range(40 // many + 1):
        engine.advance(many)
    assert one.ran == [PERIOD]
    assert other.ran[:3] == [5, 10, 15]
    one.rests = False
    engine.ctx.wake(one, "post_step")
    before = engine.ctx.tick
    engine.advance(2 * PERIOD)
    assert one.ran[1:] == [tick for tick in range(before + 1, before + 11) if tick % PERIOD == 0]


def test_one_that_rests_alone_is_woken_by_another_thread(sleepers):
    engine, one = sleepers("one")
    one.rests = True
    engine.advance(12)
    thread = threading.Thread(target=engine.ctx.wake, args=(one, "post_step"))
    thread.start()
    thread.join()
    engine.advance(4)
    assert one.ran == [5, 15]


@pytest.mark.parametrize("many", [1, 7, 40])
def test_a_hook_may_rest_until_a_tick(sleepers, many):
    engine, one, other = sleepers("one", "other")
    other.rests = True
    engine.advance(PERIOD)
    engine.ctx.rest(one, "post_step", until=21)
    for _ in range(40 // many + 1):
        engine.advance(many)
    assert one.ran[:4] == [5, 25, 30, 35]
    assert other.ran == [5]


def test_who_rests_until_a_tick_can_be_woken_before_and_rests_no_longer_then(sleepers):
    engine, one = sleepers("one")
    engine.ctx.rest(one, "post_step", until=30)
    engine.advance(7)
    engine.ctx.wake(one, "post_step")
    engine.advance(10)
    one.rests = True
    engine.advance(30)
    assert one.ran == [10, 15, 20]


def test_a_hook_may_wake_another_one(world, monkeypatch):
    monkeypatch.setitem(sys.modules, "test_rest", sys.modules[__name__])
    monkeypatch.setattr(Sleeper, "build", lambda self, spec, ctx: ctx.blackboard.set("sleeper", self), raising=False)
    engine = world({"components": [{"test_rest:Sleeper": {}, "name": "one"}, {"test_rest:Waker": {}}]})
    engine.plugins[0].rests = True
    engine.advance(40)
    assert engine.plugins[0].ran == [5, 25]


def test_what_is_due_does_not_depend_on_who_rests(sleepers):
    engine, one = sleepers("one")
    one.rests = True
    engine.advance(30)
    assert engine.due(35) == [("one", "post_step")]


def test_an_endpoint_says_when_its_listeners_change(sleepers):
    from roqsim.context import Endpoint

    told = []
    endpoint = Endpoint("scan", "out", read=lambda: 1)
    endpoint.on_listeners = lambda: told.append(endpoint.is_watched)
    endpoint.has_subscribers = True
    endpoint.has_subscribers = lambda: False
    assert told == [True, False]
