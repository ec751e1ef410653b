"""What a scenario's run leaves behind: one recording a trial, in the directory of its scenario."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner
from roqsim.cli import main
from roqsim.errors import ConfigError
from roqsim.mj.state import take
from roqsim.recording import open_recording
from roqsim.scenario_adapter import MujocoSim
from roqsim.testing.scenarios import run_scenario

TRIAL = """
import osc.helpers

scenario trial:
    timeout(20s)
    world: string = ''
    do serial:
        wait elapsed(0.4s)
"""


@pytest.fixture(autouse=True)
def recorded(no_deployment, monkeypatch):
    monkeypatch.setenv("ROQSIM_RECORD", "run.npz")
    monkeypatch.setenv("ROQSIM_SIM_POSES", "1")
    monkeypatch.delenv("RUN_OUTPUT_DIR", raising=False)


def files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_trial_is_recorded_in_the_output_directory(drop, tmp_path):
    out = tmp_path / "out"
    outcome = run_scenario(TRIAL, MujocoSim(drop, seed=4), out)
    assert outcome.passed, outcome.reason
    assert {"run.npz", "run.clock_map.csv", "sim_poses.csv", "entities.json", "test.xml"} <= set(files(out))
    recording = open_recording(out / "run.npz")
    assert recording.complete
    assert (recording.seed, recording.episode) == (4, 1)
    assert recording.times[-1] == pytest.approx(0.4, abs=0.01)
    with (out / "sim_poses.csv").open(newline="") as table:
        assert {row["frame"] for row in csv.DictReader(table)} >= {"crate"}


def test_each_trial_of_a_process_is_recorded_in_the_directory_of_its_own(variant, drop, tmp_path):
    other = variant("other.yaml", "crate", "chest")
    names = [("first", ""), ("second", ""), ("third", other)]
    parameters = [{"trial": {"_output_dir": f"cells/{name}", "world": world}} for name, world in names]
    out = tmp_path / "out"
    outcome = run_scenario(TRIAL, MujocoSim(drop, seed=4), out, parameters)
    assert outcome.results == [True] * 3, outcome.reason
    assert not (out / "run.npz").exists()
    runs = [open_recording(out / "cells" / name) for name, _ in names]
    assert [run.episode for run in runs] == [1, 2, 1]
    assert all(run.complete and run.times[-1] == pytest.approx(0.4, abs=0.01) for run in runs)
    assert [run.meta["world"] for run in runs] == [drop, drop, other]


def test_a_given_directory_holds_the_outputs_of_every_trial_with_names_of_their_own(
    variant, drop, tmp_path, monkeypatch
):
    given = tmp_path / "given"
    monkeypatch.setenv("RUN_OUTPUT_DIR", str(given))
    other = variant("other.yaml", "crate", "chest")
    parameters = [{"trial": {"world": world}} for world in ("", "", other)]
    outcome = run_scenario(TRIAL, MujocoSim(drop, seed=4), tmp_path / "out", parameters)
    assert outcome.results == [True] * 3, outcome.reason
    recordings = [name for name in files(given) if name.endswith(".npz")]
    assert recordings == ["run.npz", "run_2.npz", "run_3.npz"]
    assert open_recording(given / "run_3.npz").meta["world"] == other


def test_a_recording_changes_no_bit_and_continues_to_the_same_bytes(drop, tmp_path, monkeypatch):
    run_scenario(TRIAL, MujocoSim(drop, seed=4), tmp_path / "out")
    recording = open_recording(tmp_path / "out" / "run.npz")
    monkeypatch.delenv("ROQSIM_RECORD")
    monkeypatch.delenv("ROQSIM_SIM_POSES")
    sim = MujocoSim(drop, seed=4)
    sim.reset()
    for _ in range(int(recording.ticks[-1])):
        sim.step()
    assert np.array_equal(take(sim.context.model, sim.context.data), recording.states[-1])
    sim.shutdown()


def test_what_fails_is_recorded_with_its_reason_beside_its_report(write, variant, tmp_path):
    write(
        "spoil.py",
        """
        from roqsim import Plugin

        class Spoil(Plugin):
            def pre_step(self, ctx):
                if ctx.tick == 50 and ctx.episode == 1:
                    ctx.data.qvel[0] = float("nan")
        """,
    )
    world = variant("spoil.yaml", more="  - spoil.py:Spoil: {}\n    name: spoil\n")
    parameters = [{"trial": {"_output_dir": name}} for name in ("first", "second")]
    out = tmp_path / "out"
    outcome = run_scenario(TRIAL, MujocoSim(world, seed=1), out, parameters)
    assert outcome.results == [False, True]
    failed = open_recording(out / "first" / "run.npz")
    assert failed.meta["stop_failed"]
    assert "diverged" in failed.meta["stop_reason"]
    assert (out / "first" / "divergence.npz").is_file()
    assert not open_recording(out / "second" / "run.npz").meta["stop_failed"]


def test_overrides_are_in_the_record_as_they_were_asked_for(drop, write, tmp_path, monkeypatch):
    monkeypatch.setenv("ROQSIM_WORLD_OVERRIDES", write("deployed.yaml", "sim: {density: 1.5}\n"))
    run_scenario(TRIAL, MujocoSim(drop, seed=4), tmp_path / "out")
    assert open_recording(tmp_path / "out").meta["overrides"] == {"sim": {"density": 1.5}}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("ROQSIM_RECORD", "run.bag", "ROQSIM_RECORD"),
        ("ROQSIM_CAPTURE_FPS", "often", "ROQSIM_CAPTURE_FPS: expected a rate > 0 in Hz, got 'often'"),
        ("ROQSIM_SIM_POSES", "maybe", "ROQSIM_SIM_POSES: expected 1 or 0, got 'maybe'"),
    ],
)
def test_a_wrong_wish_is_told_when_the_adapter_is_made(drop, monkeypatch, name, value, said):
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=said):
        MujocoSim(drop)


def test_a_recording_that_is_there_already_is_not_overwritten(drop, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "run.npz").write_text("precious")
    outcome = run_scenario(TRIAL, MujocoSim(drop, seed=4), out)
    assert not outcome.passed
    assert "expected a file that is not there yet" in outcome.log.text("error")
    assert (out / "run.npz").read_text() == "precious"


def test_the_geometry_is_written_beside_each_trial_where_it_is_asked_for(drop, tmp_path, monkeypatch):
    monkeypatch.setenv("ROQSIM_SCENE_EXPORT_DIR", "scene")
    monkeypatch.delenv("ROQSIM_RECORD")
    monkeypatch.delenv("ROQSIM_SIM_POSES")
    parameters = [{"trial": {"_output_dir": name}} for name in ("first", "second")]
    out = tmp_path / "out"
    outcome = run_scenario(TRIAL, MujocoSim(drop, seed=1), out, parameters)
    assert outcome.passed, outcome.reason
    for name in ("first", "second"):
        scene = json.loads((out / name / "scene" / "scene.json").read_text())
        assert "crate" in {body["name"] for body in scene["bodies"]}
        assert (out / name / "scene" / "scene.bin").is_file()


def test_a_world_of_the_command_line_leaves_its_geometry_too(drop, tmp_path, monkeypatch):
    monkeypatch.delenv("ROQSIM_RECORD")
    monkeypatch.delenv("ROQSIM_SIM_POSES")
    monkeypatch.setenv("ROQSIM_SCENE_EXPORT_DIR", str(tmp_path / "scene"))
    done = CliRunner().invoke(main, ["sim", drop, "--headless", "--steps", "3", "--seed", "1", "--pacing", "asap"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "scene" / "scene.json").is_file()
