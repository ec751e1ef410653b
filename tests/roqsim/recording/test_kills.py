"""Whatever ends a run, what was recorded can be read: kill, SIGTERM, a full disk, a folder that takes no files."""

from __future__ import annotations

import csv
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from roqsim.drivers.verify import verify
from roqsim.recording import open_recording, record
from roqsim.recording.writer import WriteError

from .conftest import POPULATED, WORLD

UNWRITABLE = "expected a file that can be written, got "

PROGRAM = Path(sys.executable).with_name("roqsim")


def started(folder, *words, document=POPULATED, limit=None, **environment):
    """A run of its own process, with a limit in bytes for every file where one is given."""
    (folder / "world.yaml").write_text(document)
    command = [PROGRAM, "sim", "world.yaml", "--headless", *words]

    def confine():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=confine,
    )


def wait_for(condition, process, seconds=30.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def lines(path: Path) -> int:
    return path.read_text().count("\n") if path.exists() else 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["run.mcap", "run.npz"])
def test_a_killed_run_leaves_everything_up_to_its_last_flush(folder, name):
    process = started(folder, "--record", name, ROQSIM_SIM_POSES="1")
    wait_for(lambda: lines(folder / "sim_poses.csv") > 300, process)
    began = lines(folder / "run.clock_map.csv")
    process.kill()
    process.communicate()
    recording = open_recording(name)
    assert not recording.complete and recording.meta["stop_reason"] is None
    assert len(recording) > 10 and began >= 2
    assert recording.meta["streams"] and recording.meta["tick"] >= recording.ticks[-1]
    verdict = verify(name)
    assert verdict.difference is None and verdict.equal == len(recording)
    assert "the recorded run did not end on purpose" in str(verdict)
    rows = list(csv.DictReader((folder / "sim_poses.csv").read_text().splitlines()))
    assert all(value is not None for row in rows for value in row.values())
    assert float(rows[-1]["timestamp"]) == pytest.approx(recording.times[-1])
    assert json.loads((folder / "entities.json").read_text())["entities"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_told_to_end_ends_well_with_all_files(folder, number):
    process = started(folder, ROQSIM_RECORD="run.npz", ROQSIM_SIM_POSES="1", RUN_OUTPUT_DIR=str(folder / "out"))
    wait_for(lambda: lines(folder / "out" / "run.clock_map.csv") > 3, process)
    process.send_signal(number)
    _, error = process.communicate(timeout=30)
    assert process.returncode == 0, error
    recording = open_recording(folder / "out")
    assert recording.complete and recording.path.name == "run.npz"
    assert recording.meta["stop_reason"] == {15: "terminated (SIGTERM)", 2: "interrupted (Ctrl-C)"}[number]
    assert sorted(path.name for path in (folder / "out").iterdir()) == [
        "entities.json", "run.clock_map.csv", "run.npz", "sim_poses.csv",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ["run.mcap", "run.npz"])
def test_a_full_disk_ends_the_run_with_one_clear_error_and_leaves_what_was_written(folder, name):
    process = started(folder, "--pacing", "asap", "--record", name, "--capture-fps", "500", limit=400_000)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 1
    wanted = (
        f"{name}: expected a file that can be written, got 'file too large'; what was recorded until then can be read"
    )
    assert error.strip().splitlines()[-1] == wanted
    assert "Traceback" not in error and error.count("file too large") == 1
    recording = open_recording(name)
    assert not recording.complete and len(recording) > 50
    assert recording.ticks.tolist() == list(range(len(recording)))
    assert verify(name).difference is None


class Broken:
    """A file on a disk that is full from some point on."""

    def __init__(self, path, good):
        self.path, self._good, self.abandoned, self.closed = Path(path), good, False, False

    def open(self, meta):
        pass

    def write(self, batch):
        self._good -= 1
        if self._good < 0:
            raise OSError(28, "No space left on device")

    def note(self, notes):
        pass

    def status(self, status):
        pass

    def flush(self):
        pass

    def close(self, meta):
        self.closed = True

    def abandon(self):
        self.abandoned = True


@pytest.mark.parametrize("good", [0, 3])
def test_no_space_ends_the_run_at_the_next_sample(folder, world, good):
    from roqsim.recording import Recorder

    engine = world(WORLD, base_dir=folder, reset=False)
    sink = Broken("run.mcap", good)
    recorder = Recorder(lambda number: [sink], 5)
    engine.observe(recorder)
    engine.reset()
    with pytest.raises(WriteError, match=f"run.mcap: {UNWRITABLE}'no space left on device'"):
        for _ in range(100):
            engine.advance(10)
            recorder.flush()
    assert sink.abandoned and not sink.closed
    assert engine.shutdown() == []


def test_no_space_while_packing_leaves_the_stream_with_everything(folder, world):
    engine = world(WORLD, base_dir=folder, reset=False)
    record(engine, "run.npz", 100.0)
    engine.reset()
    engine.advance(200)

    def full(source, target):
        raise OSError(28, "No space left on device")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("os.replace", full)
        failures = engine.shutdown(log=False)
    assert [str(failure) for failure in failures] == [
        "run.npz: expected a file that can be written, got 'no space left on device'; "
        "what was recorded until then can be read"
    ]
    assert sorted(path.name for path in folder.glob("run*")) == ["run.npz.stream"]
    recording = open_recording("run.npz")
    assert recording.complete and len(recording) == 41 and recording.meta["stop_reason"] == "the run ended"


@pytest.mark.slow
def test_a_recording_that_cannot_be_closed_fails_the_run(folder):
    process = started(folder, "--pacing", "asap", "--seconds", "0.5", "--record", "run.npz", limit=30_000)
    output, error = process.communicate(timeout=60)
    assert process.returncode == 1
    assert error.strip().splitlines()[-1].startswith(f"run.npz: {UNWRITABLE}'file too large'")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("world.yaml/run.mcap", "not a directory; take another path"),
        ("/sys/run.mcap", "permission denied; take another path"),
    ],
)
def test_a_folder_that_takes_no_file_is_refused_before_the_run(folder, path, reason):
    if path.startswith("/sys") and not Path("/sys").is_dir():
        pytest.skip("needs a read-only directory that even the superuser cannot write to")
    process = started(folder, "--record", path, "--seconds", "1")
    _, error = process.communicate(timeout=60)
    assert process.returncode == 2
    wanted = f"--record: expected a file that can be written, got '{path}': {reason}"
    assert error.strip().splitlines()[-1] == wanted


@pytest.mark.slow
def test_the_memory_of_a_long_recording_does_not_grow(folder, world):
    engine = world(WORLD, base_dir=folder, reset=False)
    record(engine, "run.mcap", 500.0)
    engine.reset()
    engine.advance(5000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    engine.advance(30_000)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    engine.shutdown()
    assert len(open_recording("run.mcap")) == 35_001
    assert grown < 5.0
    assert np.diff(open_recording("run.mcap").ticks).tolist() == [1] * 35_000
