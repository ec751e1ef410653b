"""The base of all sensors: cadence, latency and demand, on a barometer, the simplest of them."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import read
from roqsim.errors import ConfigError, RoqsimError
from roqsim.presence import set_present
from roqsim.sensing.sensor import Sensor, SensorConfig

STEP_NS = 2_000_000


@dataclass(frozen=True, kw_only=True)
class ClockConfig(SensorConfig):
    """Nothing of its own."""


class Clock(Sensor):
    """Measures the tick, and notes when it did."""

    Config = ClockConfig
    stream = "clock"

    def configure(self, ctx):
        self.measured = []
        super().configure(ctx)

    def measure(self, ctx):
        self.measured.append(ctx.tick)
        return (ctx.tick,)


@pytest.fixture
def clock(world, monkeypatch):
    """A clock at 50 Hz under 500 Hz of physics: ``(engine, endpoint, plugin)``."""
    monkeypatch.setitem(sys.modules, "clocks", sys.modules[__name__])

    def make(**config):
        crate = {"boxes": {"instances": [{"name": "crate", "size": [1, 1, 1]}]}, "name": "crates"}
        entry = {"clocks:Clock": {"rate_hz": 50, "body": "crate", **config}, "name": "clock"}
        engine = world({"sim": {"timestep": 0.002}, "components": [crate, entry]})
        plugin = next(plugin for plugin in engine.plugins if plugin.name == "clock")
        return engine, engine.ctx.interface.get("", "clock"), plugin

    return make


def readings(engine, endpoint, ticks: int) -> list[int | None]:
    """What is read at each tick from now on: the tick of the measurement."""
    found = []
    for _ in range(ticks):
        sample = endpoint.read()
        found.append(None if sample is None else sample[0])
        engine.step()
    return found


def test_without_a_delay_a_due_measurement_is_read_at_once(clock):
    engine, endpoint, _ = clock()
    assert readings(engine, endpoint, 21) == [0] * 10 + [10] * 10 + [20]


@pytest.mark.parametrize(("delay", "steps"), [(0.002, 1), (0.006, 3), (0.0055, 3), (0.02, 10), (0.034, 17)])
def test_a_measurement_is_read_that_long_after_its_stamp(clock, delay, steps):
    engine, endpoint, plugin = clock(delay=delay)
    found = readings(engine, endpoint, 50)
    expected = [max([tick - steps - (tick - steps) % 10, 0]) or None for tick in range(50)]
    assert found == expected
    assert plugin.measured == [10, 20, 30, 40, 50]


def test_a_delayed_sensor_measures_before_anybody_asks_unless_nobody_can(clock):
    engine, endpoint, plugin = clock(delay=0.03)
    engine.advance(57)
    assert endpoint.read() == (40,)
    engine, endpoint, plugin = clock(delay=0.03)
    endpoint.has_subscribers = False
    engine.advance(57)
    assert plugin.measured == []
    assert endpoint.read() is None
    engine.advance(40)
    assert plugin.measured == [60, 70, 80, 90]
    assert endpoint.read() == (80,)


def test_what_is_underway_never_grows(clock):
    engine, endpoint, plugin = clock(delay=0.05)
    engine.advance(2000)
    assert len(plugin._underway) <= 4
    assert endpoint.counters.produced == 0


def test_a_reset_forgets_what_is_underway(clock):
    engine, endpoint, _ = clock(delay=0.03)
    engine.advance(44)
    assert endpoint.read() == (20,)
    engine.reset()
    assert readings(engine, endpoint, 30) == [None] * 25 + [10] * 5


def test_each_delayed_measurement_counts_once(clock):
    engine, endpoint, _ = clock(delay=0.006)
    readings(engine, endpoint, 50)
    assert endpoint.counters.produced == 4


@pytest.mark.parametrize("delay", [0.0, 0.006])
def test_an_absent_carrier_gives_nothing_and_nothing_of_before_afterwards(clock, delay):
    engine, endpoint, plugin = clock(delay=delay)
    readings(engine, endpoint, 25)
    set_present(engine.ctx, "crate", False)
    assert readings(engine, endpoint, 25) == [None] * 25
    measured = len(plugin.measured)
    set_present(engine.ctx, "crate", True)
    found = readings(engine, endpoint, 20)
    assert [value for value in found if value is not None and value < 50] == []
    assert len(plugin.measured) > measured


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{delay: -0.1}", r"clock\.delay: expected float >= 0 \(s\), got -0\.1"),
        ("{delay: .nan}", r"clock\.delay: expected float >= 0 \(s\), got"),
        ("{rate_hz: 0}", r"clock\.rate_hz: expected float > 0 \(Hz\)"),
        ("{body: a, site: b}", r"clock\.site: expected a body or a site, not both, got 'b' at w\.yaml:1"),
        ("{fault: 3}", r"clock\.fault: expected a mapping of the sensor's keys to the values that they take on, got 3"),
        ("{dely: 1}", r"clock\.dely: expected a known key, got 'dely' at w\.yaml:1; did you mean 'delay'\?"),
    ],
)
def test_a_wrong_value_is_named_with_its_rule(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(ClockConfig, loads(config, "w.yaml"), "clock")


def test_a_carrier_that_the_world_does_not_have_is_named(clock):
    with pytest.raises(
        RoqsimError, match=r"clock\.body: expected the name of a body, got 'crat'; did you mean 'crate'\?"
    ):
        clock(body="crat")


def test_a_sensor_that_nobody_wants_costs_no_hook(clock):
    engine, endpoint, plugin = clock()
    calls: list[int] = []
    engine.watch_post_step(
        lambda each: lambda ctx: (calls.append(ctx.tick) if each is plugin else None, each.post_step(ctx))
    )
    engine.advance(200)
    assert len(calls) == 1
    endpoint.has_subscribers = True
    engine.advance(40)
    assert calls[1:] == [tick for tick in range(201, 241) if tick % 10 == 0]
    endpoint.has_subscribers = False
    engine.advance(100)
    assert len(calls) == 6
    endpoint.read()
    engine.advance(100)
    assert len(calls) == 8, "one due tick for whoever has read, one that finds nobody"


def test_a_sensor_asks_a_transport_that_has_to_be_asked(clock):
    engine, endpoint, plugin = clock()
    listens = [False]
    endpoint.has_subscribers = lambda: listens[0]
    engine.advance(100)
    listens[0] = True
    engine.advance(20)
    assert plugin.measured == [110, 120]
