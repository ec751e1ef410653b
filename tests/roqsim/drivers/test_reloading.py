"""A run that goes over to another world: asked for from anywhere, counted, paced and recorded as one run."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest
from roqsim.config.world import load_config, load_config_from_dict
from roqsim.drivers.output import RunOutput
from roqsim.drivers.runner import Limits, Runner
from roqsim.drivers.world_source import WorldSource
from roqsim.engine import Engine
from roqsim.errors import ConfigError, PluginError, RoqsimError
from roqsim.generation import ModelGeneration
from roqsim.plugin import Plugin
from roqsim.recording import open_recording, record

WORLD = """
sim: {{timestep: {step}, seed: 1}}
components:
  - boxes: {{instances: [{{name: {name}, size: [0.2, 0.2, 0.2], pose: {{position: {{z: 1.0}}}}}}]}}
"""


@pytest.fixture
def path(tmp_path):
    """A world file."""
    path = tmp_path / "world.yaml"
    path.write_text(WORLD.format(step=0.002, name="crate"))
    return path


@pytest.fixture
def source(path):
    """Where it is read from."""
    return WorldSource(lambda: load_config(path))


@pytest.fixture
def engine(source):
    """An engine of it that was set up; the runner closes it."""
    engine = Engine(source.load())
    engine.setup()
    return engine


class Unfit(Plugin):
    """Cannot be configured."""

    def configure(self, ctx):
        raise ValueError("it never works")


def unfit():
    """A world that is built, and fails then."""
    return load_config_from_dict({"components": [{"test_reloading:Unfit": {}, "name": "idle"}]})


@pytest.fixture(autouse=True)
def plugin(monkeypatch):
    """The plugin by the name of this file."""
    monkeypatch.setitem(sys.modules, "test_reloading", sys.modules[__name__])


class At:
    """A view that does something at a simulated time of the first world."""

    def __init__(self, time, act):
        self.time, self.act, self.opened, self.closed = time, act, 0, 0

    def open(self, engine):
        self.engine, self.opened = engine, self.opened + 1

    def sync(self):
        if self.act is not None and self.engine.ctx.sim_time >= self.time:
            act, self.act = self.act, None
            act(self.engine)

    def close(self):
        self.closed += 1


def test_a_posted_command_may_ask_for_the_file_again(engine, source, path):
    futures = []

    def edit(running):
        path.write_text(WORLD.format(step=0.004, name="parcel"))
        running.ctx.post(lambda ctx: futures.append(ctx.control.reload()))

    view = At(0.5, edit)
    summary = Runner(engine, None, Limits(seconds=2.0), views=[view], source=source).run()
    assert futures[0].result(0) == ModelGeneration(2)
    assert engine.ctx.entities.names() == ["parcel"]
    assert (view.opened, view.closed) == (2, 2)
    assert summary.simulated == pytest.approx(2.0, abs=0.004)
    assert summary.episodes == 2
    before = (summary.simulated - 0.004 * summary.steps) / (0.002 - 0.004)
    assert before == pytest.approx(round(before)) and before >= 250


def test_a_limit_of_steps_counts_those_of_all_worlds(engine):
    other = load_config_from_dict({"sim": {"timestep": 0.01}})
    view = At(0.1, lambda running: running.ctx.control.reload(other))
    summary = Runner(engine, None, Limits(steps=1000), views=[view]).run()
    assert summary.steps == 1000
    assert summary.simulated > 2.0
    assert summary.reason == f"the limit of 1000 steps ({summary.simulated:.6g} s) is reached"


def test_a_mistake_in_the_file_is_told_and_the_run_goes_on(engine, source, path, caplog):
    futures = []

    def spoil(running):
        path.write_text(path.read_text().replace("size:", "siez:"))
        futures.append(running.ctx.control.reload())

    summary = Runner(engine, None, Limits(seconds=1.0), views=[At(0.2, spoil)], source=source).run()
    with pytest.raises(ConfigError, match="did you mean 'size'"):
        futures[0].result(0)
    assert (summary.failed, summary.steps, summary.episodes) == (False, 500, 1)
    (line,) = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert line.startswith("the world was not reloaded, and the run goes on: ") and "world.yaml:" in line


def test_a_world_that_fails_after_the_exchange_ends_the_run(engine):
    futures = []
    view = At(0.2, lambda running: futures.append(running.ctx.control.reload(unfit())))
    summary = Runner(engine, None, Limits(seconds=1.0), views=[view]).run()
    assert summary.failed and "idle: configure failed: ValueError: it never works" in summary.reason
    assert futures[0].exception(0) is summary.error
    assert not engine.is_open


def test_a_run_without_a_file_says_so(engine):
    futures = []
    view = At(0.1, lambda running: futures.append(running.ctx.control.reload()))
    summary = Runner(engine, None, Limits(seconds=0.5), views=[view]).run()
    with pytest.raises(RoqsimError, match=r"^control\.reload: expected a world, got None; this run knows no file"):
        futures[0].result(0)
    assert not summary.failed


def test_what_was_asked_for_and_never_served_is_cancelled(engine):
    control = engine.ctx.control
    waiting = control.reload()
    engine.shutdown()
    assert waiting.cancelled() and control.reload().cancelled()


def test_a_driver_that_owns_its_world_refuses(engine):
    future = engine.ctx.control.reload()
    engine.ctx.control.refuse_reloads("a scenario, which owns its world")
    with pytest.raises(RoqsimError, match="expected a driver that reloads, got a scenario, which owns its world"):
        future.result(0)
    assert not engine.ctx.control.has_requests
    engine.shutdown()


@pytest.mark.parametrize(("given", "file", "seeds"), [(5, None, (5, 5)), (None, 1, (1, 3)), (None, None, (9, 3))])
def test_seed_and_pace_come_from_the_command_line_then_from_the_file(monkeypatch, given, file, seeds):
    monkeypatch.setattr("roqsim.drivers.world_source.draw_seed", lambda: 9)
    source = WorldSource(lambda: None, seed=given)
    first = load_config_from_dict({"sim": {} if file is None else {"seed": file}})
    second = load_config_from_dict({"sim": {"seed": 3, "pacing": 2.0}})
    assert (source.seed_of(first), source.seed_of(second)) == seeds
    assert (source.factor(first), source.factor(second)) == (1.0, 2.0)
    assert WorldSource(lambda: None, "asap").factor(second) is None


def test_a_reload_at_its_own_pace_is_paced_by_the_new_world(engine):
    other = load_config_from_dict({"sim": {"pacing": 500.0}})
    source = WorldSource(lambda: other)
    view = At(0.05, lambda running: running.ctx.control.reload())
    Runner(engine, 50.0, Limits(seconds=0.5), views=[view], source=source).run()
    assert engine.ctx.pace == 500.0


def test_the_next_recording_tells_of_the_next_world(source, path, tmp_path):
    other = load_config_from_dict({"sim": {"timestep": 0.01, "seed": 4}, "components": [{"dummy": {}, "name": "idle"}]})
    with Engine(source.load()) as engine:
        record(engine, tmp_path / "run.mcap", fps=25.0)
        engine.reset()
        engine.advance(123)
        engine.reload(other)
        engine.advance(50)
    one, two = (open_recording(tmp_path / name) for name in ("run.mcap", "run_2.mcap"))
    assert (one.complete, one.meta["stop_reason"], one.meta["steps"]) == (True, "the world was reloaded", 123)
    assert [entity["name"] for entity in one.meta["entities"]] == ["crate"]
    assert (two.meta["every_steps"], two.meta["dt"], two.meta["seed"]) == (4, 0.01, 4)
    assert [each["name"] for each in two.meta["components"]] == ["idle"]
    assert one.meta["generations"] == {"model": 1, "plugins": 1}
    assert two.meta["generations"] == {"model": 2, "plugins": 2}
    with two.rebuild() as again:
        again.reset()
        again.advance(50)
        assert np.array_equal(two[-1].state, two.states[-1]) and two[-1].tick == again.ctx.tick == 50


def test_everything_that_a_run_writes_goes_along(source, tmp_path, monkeypatch):
    monkeypatch.setenv("RUN_OUTPUT_DIR", str(tmp_path / "out"))
    output = RunOutput(record=tmp_path / "out" / "run.npz", poses=True, scene=tmp_path / "out" / "scene", fps=100.0)
    engine = Engine(source.load())
    engine.setup()
    output.attach(engine)
    other = load_config_from_dict({"sim": {"timestep": 0.005, "seed": 1}, "components": [{"dummy": {}}]})
    view = At(0.1, lambda running: running.ctx.control.reload(other))
    assert not Runner(engine, None, Limits(seconds=0.3), views=[view]).run().failed
    names = {each.name for each in (tmp_path / "out").iterdir()}
    assert {"run.npz", "run_2.npz", "sim_poses.csv", "sim_poses_2.csv", "scene", "scene_2"} <= names
    assert open_recording(tmp_path / "out" / "run_2.npz").meta["every_steps"] == 2


def test_a_failing_component_of_the_new_world_closes_the_recording_of_the_old_one(source, tmp_path):
    engine = Engine(source.load())
    engine.setup()
    record(engine, tmp_path / "run.mcap")
    engine.reset()
    engine.advance(10)
    with pytest.raises(PluginError, match="idle: configure failed"):
        engine.reload(unfit())
    assert open_recording(tmp_path / "run.mcap").complete
    assert not (tmp_path / "run_2.mcap").exists()


def test_somebody_outside_may_ask_while_the_run_is_paused(engine, source):
    results = []

    def ask():
        control = engine.ctx.control
        control.pause()
        results.append(control.reload().result(30.0))
        results.append(engine.ctx.control is control and control.paused)
        control.resume()
        engine.ctx.request_stop("asked")

    asker = threading.Timer(0.1, ask)
    asker.start()
    summary = Runner(engine, 1.0, Limits(seconds=60.0), source=source).run()
    asker.join()
    assert results == [ModelGeneration(2), True] and summary.reason == "asked"
