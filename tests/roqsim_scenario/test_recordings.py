"""What a scenario does to a world is in its recording: the run is done again from it, to the bit."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from roqsim.cli import main
from roqsim.scenario_adapter import MujocoSim
from roqsim.testing.scenarios import run_scenario

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", ["placement", "faults", "reports", "run"])
def test_a_scenarios_run_is_repeated_from_its_recording(name, tmp_path, monkeypatch):
    monkeypatch.setenv("ROQSIM_RECORD", "run.npz")
    outcome = run_scenario(HERE / "passing" / f"{name}.osc", MujocoSim(HERE / "yard.yaml"), tmp_path)
    assert outcome.passed, outcome.reason
    recordings = sorted(tmp_path.rglob("run*.npz"))
    assert len(recordings) >= len(outcome.trials)
    for path in recordings:
        verdict = CliRunner().invoke(main, ["verify", str(path)])
        assert verdict.exit_code == 0, verdict.output
