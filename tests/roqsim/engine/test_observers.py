"""Observers: what they see, when, and that they cost and change nothing."""

from __future__ import annotations

import pytest
from roqsim.engine.observation import Origin, origin
from roqsim.errors import RoqsimError
from roqsim.plugin import Plugin
from roqsim.testing import world as open_world


class Notebook:
    """Writes down what it is told."""

    def __init__(self, every_steps=1, fails_at=None):
        self.every_steps, self.fails_at = every_steps, fails_at
        self.told = []

    def begin(self, engine):
        self.told.append(("begin", engine.ctx.episode, engine.ctx.tick))

    def sample(self, ctx):
        if ctx.tick == self.fails_at:
            raise RoqsimError("the notebook is full")
        self.told.append(ctx.tick)

    def close(self, reason, failed):
        self.told.append(("close", reason, failed))

    def end(self):
        self.ended = True


class Marks(Plugin):
    """Marks its own ``post_step`` in the notebook."""

    notebook = None

    def configure(self, ctx):
        ctx.schedule(self, "post_step", 100.0)

    def post_step(self, ctx):
        self.notebook.told.append(f"hook {ctx.tick}")


@pytest.fixture
def watched(world):
    def watch(notebook, document="components: [dummy]\n", **options):
        engine = world(document, reset=False, **options)
        engine.observe(notebook)
        engine.reset()
        return engine

    return watch


def test_an_observer_sees_the_begin_the_due_ticks_and_the_end(watched):
    notebook = Notebook(every_steps=3)
    engine = watched(notebook)
    engine.advance(4)
    for _ in range(6):
        engine.step()
    engine.shutdown()
    assert notebook.told == [("begin", 1, 0), 3, 6, 9, ("close", "the run ended", False)]


@pytest.mark.parametrize("document", ["components: [dummy]\n", {"components": []}], ids=["hooks", "none"])
@pytest.mark.parametrize("every", [1, 3, 20])
def test_every_due_tick_is_seen_once_however_the_engine_is_driven(watched, every, document):
    notebook = Notebook(every)
    engine = watched(notebook, document)
    for drive in (7, 1, 100, None, None, 250):
        engine.step() if drive is None else engine.advance(drive)
    assert notebook.told[1:] == list(range(every, 361, every))


def test_several_observers_each_see_their_own_ticks(watched):
    often, seldom = Notebook(4), Notebook(6)
    engine = watched(often)
    engine.observe(seldom)
    engine.reset()
    engine.advance(13)
    engine.step()
    assert often.told[2:] == [("begin", 2, 0), 4, 8, 12] and seldom.told == [("begin", 2, 0), 6, 12]


def test_steps_between_two_samples_are_one_call_of_mujoco(watched):
    engine, calls = watched(Notebook(20), {"components": []}), []
    step = engine._step
    engine._step = lambda model, data, n=1: (calls.append(n), step(model, data, n))
    engine.reset()
    engine.advance(400)
    assert sum(calls) == 400 and len(calls) <= 26


def test_an_observer_looks_after_every_plugin(watched, monkeypatch):
    notebook = Notebook()
    monkeypatch.setattr(Marks, "notebook", notebook)
    engine = watched(notebook, {"sim": {"timestep": 0.002}, "components": [{f"{__name__}:Marks": {}}]})
    engine.advance(11)
    assert notebook.told[1:] == [1, 2, 3, 4, "hook 5", 5, 6, 7, 8, 9, "hook 10", 10, 11]


def test_an_episode_ends_with_the_next_reset(watched):
    notebook = Notebook(every_steps=2)
    engine = watched(notebook)
    engine.advance(3)
    engine.reset()
    engine.advance(2)
    engine.shutdown()
    assert notebook.told == [
        *(("begin", 1, 0), 2, ("close", "the run was reset", False)),
        *(("begin", 2, 0), 2, ("close", "the run ended", False)),
    ]


def test_an_observer_that_comes_late_sees_the_next_episode(world):
    engine, notebook = world("components: [dummy]\n"), Notebook()
    engine.advance(5)
    engine.observe(notebook)
    engine.advance(5)
    assert notebook.told == []
    engine.reset()
    engine.advance(1)
    assert notebook.told == [("begin", 2, 0), 1]


def test_a_failure_of_an_observer_ends_the_run_with_its_own_words(watched):
    notebook, other = Notebook(fails_at=6), Notebook(every_steps=5)
    engine = watched(notebook)
    engine.observe(other)
    engine.reset()
    with pytest.raises(RoqsimError, match="^the notebook is full$"):
        engine.advance(20)
    assert notebook.told[-1] == other.told[-1] == ("close", "the notebook is full", True)
    with pytest.raises(RoqsimError, match="shut down"):
        engine.reset()


def test_a_failed_close_is_told_and_keeps_nobody_else_from_closing(watched, caplog):
    class Stuck(Notebook):
        def close(self, reason, failed):
            raise ValueError("the lid is stuck")

    engine = watched(Stuck())
    other = Notebook()
    engine.observe(other)
    with pytest.raises(RoqsimError, match="Stuck: close failed: ValueError: the lid is stuck"):
        engine.reset()
    engine.reset()
    failures = engine.shutdown(log=False)
    assert [str(failure).partition(" at ")[0] for failure in failures] == [
        "Stuck: close failed: ValueError: the lid is stuck"
    ]
    assert other.told[-1] == ("close", "the run ended", False)


def test_why_a_run_ended_reaches_its_observers(watched):
    asked, failed, broken = Notebook(), Notebook(), Notebook()
    engine = watched(asked)
    engine.ctx.request_stop("the goal is reached")
    engine.shutdown()
    engine = watched(failed)
    engine.ctx.request_stop("the robot fell", failed=True)
    engine.shutdown()
    with pytest.raises(KeyError), open_world("components: [dummy]\n", reset=False) as engine:
        engine.observe(broken)
        engine.reset()
        raise KeyError("keys")
    assert [notebook.told[-1][1:] for notebook in (asked, failed, broken)] == [
        ("the goal is reached", False),
        ("the robot fell", True),
        ("'keys'", True),
    ]


def test_a_rate_below_one_step_is_refused(world):
    with pytest.raises(ValueError, match="expected every_steps >= 1, got 0"):
        world("components: [dummy]\n").observe(Notebook(every_steps=0))


def test_nobody_listed_an_observer_among_the_hooks(watched):
    engine = watched(Notebook())
    assert all(not address.startswith("engine") for address, _ in engine.due(1))


def test_without_observers_the_tick_is_what_it_was(world):
    engine = world("components: [dummy]\n")
    assert engine._next_sample > 2**61 and engine.ctx.watchers == ()


def test_a_call_knows_whether_a_hook_made_it(world, monkeypatch):
    seen = {}

    class Asks(Plugin):
        def configure(self, ctx):
            seen["configure"] = origin()

        def on_reset(self, ctx):
            seen["on_reset"] = origin()

        def pre_step(self, ctx):
            seen["pre_step"] = origin()

        def post_step(self, ctx):
            seen["post_step"] = origin()

    monkeypatch.setitem(globals(), "Asks", Asks)
    engine = world({"components": [{f"{__name__}:Asks": {}}]})
    engine.ctx.post(lambda ctx: seen.__setitem__("command", origin()))
    engine.step()
    assert {name: found.in_hook for name, found in seen.items()} == {
        **dict.fromkeys(("configure", "on_reset", "pre_step", "post_step"), True),
        "command": False,
    }
    assert origin() == Origin(False, 0)


def test_snapshots_and_observers_do_not_disturb_each_other(watched):
    notebook = Notebook()
    engine = watched(notebook)
    assert engine.ctx.read_snapshot() is None
    engine.advance(10)
    assert engine.ctx.read_snapshot().tick == 10
    engine.reset()
    assert engine.ctx.read_snapshot().tick == 0
    engine.advance(3)
    assert engine.ctx.read_snapshot().tick == 3
    assert notebook.told[-3:] == [1, 2, 3]
