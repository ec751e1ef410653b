"""The adapter as scenario-execution's own runner drives it, and as a script does."""

from __future__ import annotations

import inspect

import mujoco
import pytest
from roqsim.errors import ConfigError, NotFoundError
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


# What the runner asks before anything runs


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("sim: {timestep: 0.005}\n", 0.005),
        ("sim: {world: studio}\n", 0.002),
        ("sim: {world: own.xml}\n", 0.008),
        ("sim: {world: own.xml, timestep: 0.004}\n", 0.004),
    ],
)
def test_the_tick_is_known_before_setup_and_nothing_is_built_for_it(write, adapters, text, step):
    write("own.xml", "<mujoco><option timestep='0.008'/><worldbody/></mujoco>")
    sim = adapters(write("world.yaml", text))
    assert sim.dt == step
    assert sim.context is None
    sim.setup()
    sim.reset()
    assert sim.context.dt == step


def test_without_a_world_the_tick_is_the_one_of_mujoco(adapters):
    assert adapters().dt == mujoco.MjModel.from_xml_string("<mujoco/>").opt.timestep


def test_reset_names_what_a_scenario_may_pass(adapters):
    named = inspect.signature(MujocoSim.reset).parameters
    assert [name for name, each in named.items() if each.kind is each.POSITIONAL_OR_KEYWORD] == [
        "self",
        "world",
        "world_overrides",
        "headless",
    ]


def test_a_mistake_in_the_world_is_told_when_the_adapter_is_made(write):
    with pytest.raises(ConfigError, match=r"sim.timestep: expected .* got 'soon' at wrong.yaml:1"):
        MujocoSim(write("wrong.yaml", "sim: {timestep: soon}\n"))
    with pytest.raises(NotFoundError, match=r"nowhere.yaml"):
        MujocoSim("nowhere.yaml")


def test_it_counts_as_a_simulation_interface():
    from roqsim.drivers.scenario.host import register
    from scenario_execution.simulation import SimulationInterface

    register(MujocoSim)
    assert issubclass(MujocoSim, SimulationInterface)


def test_the_runner_calls_it_in_its_order(drop, tmp_path):
    calls = []

    class Watched(MujocoSim):
        @property
        def dt(self):
            calls.append("dt")
            return super().dt

        def setup(self, **kwargs):
            calls.append(f"setup {sorted(kwargs)}")
            super().setup(**kwargs)

        def reset(self, world=None, **kwargs):
            calls.append(f"reset {self.context is not None}")
            super().reset(world=world, **kwargs)

        def step(self):
            if calls[-1] != "step":
                calls.append("step")
            super().step()

        def shutdown(self):
            calls.append("shutdown")
            super().shutdown()

    outcome = run_scenario(TRIAL, Watched(drop), tmp_path, [{"trial": {}}, {"trial": {}}])
    assert outcome.results == [True, True], outcome.reason
    setup = "setup ['logger', 'output_dir', 'tick_period']"
    assert calls == ["dt", "dt", setup, "reset False", "step", "reset True", "step", "shutdown"]


# Which world runs


def test_the_world_of_the_environment_runs_where_nobody_names_one(drop, adapters, monkeypatch):
    monkeypatch.setenv("ROQSIM_WORLD", drop)
    sim = adapters()
    sim.reset()
    assert sim.context.entities.names() == ["crate"]


def test_a_scenario_without_any_world_is_refused(tmp_path):
    outcome = run_scenario(TRIAL, MujocoSim(), tmp_path)
    assert not outcome.passed
    assert "world: expected a world file, an MJCF file, or package:world, got None; set ROQSIM_WORLD" in outcome.reason


def test_a_scenario_names_its_world_and_its_overrides(variant, drop, tmp_path):
    scenario = """
        import osc.helpers

        struct medium:
            density: float = 1.5
            viscosity: float = 0.0
            integrator: string = 'euler'

        struct changes:
            sim: medium

        scenario trial:
            timeout(20s)
            world: string = 'other.yaml'
            world_overrides: changes = changes(sim: medium(viscosity: 0.25))
            headless: string = 'True'
            do serial:
                wait elapsed(0.01s)
    """
    variant("other.yaml", "crate", "chest")
    ran = []

    class Watched(MujocoSim):
        def shutdown(self):
            option = self.context.model.opt
            ran.append((self.context.entities.names(), option.density, option.viscosity, int(option.integrator)))
            super().shutdown()

    parameters = [{"trial": {"world_overrides": {"sim": {"density": 2.0}}}}]
    outcome = run_scenario(scenario, Watched(drop), tmp_path / "out", parameters)
    assert outcome.passed, outcome.reason
    assert ran == [(["chest"], 2.0, 0.25, int(mujoco.mjtIntegrator.mjINT_EULER))]


def test_a_world_is_built_anew_only_for_another_world_or_another_value(variant, drop, adapters):
    other = variant("other.yaml", "crate", "chest")
    sim = adapters(drop)
    sim.reset()
    first = sim.context
    sim.reset(world_overrides={})
    assert sim.context is first
    sim.reset(world_overrides={"components": {"gust": {"rate_hz": 10.0}}})
    second = sim.context
    assert second is not first
    sim.reset(world_overrides={"components": {"gust": {"rate_hz": 10.0}}})
    assert sim.context is second
    sim.reset(world=other)
    assert sim.context.entities.names() == ["chest"]
    sim.reset()
    assert sim.context.entities.names() == ["crate"]
    assert sim.context is not first


def test_the_deployments_overrides_hold_and_the_scenarios_come_on_top(write, drop, adapters, monkeypatch):
    deployed = write("deployed.yaml", "sim: {gravity: [0, 0, -5.0], density: 1.5}\n")
    monkeypatch.setenv("ROQSIM_WORLD_OVERRIDES", deployed)
    sim = adapters(drop, world_overrides="sim.viscosity=0.25")
    sim.reset(world_overrides={"sim": {"gravity": [0.0, 0.0, -1.0]}})
    option = sim.context.model.opt
    assert (option.gravity[2], option.density, option.viscosity) == (-1.0, 1.5, 0.25)


def test_overrides_of_a_wrong_kind_or_for_nothing_are_refused(drop, adapters):
    sim = adapters(drop)
    with pytest.raises(ConfigError, match=r"world_overrides: expected a nested mapping, PATH=VALUE, .* got 7"):
        sim.reset(world_overrides=7)
    with pytest.raises(ConfigError, match=r"did you mean 'gust'"):
        sim.reset(world_overrides={"components": {"gusst": {"rate_hz": 1.0}}})


def test_a_world_of_a_finer_step_takes_several_steps_a_tick(write, drop, adapters):
    sim = adapters(drop)
    sim.reset(world_overrides="sim.timestep=0.001")
    sim.step()
    assert (sim.context.tick, sim.context.sim_time) == (4, 0.004)
    with pytest.raises(
        ConfigError, match=r"sim.timestep: expected a physics step that divides the scenario's tick of 0.004 s"
    ):
        sim.reset(world_overrides="sim.timestep=0.003")
    assert sim.context is None


def test_several_steps_a_tick_are_all_done_after_a_stop_request(drop, adapters):
    sim = adapters(drop)
    sim.reset(world_overrides="sim.timestep=0.001")
    sim.context.request_stop("enough")
    sim.step()
    sim.step()
    assert sim.context.tick == 8
