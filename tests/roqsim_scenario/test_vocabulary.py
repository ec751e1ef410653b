"""Every action in scenarios that pass and in scenarios that fail, run by scenario-execution."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from roqsim.scenario_adapter import MujocoSim
from roqsim.testing.scenarios import run_scenario

HERE = Path(__file__).parent
EXPECTED = re.compile(r"# expects: (.*)\nscenario (\w+):")


def files(folder):
    return pytest.mark.parametrize("path", sorted((HERE / folder).glob("*.osc")), ids=lambda path: path.stem)


@files("passing")
def test_scenarios_pass(path, tmp_path):
    outcome = run_scenario(path, MujocoSim(HERE / "yard.yaml"), tmp_path)
    assert [trial.name for trial in outcome.trials] == re.findall(r"scenario (\w+):", path.read_text())
    assert outcome.passed, outcome.log.text()


@files("failing")
def test_scenarios_fail_with_their_reason_in_the_result(path, tmp_path):
    outcome = run_scenario(path, MujocoSim(HERE / "yard.yaml"), tmp_path)
    expected = {name: rule for rule, name in EXPECTED.findall(path.read_text())}
    assert [trial.name for trial in outcome.trials] == list(expected)
    for trial in outcome.trials:
        assert not trial.passed, trial.name
        assert re.search(expected[trial.name], trial.reason), trial.reason
    assert "Traceback" not in outcome.log.text()


def test_every_action_has_a_scenario_that_passes_and_one_that_fails():
    project = tomllib.loads((HERE.parents[1] / "roqsim_scenario" / "pyproject.toml").read_text())["project"]
    actions = set(project["entry-points"]["scenario_execution.actions"])
    for folder in ("passing", "failing"):
        text = "\n".join(path.read_text() for path in (HERE / folder).glob("*.osc"))
        assert actions - set(re.findall(r"(\w+)\(", text)) == set(), folder


class Another:
    """A simulation that is not roqsim's."""

    dt = 0.01

    def setup(self, **kwargs): ...

    def reset(self): ...

    def step(self): ...

    def shutdown(self): ...


@pytest.mark.parametrize("simulation", [None, Another()])
def test_without_a_simulation_of_roqsim_the_scenario_fails_at_once(simulation, tmp_path):
    scenario = "import osc.roqsim\n\nscenario alone:\n    do serial:\n        run_ended()\n"
    outcome = run_scenario(scenario, simulation, tmp_path)
    assert outcome.results == [False]
    assert "run_ended: expected a simulation of roqsim, got " in outcome.reason
    assert "add --simulation roqsim.scenario_adapter:MujocoSim" in outcome.reason
