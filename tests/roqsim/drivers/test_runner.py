from __future__ import annotations

import io
import itertools
import os
import signal
import sys
import threading
import time
import types

import pytest
from roqsim.drivers.progress import Progress
from roqsim.drivers.runner import Limits, Runner
from roqsim.errors import GLError, PluginError, RoqsimError
from roqsim.plugin import Plugin

WORLD = """
sim: {timestep: 0.002}
components:
  - dummy: {}
    name: quiet
"""


@pytest.mark.parametrize(
    ("limits", "steps"), [(Limits(seconds=1.0), 500), (Limits(steps=123), 123), (Limits(seconds=1.0, steps=10), 10)]
)
def test_a_run_ends_exactly_at_the_earlier_limit(world, limits, steps):
    summary = Runner(world(WORLD, reset=False), None, limits).run()
    assert summary.steps == steps
    assert summary.simulated == pytest.approx(steps * 0.002)
    assert not summary.failed


def test_a_limit_of_zero_steps_runs_none(world):
    assert Runner(world(WORLD, reset=False), None, Limits(steps=0)).run().steps == 0


def test_the_reason_of_a_stop_request_is_reported(world):
    engine = world(WORLD, reset=False)
    engine.ctx.post(lambda ctx: ctx.request_stop("the parcel fell", failed=True))
    summary = Runner(engine, None, Limits(seconds=1.0)).run()
    assert summary.reason == "the parcel fell"
    assert summary.failed
    assert str(summary).startswith("failed: the parcel fell\n")


def test_a_run_slower_than_anybody_waits_for_still_answers_and_ends(world):
    engine = world(WORLD, reset=False)
    answers = []

    def ask():
        answers.append(engine.ctx.call(lambda ctx: ctx.tick, timeout=10.0))
        engine.ctx.post(lambda ctx: ctx.request_stop("enough"))

    asker = threading.Timer(0.2, ask)
    asker.start()
    start = time.monotonic()
    summary = Runner(engine, 1e-300).run()
    asker.join()
    assert (answers, summary.reason, summary.steps) == ([1], "enough", 1)
    assert time.monotonic() - start < 10.0


def test_a_run_outlives_its_terminal_where_that_is_wanted(world):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGHUP))
        timer.start()
        assert "limit" in Runner(world(WORLD, reset=False), 1.0, Limits(seconds=0.3)).run().reason
        timer.join()
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(
    ("number", "reason"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM"), (signal.SIGHUP, "SIGHUP")]
)
def test_a_signal_ends_a_run_by_the_same_door(world, number, reason):
    engine = world(WORLD, reset=False)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), number))
    timer.start()
    before = signal.getsignal(number)
    summary = Runner(engine, 1.0).run()
    timer.join()
    assert reason in summary.reason
    assert not summary.failed
    assert signal.getsignal(number) is before


class Bursts(Plugin):
    """Spoils the state once, after a while."""

    def pre_step(self, ctx):
        if ctx.episode == 1 and ctx.sim_time >= 10.0:
            ctx.data.qfrc_applied[0] = float("nan")


def test_beginning_again_after_a_divergence_is_no_falling_behind(world, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "test_runner", sys.modules[__name__])
    box = {"boxes": {"instances": [{"name": "crate", "size": [0.2, 0.2, 0.2], "pose": {"position": {"z": 0.1}}}]}}
    document = {"sim": {"on_divergence": "reset"}, "components": [box, {"test_runner:Bursts": {}}]}
    runner = Runner(world(document, reset=False, output_dir=tmp_path), 20.0, Limits(seconds=12.0))
    assert runner.run().episodes == 2
    assert runner._pacer.lost == 0.0


def steer(engine, actions) -> threading.Thread:
    thread = threading.Thread(target=actions, args=(engine.ctx,))
    thread.start()
    return thread


def test_a_paused_run_serves_commands_steps_and_resets(world):
    engine = world(WORLD, reset=False)
    engine.ctx.control.pause()
    found = []

    def actions(ctx):
        found.append(ctx.call(lambda inner: inner.tick, timeout=10))
        found.append(ctx.control.step(5).result(10))
        found.append(ctx.call(lambda inner: inner.tick, timeout=10))
        found.append(ctx.control.reset().result(10))
        found.append(ctx.call(lambda inner: inner.tick, timeout=10))
        ctx.control.resume()

    thread = steer(engine, actions)
    summary = Runner(engine, None, Limits(steps=105)).run()
    thread.join()
    assert found == [0, 0.01, 5, 2, 0]
    assert summary.steps == 105
    assert summary.episodes == 2


def test_a_request_that_the_run_does_not_live_to_serve_is_cancelled(world):
    engine = world(WORLD, reset=False)
    Runner(engine, None, Limits(steps=1)).run()
    engine.ctx.control.cancel()
    future = engine.ctx.control.reset()
    engine.ctx.control.cancel()
    assert future.cancelled()


def test_a_failing_plugin_ends_the_run_with_its_name(world):
    document = {"components": [{"roqsim.testing.tracker:HookTracker": {"raise_in": "pre_step"}, "name": "bad"}]}
    summary = Runner(world(document, reset=False), None, Limits(steps=10)).run()
    assert summary.failed
    assert summary.steps == 0
    assert isinstance(summary.error, PluginError)
    assert summary.reason.startswith("bad: pre_step failed")


def test_a_plugin_that_fails_at_the_reset_lets_no_run_begin(world):
    document = {"components": [{"roqsim.testing.tracker:HookTracker": {"raise_in": "on_reset"}, "name": "bad"}]}
    with pytest.raises(PluginError, match="bad: on_reset failed"):
        Runner(world(document, reset=False), None, Limits(steps=10)).run()


class FailsLate(Plugin):
    def post_step(self, ctx):
        if ctx.tick == 77:
            raise ValueError("no more")


@pytest.mark.parametrize("factor", [None, 1.0])
def test_a_run_that_fails_has_a_summary_with_the_steps_before(world, monkeypatch, factor):
    module = types.ModuleType("late")
    module.FailsLate = FailsLate
    monkeypatch.setitem(sys.modules, "late", module)
    engine = world({"components": ["dummy", {"late:FailsLate": {}, "name": "late"}]}, reset=False)
    summary = Runner(engine, factor, Limits(steps=100)).run()
    assert (summary.failed, summary.steps) == (True, 77)
    assert str(summary).startswith("failed: late: post_step failed: ValueError: no more at ")
    assert "77 steps" in str(summary)


def test_a_run_that_cannot_keep_up_says_so_once(world, caplog, monkeypatch):
    engine = world(WORLD, reset=False)
    runner = Runner(engine, 1.0, Limits(steps=20))
    runner._pacer.lost = 5.0
    runner._pacer.falls = 50
    runner.run()
    assert caplog.text.count("cannot keep up") == 1


def test_the_summary_lists_every_stream(world):
    text = str(Runner(world(WORLD, reset=False), None, Limits(steps=10)).run())
    heading = next(line for line in text.splitlines() if line.startswith("stream"))
    assert heading.split() == ["stream", "rate", "Hz", "due", "produced", "published", "dropped"]


def test_progress_on_a_terminal_rewrites_one_line_and_takes_it_away():
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    wall = iter([0.0, 1.0, 2.0, 3.0])
    stream = Terminal()
    progress = Progress(10.0, stream, clock=lambda: next(wall))
    progress.update(2.0, 2.0)
    progress.update(3.0, 3.0)
    progress.close()
    assert "\n" not in stream.getvalue()
    assert "2.00 s simulated, 2 x real time, 8.00 s to go" in stream.getvalue()
    assert "3.00 s simulated, 1 x real time, 7.00 s to go" in stream.getvalue()
    assert stream.getvalue().endswith("\r")


def test_progress_in_a_log_writes_few_lines():
    ticks = iter(range(10_000))
    stream = io.StringIO()
    progress = Progress(None, stream, clock=lambda: float(next(ticks)))
    for second in range(1, 1000):
        progress.update(float(second), float(second))
    progress.close()
    assert 4 <= len(stream.getvalue().splitlines()) <= 8


class Watcher:
    """A view that notes what is asked of it and can end the run or fail."""

    def __init__(self, stop_at=None, error=None):
        self.calls, self.ticks, self._stop_at, self._error = [], [], stop_at, error

    def open(self, engine):
        self.calls.append("open")
        self.engine = engine
        if self._error:
            raise self._error

    def sync(self):
        ctx = self.engine.ctx
        self.ticks.append(ctx.tick)
        if self._stop_at is not None and ctx.tick >= self._stop_at:
            ctx.request_stop("the watcher left")

    def close(self):
        self.calls.append("close")
        assert self.engine.ctx.data is not None


def test_a_view_is_opened_after_the_reset_told_between_ticks_and_closed(world):
    watcher = Watcher()
    Runner(world(WORLD, reset=False), 1.0, Limits(steps=100), views=[watcher]).run()
    assert watcher.calls == ["open", "close"]
    assert watcher.engine.ctx.episode == 1
    assert watcher.ticks[-1] == 100
    assert all(0 < later - earlier <= 10 for earlier, later in itertools.pairwise(watcher.ticks))


def test_a_view_can_end_the_run(world):
    summary = Runner(world(WORLD, reset=False), 1.0, views=[Watcher(stop_at=50)]).run()
    assert summary.reason == "the watcher left"


def test_a_view_that_does_not_open_ends_the_run_by_the_usual_door(world):
    watcher, engine = Watcher(error=GLError("window: none")), world(WORLD, reset=False)
    with pytest.raises(GLError):
        Runner(engine, None, Limits(steps=5), views=[Watcher(), watcher]).run()
    assert watcher.calls == ["open", "close"]
    with pytest.raises(RoqsimError, match="shut down"):
        engine.reset()


def test_a_view_is_told_while_the_run_is_paused(world):
    engine, watcher = world(WORLD, reset=False), Watcher()
    engine.ctx.control.pause()
    timer = threading.Timer(0.3, engine.ctx.request_stop, ["enough"])
    timer.start()
    Runner(engine, None, views=[watcher]).run()
    timer.join()
    assert len(watcher.ticks) > 5
    assert set(watcher.ticks) == {0}


@pytest.mark.parametrize("factor", [0.05, None])
def test_a_view_sees_a_slow_or_a_free_run_several_times_a_second(world, factor):
    engine, moments = world(WORLD, reset=False), []
    watcher = Watcher()
    watcher.sync = lambda: moments.append(time.perf_counter())
    timer = threading.Timer(1.0, engine.ctx.request_stop, ["enough"])
    timer.start()
    Runner(engine, factor, views=[watcher]).run()
    timer.join()
    assert len(moments) > 15
