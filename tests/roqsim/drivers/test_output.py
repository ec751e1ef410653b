"""What a run leaves behind: which options and variables ask for what, and where it goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from roqsim.drivers.output import RunOutput
from roqsim.errors import ConfigError
from roqsim.recording import open_recording

WORLD = "sim: {seed: 1, timestep: 0.002}\ncomponents: [dummy]\n"


@pytest.fixture
def run(tmp_path, monkeypatch, world):
    """Runs a small world with outputs: ``run(environment, …)``; gives what is in the folder afterwards."""
    monkeypatch.chdir(tmp_path)

    def start(environ=None, *, record=None, capture_fps=None, directory=None, document=WORLD, steps=(100,)):
        engine = world(document, reset=False)
        RunOutput.from_environment(record, capture_fps, environ or {}).attach(engine, directory)
        for count in steps:
            engine.reset()
            engine.advance(count)
        engine.shutdown()
        return sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())

    return start


EXPORT_DIR = "ROQSIM_CAPTURE_EXPORT_DIR"

BESIDE = ["entities.json", "run.clock_map.csv"]


def test_nothing_is_written_where_nothing_is_asked_for(run):
    assert run() == []
    assert run({"ROQSIM_SIM_POSES": "0", "ROQSIM_CAPTURE_FPS": "30", "ROQSIM_RECORD": ""}) == []


def test_the_environment_asks_for_a_recording_and_poses(run):
    assert run({"ROQSIM_RECORD": "run.npz", "ROQSIM_SIM_POSES": "1"}) == [*BESIDE, "run.npz", "sim_poses.csv"]


def test_poses_alone_are_written_without_a_recording(run):
    assert run({"ROQSIM_SIM_POSES": "1"}) == ["entities.json", "sim_poses.csv"]


def test_an_option_wins_over_the_environment(run):
    found = run({"ROQSIM_RECORD": "run.npz", "ROQSIM_CAPTURE_FPS": "10"}, record="mine.mcap", capture_fps=50.0)
    assert found == ["entities.json", "mine.clock_map.csv", "mine.mcap"]
    assert open_recording("mine.mcap").meta["every_steps"] == 10


def test_the_usual_rate_is_25_samples_a_second_and_every_step_where_that_is_less(run):
    run(record="run.mcap")
    assert open_recording("run.mcap").meta["fps"] == 25.0
    run(record="slow.mcap", document="sim: {seed: 1, timestep: 0.05}\ncomponents: [dummy]\n")
    assert open_recording("slow.mcap").meta["every_steps"] == 1


def test_the_rate_is_announced(run, caplog):
    caplog.set_level("INFO", "roqsim")
    run(record="run.mcap", capture_fps=30.0)
    assert "recording run.mcap at 29.4118 Hz (every 17 steps)" in caplog.text


def test_relative_paths_start_at_run_output_dir_then_where_the_driver_says(run):
    assert run({"RUN_OUTPUT_DIR": "out/of/nothing"}, record="run.mcap", directory="elsewhere") == [
        f"out/of/nothing/{name}" for name in [*BESIDE, "run.mcap"]
    ]
    Path("elsewhere").mkdir()
    assert "elsewhere/run.mcap" in run(record="run.mcap", directory="elsewhere")


def test_an_absolute_path_is_taken_as_it_is(run, tmp_path):
    found = run({"RUN_OUTPUT_DIR": "out"}, record=str(tmp_path / "run.mcap"))
    assert found == [*BESIDE, "run.mcap"]


def test_every_reset_has_files_of_its_own(run):
    found = run({"ROQSIM_SIM_POSES": "1"}, record="run.npz", steps=(50, 50, 50))
    assert found == [
        *("entities.json", "run.clock_map.csv", "run.npz", "run_2.clock_map.csv", "run_2.npz"),
        *("run_3.clock_map.csv", "run_3.npz", "sim_poses.csv", "sim_poses_2.csv", "sim_poses_3.csv"),
    ]
    stems = [Path(name).stem for name in found if name.endswith(".csv")]
    assert len(set(stems)) == len(stems)


def test_a_folder_that_is_known_only_once_the_run_has_begun_is_asked_for_then(run, tmp_path):
    asked = []

    def directory():
        asked.append(len(asked))
        folder = tmp_path / f"trial_{len(asked)}"
        folder.mkdir()
        return folder

    found = run(record="run.mcap", directory=directory, steps=(60, 60))
    assert found == [f"trial_{number}/{name}" for number in (1, 2) for name in [*BESIDE, "run.mcap"]]
    assert [open_recording(f"trial_{number}").ticks[0] for number in (1, 2)] == [0, 0]


def test_a_folder_that_comes_late_and_is_no_good_is_told_once(run, tmp_path, caplog):
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="--record: expected a file that can be written, got .*file/run.mcap"):
        run(record="run.mcap", directory=lambda: tmp_path / "file")
    assert "written" not in caplog.text


def test_a_folder_that_is_not_there_yet_is_made(run, tmp_path):
    found = run({"ROQSIM_SIM_POSES": "1"}, record="new/folder/run.mcap")
    assert found == [f"new/folder/{name}" for name in [*BESIDE, "run.mcap", "sim_poses.csv"]]


def test_an_episode_of_no_steps_is_recorded_too_where_the_folder_comes_late(run, tmp_path):
    assert run(record="run.mcap", directory=lambda: tmp_path, steps=(0,)) == [*BESIDE, "run.mcap"]
    assert len(open_recording("run.mcap")) == 1


@pytest.mark.parametrize("name", ["run.mcap", "run.npz", "run.npz.stream"])
def test_a_recording_that_is_there_is_never_written_over(run, name):
    Path(name).write_bytes(b"precious")
    path = name.removesuffix(".stream")
    wanted = rf"--record: expected a file that is not there yet, got '{name}', which is; remove it or take another name"
    with pytest.raises(ConfigError, match=wanted):
        run(record=path)
    with pytest.raises(ConfigError, match="ROQSIM_RECORD: expected a file that is not there yet"):
        run({"ROQSIM_RECORD": path})
    assert Path(name).read_bytes() == b"precious"


def test_poses_that_are_there_are_not_written_over_either(run):
    Path("sim_poses.csv").write_text("precious")
    with pytest.raises(
        ConfigError, match="ROQSIM_SIM_POSES: expected a file that is not there yet, got 'sim_poses.csv'"
    ):
        run({"ROQSIM_SIM_POSES": "1"})
    assert Path("sim_poses.csv").read_text() == "precious"


def test_a_later_episode_does_not_write_over_what_is_there(run):
    Path("run_2.mcap").write_text("precious")
    with pytest.raises(ConfigError, match="expected a file that is not there yet, got 'run_2.mcap'"):
        run(record="run.mcap", steps=(10, 10))
    assert Path("run_2.mcap").read_text() == "precious"
    assert open_recording("run.mcap").complete


@pytest.mark.parametrize(
    ("environ", "options", "text"),
    [
        ({}, {"record": "run.h5"}, "--record: expected a file that ends in .mcap or .npz, got 'run.h5'"),
        ({}, {"record": ""}, "--record: expected the name of a file, got ''; write for example --record run.mcap"),
        ({"ROQSIM_RECORD": "run"}, {}, "ROQSIM_RECORD: expected a file that ends in .mcap or .npz, got 'run'"),
        ({}, {"capture_fps": 25.0}, "--capture-fps: expected something to record, got nothing; add --record FILE"),
        ({"ROQSIM_CAPTURE_FPS": "fast"}, {}, "ROQSIM_CAPTURE_FPS: expected a rate > 0 in Hz, got 'fast'"),
        ({"ROQSIM_SIM_POSES": "yes"}, {}, "ROQSIM_SIM_POSES: expected 1 or 0, got 'yes'"),
        (
            {"ROQSIM_CAPTURE_EXPORT_DIR": "out"},
            {},
            "ROQSIM_CAPTURE_EXPORT_DIR: expected a recording to export, got none",
        ),
    ],
)
def test_a_wrong_option_is_refused_with_its_name(environ, options, text):
    with pytest.raises(ConfigError) as caught:
        RunOutput.from_environment(options.get("record"), options.get("capture_fps"), environ)
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize("rate", [0.0, -1.0, 501.0, float("nan"), float("inf")])
@pytest.mark.parametrize("by", ["--capture-fps", "ROQSIM_CAPTURE_FPS"])
def test_a_rate_that_the_physics_cannot_hold_is_refused(run, rate, by):
    options = {"capture_fps": rate} if by.startswith("--") else {"environ": {by: str(rate)}}
    with pytest.raises(ConfigError, match=rf"{by}: expected a rate > 0 and <= 500 Hz \(one physics step of 0.002 s\)"):
        run(record="run.mcap", **options)
    assert not Path("run.mcap").exists()


def test_a_capture_is_exported_once_a_recording_is_finished(run):
    found = run({EXPORT_DIR: "capture", "RUN_OUTPUT_DIR": "out"}, record="run.npz", steps=(10, 10))
    for number in ("", "_2"):
        assert f"out/capture{number}/capture.json" in found and f"out/run{number}.npz" in found


@pytest.mark.parametrize(
    ("folder", "text"),
    [
        ("old", "expected a file that is not there yet, got 'old/capture.json'"),
        ("file", "expected a file that can be written, got 'file/capture.json': not a directory"),
    ],
)
def test_a_capture_that_can_not_be_written_in_the_end_is_refused_in_the_beginning(run, folder, text):
    Path("old").mkdir()
    Path("old/capture.json").write_text("precious")
    Path("file").touch()
    with pytest.raises(ConfigError, match=f"{EXPORT_DIR}: {text}"):
        run({EXPORT_DIR: folder}, record="run.npz")
    assert not list(Path().glob("run*"))
