"""``roqsim sim --record`` and ``roqsim verify``: a run, and whether it comes out the same a second time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from roqsim.recording import open_recording

WORLD = """
sim: {seed: 1, timestep: 0.002}
components:
  - boxes: {instances: [{name: crate, size: [0.2, 0.2, 0.2], mass: 1, pose: {position: {z: 0.5}}}]}
"""


@pytest.fixture
def sim(cli, tmp_path, monkeypatch):
    """Runs a world with a falling crate for a second, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    for name in ("ROQSIM_RECORD", "ROQSIM_CAPTURE_FPS", "ROQSIM_SIM_POSES", "RUN_OUTPUT_DIR"):
        monkeypatch.delenv(name, raising=False)
    Path("world.yaml").write_text(WORLD)

    def run(*words):
        return cli("sim", "world.yaml", "--headless", "--pacing", "asap", "--seconds", "1", *words)

    return run


def last_line(result) -> str:
    return result.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("name", ["run.mcap", "run.npz"])
def test_a_recorded_run_is_verified(cli, sim, name):
    result = sim("--record", name)
    assert result.exit_code == 0, result.stderr
    recording = open_recording(name)
    assert recording.complete and len(recording) == 26
    assert recording.meta["stop_reason"] == "the limit of 500 steps (1 s) is reached"
    assert recording.meta["world"] == "world.yaml" and recording.seed == 1
    result = cli("verify", name)
    assert result.exit_code == 0
    assert result.stdout == f"{name}: 26 of 26 samples are equal to the bit, up to 1 s\n"


def test_a_run_directory_is_verified_and_answers_in_one_line_of_json(cli, sim):
    sim("--record", "run.npz", "--capture-fps", "50")
    result = cli("verify", ".", "--json")
    assert result.exit_code == 0 and result.stdout.count("\n") == 1
    assert json.loads(result.stdout) == {
        "recording": "run.npz",
        "complete": True,
        "samples": 51,
        "equal": 51,
        "seconds": 1.0,
        "difference": None,
    }


def test_a_run_that_comes_out_otherwise_ends_with_status_5_and_names_where(cli, sim, monkeypatch):
    sim("--record", "run.mcap")

    def nudged(self, ctx):
        if ctx.tick == 200:
            ctx.data.qvel[2] += 1e-9

    from roqsim.plugins.boxes import Boxes

    monkeypatch.setattr(Boxes, "pre_step", nudged, raising=False)
    result = cli("verify", "run.mcap")
    assert result.exit_code == 5
    assert "11 of 26 samples are equal to the bit, up to 0.4 s" in result.stdout
    assert last_line(result).startswith(
        "run.mcap: expected the recorded run, got another from tick 220 (0.44 s): "
        "qpos[0] of joint 'crate_freejoint' was "
    )
    reply = json.loads(cli("verify", "run.mcap", "--json").stdout)
    assert reply["difference"]["tick"] == 220 and reply["difference"]["time"] == pytest.approx(0.44)


@pytest.mark.parametrize(
    ("content", "status", "text"),
    [
        (None, 2, "there is no recording 'run.mcap'; check the path"),
        (b"", 4, "run.mcap: expected a recording (.mcap, .npz), got an empty file; name a file that 'roqsim sim"),
        (b"sim: {}\n", 4, "run.mcap: expected a recording (.mcap, .npz), got a file that begins with b'sim: {}"),
    ],
)
def test_what_is_no_recording_ends_with_status_4_and_what_is_missing_with_2(cli, sim, content, status, text):
    if content is not None:
        Path("run.mcap").write_bytes(content)
    result = cli("verify", "run.mcap")
    assert result.exit_code == status
    assert last_line(result).startswith(text)
    assert result.stdout == ""


def test_a_recording_whose_world_is_gone_ends_with_status_4(cli, sim):
    Path("room.xml").write_text("<mujoco><worldbody><geom type='plane' size='1 1 1'/></worldbody></mujoco>")
    Path("world.yaml").write_text("sim: {seed: 1, world: room.xml}\n")
    sim("--record", "run.mcap")
    Path("room.xml").unlink()
    result = cli("verify", "run.mcap")
    assert result.exit_code == 4
    assert "run.mcap: expected to build its world again, got " in result.stderr and "room.xml" in last_line(result)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--record", "run.csv"], "--record: expected a file that ends in .mcap or .npz, got 'run.csv'"),
        (
            ["--record", "/dev/null/run.mcap"],
            "--record: expected a file that can be written, got '/dev/null/run.mcap': ",
        ),
        (["--record", "run.mcap", "--capture-fps", "600"], "--capture-fps: expected a rate > 0 and <= 500 Hz"),
        (["--capture-fps", "25"], "--capture-fps: expected something to record, got nothing; add --record FILE"),
    ],
)
def test_a_wrong_option_is_one_line_and_status_2(sim, words, text):
    result = sim(*words)
    assert result.exit_code == 2
    assert last_line(result).startswith(text)
    assert not Path("run.mcap").exists()


def test_a_second_run_does_not_write_over_the_first(sim):
    assert sim("--record", "run.mcap").exit_code == 0
    before = Path("run.mcap").read_bytes()
    result = sim("--record", "run.mcap")
    assert result.exit_code == 2
    assert last_line(result).startswith("--record: expected a file that is not there yet, got 'run.mcap', which is; ")
    assert Path("run.mcap").read_bytes() == before


def test_the_same_run_ends_in_the_same_state_however_often_it_is_recorded(sim, cli):
    for name, words in (("a.npz", ["--capture-fps", "500"]), ("b.npz", ["--capture-fps", "5"])):
        sim("--record", name, *words)
    first, second = open_recording("a.npz"), open_recording("b.npz")
    assert first[-1].state.tobytes() == second[-1].state.tobytes()


def test_lines_of_a_log_carry_stamps_where_it_is_asked_for(sim, monkeypatch):
    monkeypatch.setenv("ROQSIM_LOG_FORMAT", "stamped")
    result = sim("--record", "run.mcap")
    line = next(line for line in result.stderr.splitlines() if "recording run.mcap at 25 Hz" in line)
    assert line[:4].isdigit() and " INFO " in line
