from __future__ import annotations

import logging

import pytest
from roqsim.viewer.browser.streams import PERIOD, Streams

from roqsim import Endpoint


@pytest.fixture
def engine(ball):
    engine = ball()
    engine.reset()
    return engine


class Stream:
    def __init__(self, ctx, name, **options):
        self.reads = 0
        self.endpoint = ctx.interface.add(Endpoint(name, "out", "robot", read=self.read, rate_hz=10, **options))

    def read(self):
        self.reads += 1
        return self.reads


def test_only_what_is_looked_at_is_read(engine):
    seen, hidden = Stream(engine.ctx, "seen"), Stream(engine.ctx, "hidden")
    sent = []
    streams = Streams(engine.ctx, lambda *reading: sent.append(reading))
    streams.sync(0.0)
    assert sent == []
    streams.want(["robot/seen", "robot/no_such_stream"])
    streams.sync(1.0)
    assert sent == [("robot/seen", 0.0, ("numbers", {"value": 1.0}))]
    streams.want([])
    streams.sync(2.0)
    assert (seen.reads, hidden.reads) == (1, 0)


def test_streams_are_read_at_a_low_rate(engine):
    stream = Stream(engine.ctx, "scan")
    streams = Streams(engine.ctx, lambda *reading: None)
    streams.want(["robot/scan"])
    for millisecond in range(1000):
        engine.step()
        streams.sync(millisecond / 1000)
    assert stream.reads == pytest.approx(1 / PERIOD, abs=1)


def test_every_stream_is_listed_with_its_description(engine):
    Stream(engine.ctx, "scan", doc="One sweep.")
    assert ("robot/scan", "One sweep.") in Streams(engine.ctx, lambda *reading: None).listed()


def test_a_lazy_stream_has_a_listener_while_its_panel_is_open(engine):
    lazy, eager = Stream(engine.ctx, "image", lazy=True), Stream(engine.ctx, "odom")
    streams = Streams(engine.ctx, lambda *reading: None)
    streams.want(["robot/image", "robot/odom"])
    streams.sync(0.0)
    assert lazy.endpoint.is_watched is True
    assert eager.endpoint.is_watched is None
    streams.want(["robot/odom"])
    streams.sync(0.01)
    assert lazy.endpoint.is_watched is None
    streams.want(["robot/image"])
    streams.sync(0.02)
    streams.close()
    assert lazy.endpoint.is_watched is None


def test_a_stream_that_cannot_be_read_says_so_and_the_run_goes_on(engine, caplog):
    def fail():
        raise ValueError("no lens")

    engine.ctx.interface.add(Endpoint("image", "out", "robot", read=fail, rate_hz=10))
    sent = []
    streams = Streams(engine.ctx, lambda *reading: sent.append(reading))
    streams.want(["robot/image"])
    with caplog.at_level(logging.WARNING, "roqsim"):
        streams.sync(0.0)
        engine.step()
        streams.sync(1.0)
    assert [shown for _, _, shown in sent] == [("text", "ValueError: no lens")] * 2
    assert len(caplog.records) == 1
