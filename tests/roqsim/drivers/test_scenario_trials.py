"""The trials of a campaign through the adapter: seeds, bytes, failures, and what the scenario hears of them."""

from __future__ import annotations

import numpy as np
import pytest
from roqsim.config.world import load_config
from roqsim.drivers.runner import Limits, Runner
from roqsim.engine import Engine
from roqsim.errors import ConfigError, DivergenceError, RoqsimError
from roqsim.mj.state import take
from roqsim.scenario_adapter import MujocoSim
from roqsim.testing.scenarios import run_scenario

pytestmark = pytest.mark.usefixtures("no_deployment")

TRIAL = """
import osc.helpers

scenario trial:
    timeout(20s)
    do serial:
        wait elapsed(0.4s)
"""


def states(sim, steps):
    found = []
    for _ in range(steps):
        sim.step()
        found.append(take(sim.context.model, sim.context.data).tobytes())
    return found


# Seeds and bytes


def test_the_seed_is_the_argument_else_the_environments_else_the_worlds(variant, drop, adapters, monkeypatch):
    seeded = variant("seeded.yaml", "sim: {", "sim: {seed: 3, ")

    def seed_of(*args, **kwargs):
        sim = adapters(*args, **kwargs)
        sim.reset()
        return sim.context.seed

    assert seed_of(seeded) == 3
    monkeypatch.setenv("ROQSIM_SEED", "4")
    assert seed_of(seeded) == 4
    assert seed_of(seeded, seed=5) == 5
    assert seed_of(seeded, seed=0) == 0


def test_a_drawn_seed_is_announced_once_and_holds_for_every_world_without_one(variant, drop, tmp_path):
    seeded = variant("seeded.yaml", "sim: {", "sim: {seed: 3, ")
    other = variant("other.yaml", "crate", "chest")
    seeds = []

    class Watched(MujocoSim):
        def reset(self, world=None):
            super().reset(world=world)
            seeds.append(self.context.seed)

    scenario = TRIAL.replace("timeout(20s)", "timeout(20s)\n    world: string = ''")
    worlds = ["", other, seeded, ""]
    outcome = run_scenario(scenario, Watched(drop), tmp_path / "o", [{"trial": {"world": each}} for each in worlds])
    assert outcome.results == [True] * 4, outcome.reason
    drawn = seeds[0]
    assert seeds == [drawn, drawn, 3, drawn]
    line = f"seed {drawn} (drawn; ROQSIM_SEED={drawn} repeats this run)"
    assert outcome.log.text("info").splitlines().count(line) == 1


@pytest.mark.parametrize("text", ["-1", "1.5", "first"])
def test_a_seed_that_is_none_is_refused(monkeypatch, text):
    monkeypatch.setenv("ROQSIM_SEED", text)
    with pytest.raises(ConfigError, match=f"ROQSIM_SEED: expected an int >= 0, got '{text}'"):
        MujocoSim()


def test_the_same_world_and_seed_give_the_bytes_of_the_standalone_runner(drop, adapters):
    sim = adapters(drop, seed=11)
    sim.reset()
    stepped = states(sim, 100)[-1]
    engine = Engine(load_config(drop), seed=11)
    engine.setup()
    Runner(engine, None, Limits(steps=100)).run()
    assert take(engine.ctx.model, engine.ctx.data).tobytes() == stepped


def test_the_order_of_a_campaigns_trials_changes_no_bit(variant, adapters):
    worlds = [variant(f"{mass}.yaml", "mass: 1.0", f"mass: {mass}") for mass in (0.5, 1.0, 2.0)]

    def run(order):
        sim = adapters(worlds[0], seed=5)
        found = {}
        for world in order:
            sim.reset(world=world)
            draws = sim.context.rng_for("someone").standard_normal(3).tobytes()
            found.setdefault(world, []).append((draws, states(sim, 120)))
        return found

    a, b, c = worlds
    forward, backward, mixed = run([a, a, b, c]), run([c, b, a, a]), run([a, b, a, c])
    assert forward == backward == mixed
    assert forward[a][0] != forward[a][1], "the second trial of a world draws other numbers than its first"


# What goes wrong while it runs


@pytest.fixture
def diverging(write, variant):
    write(
        "bomb.py",
        """
        from roqsim import Plugin

        class Bomb(Plugin):
            def pre_step(self, ctx):
                if ctx.sim_time >= 0.1 and ctx.episode == 1:
                    raise RuntimeError("bang")
        """,
    )
    return variant("bomb.yaml", more="  - bomb.py:Bomb: {}\n    name: bomb\n")


def test_a_failing_plugin_fails_its_scenario_and_the_next_trial_gets_a_new_world(diverging, tmp_path):
    sim = MujocoSim(diverging, seed=1)
    outcome = run_scenario(TRIAL, sim, tmp_path / "out", [{"trial": {}}, {"trial": {}}])
    assert outcome.results == [False, True]
    said = outcome.log.text("error")
    assert "the simulation failed: bomb: pre_step failed" in said
    assert "RuntimeError: bang" in said
    assert 'failures="1"' in (outcome.folder / "test.xml").read_text()


def test_without_a_scenario_a_failing_plugin_raises_and_the_rest_stays_still(diverging, adapters):
    sim = adapters(diverging, seed=1)
    sim.reset()
    with pytest.raises(RoqsimError, match="RuntimeError: bang"):
        for _ in range(100):
            sim.step()
    tick = sim.context.tick
    assert "bang" in sim.failure
    sim.step()
    assert sim.context.tick == tick
    sim.reset()
    assert sim.failure is None
    states(sim, 50)


def test_a_state_that_is_no_number_fails_the_scenario(write, variant, tmp_path, monkeypatch):
    monkeypatch.setenv("RUN_OUTPUT_DIR", str(tmp_path))
    write(
        "spoil.py",
        """
        from roqsim import Plugin

        class Spoil(Plugin):
            def pre_step(self, ctx):
                if ctx.tick == 20:
                    ctx.data.qvel[0] = float("nan")
        """,
    )
    world = variant("spoil.yaml", more="  - spoil.py:Spoil: {}\n    name: spoil\n")
    outcome = run_scenario(TRIAL, MujocoSim(world, seed=1), tmp_path / "out")
    assert outcome.results == [False]
    assert "diverged" in outcome.log.text("error")
    with pytest.raises(DivergenceError):
        sim = MujocoSim(world, seed=1)
        sim.reset()
        states(sim, 40)


def test_a_step_before_a_reset_is_a_mistake_of_the_caller(drop, adapters):
    with pytest.raises(RoqsimError, match="step: expected a reset before the first step"):
        adapters(drop).step()


def test_a_stop_request_is_told_once_and_forgotten_by_the_next_trial(write, variant, tmp_path):
    write(
        "finish.py",
        """
        from roqsim import Plugin

        class Finish(Plugin):
            def post_step(self, ctx):
                if ctx.tick >= 20 and ctx.episode == 1:
                    ctx.request_stop("the goal is reached")
        """,
    )
    seen = []

    class Watched(MujocoSim):
        def shutdown(self):
            seen.append(self.context.stop_requested)
            super().shutdown()

    world = variant("finish.yaml", more="  - finish.py:Finish: {}\n    name: finish\n")
    outcome = run_scenario(TRIAL, Watched(world, seed=1), tmp_path / "out", [{"trial": {}}, {"trial": {}}])
    assert outcome.results == [True, True], "a request to end is the scenario's to judge"
    line = "the simulation asks for the end of the run: the goal is reached"
    assert outcome.log.text("info").splitlines().count(line) == 1
    assert seen == [False]


def test_parameters_that_nobody_reads_are_told(drop, adapters, caplog):
    adapters(drop).reset(drift=1.0)
    assert "reset: nobody reads 'drift'; a subclass takes what it names" in caplog.text


def test_messages_come_as_one_text_and_stop_with_the_shutdown(drop, tmp_path):
    import logging

    class Strict:
        def __init__(self):
            self.lines = []

        def info(self, msg):
            assert type(msg) is str
            self.lines.append(msg)

        debug = warning = error = info

    logger = Strict()
    sim = MujocoSim(drop, seed=1)
    level = logging.getLogger("roqsim").level
    sim.setup(logger=logger, output_dir=str(tmp_path), tick_period=sim.dt)
    logging.getLogger("roqsim").info("%d of %s", 3, "four")
    try:
        raise ValueError("inside")
    except ValueError:
        logging.getLogger("roqsim.somewhere").error("outside", exc_info=True)
    sim.shutdown()
    sim.shutdown()
    logging.getLogger("roqsim").info("too late")
    assert logger.lines == ["3 of four", "outside"]
    assert logging.getLogger("roqsim").level == level


def test_a_bridge_that_is_not_installed_gives_the_error_of_the_command_line(drop, tmp_path, monkeypatch):
    monkeypatch.setenv("ROQSIM_ROS", "1")
    monkeypatch.setenv("ROQSIM_TF_NAMESPACE", "robot")
    outcome = run_scenario(TRIAL, MujocoSim(drop), tmp_path / "out")
    told = "components.ros2_bridge: expected an installed plugin, got 'ros2_bridge' at ROQSIM_ROS=1; the world needs"
    assert told in outcome.reason
    assert outcome.reason.count("expected") == 1
    monkeypatch.setenv("ROQSIM_ROS", "perhaps")
    with pytest.raises(ConfigError, match="ROQSIM_ROS: expected one of 1, true, .* got 'perhaps'"):
        MujocoSim(drop)


def test_a_switch_that_is_off_asks_for_no_bridge(drop, adapters, monkeypatch):
    monkeypatch.setenv("ROQSIM_ROS", "0")
    monkeypatch.setenv("ROQSIM_SIM_CONTROL", "false")
    adapters(drop).reset()


def test_its_arrays_are_the_live_ones(drop, adapters):
    sim = adapters(drop, seed=1)
    sim.reset()
    before = sim.context.data.xpos.copy()
    states(sim, 50)
    sim.context.refresh()
    assert not np.array_equal(before, sim.context.data.xpos)


def test_a_world_that_begins_again_by_itself_uses_episodes_up(write, variant, adapters):
    write(
        "spoil.py",
        """
        from roqsim import Plugin

        class Spoil(Plugin):
            def pre_step(self, ctx):
                if ctx.tick == 20 and ctx.episode == 1:
                    ctx.data.qvel[0] = 1e12
        """,
    )
    text = "  - spoil.py:Spoil: {}\n    name: spoil\n"
    world = variant("spoil.yaml", "sim: {", "sim: {on_divergence: reset, ", more=text)
    sim = adapters(world, seed=1)
    sim.reset()
    states(sim, 40)
    assert (sim.context.episode, sim.failure) == (2, None)
    sim.reset()
    assert sim.context.episode == 3


def test_a_second_setup_takes_the_place_of_the_first(drop, adapters):
    lines = []

    class Logger:
        def info(self, msg):
            lines.append(msg)

        debug = warning = error = info

    sim = adapters(drop)
    sim.setup(logger=Logger())
    sim.setup(logger=Logger())
    sim.reset()
    assert len([line for line in lines if "drawn" in line]) == 1
