"""Whatever ends a run, what was recorded can be read: kill, SIGTERM, a full disk, a folder that takes no files."""

from __future__ import annotations

import csv
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

import numpy as np
import pytest
from roqsim.drivers.verify import verify
from roqsim.recording import Recorder, open_recording, record
from roqsim.recording.mcap_sink import McapSink
from roqsim.recording.writer import WriteError

from .conftest import POPULATED, WORLD

UNWRITABLE = "expected a file that can be written, got "

PROGRAM = Path(sys.executable).with_name("roqsim")


def started(folder, *words, document=POPULATED, **environment):
    """A run of its own process."""
    (folder / "world.yaml").write_text(document)
    command = [PROGRAM, "sim", "world.yaml", "--headless", *words]
    return subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def writer_of(process) -> int:
    """The process that writes what a run records."""
    return int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])


def confine(writer, length):
    """Lets no file of a writer become longer: what a full disk is to it."""
    resource.prlimit(writer, resource.RLIMIT_FSIZE, (length, length))


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
    assert recording.meta["streams"] and recording.meta["tick"] > 0
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
    process = started(folder, "--pacing", "asap", "--record", name, "--capture-fps", "500")
    wait_for(lambda: lines(folder / "run.clock_map.csv"), process)
    confine(writer_of(process), 400_000)
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


SINKS = '''
from pathlib import Path

class Broken:
    """A file on a disk that is full from some point on; what is done with it is told by empty files."""

    def __init__(self, path, good):
        self.path, self.good = Path(path), good

    def write(self, batch):
        self.good -= 1
        if self.good < 0:
            raise OSError(28, "No space left on device")

    def open(self, meta):
        pass

    note = status = lambda self, content: None

    def flush(self):
        pass

    def close(self, meta):
        Path("closed").touch()

    def abandon(self):
        Path("abandoned").touch()

class Faulty(Broken):
    def write(self, batch):
        raise KeyError("walls")
'''
"""Files that cannot be written, in a module that the writing process finds."""


@pytest.fixture
def sinks(folder, monkeypatch):
    (folder / "sinks_of_a_test.py").write_text(SINKS)
    monkeypatch.syspath_prepend(folder)
    return importlib.import_module("sinks_of_a_test")


@pytest.fixture
def recorded(folder, world):
    """An engine whose recording goes to a file of one's own making."""

    def start(sink):
        engine = world(WORLD, base_dir=folder, reset=False)
        recorder = Recorder(lambda number: [sink], 5)
        engine.observe(recorder)
        engine.reset()
        return engine, recorder

    return start


@pytest.mark.parametrize("good", [0, 3])
def test_no_space_ends_the_run_at_the_next_sample(folder, recorded, sinks, good):
    engine, recorder = recorded(sinks.Broken("run.mcap", good))
    with pytest.raises(WriteError, match=f"run.mcap: {UNWRITABLE}'no space left on device'"):
        for _ in range(100):
            engine.advance(10)
            recorder.flush()
    assert (folder / "abandoned").exists() and not (folder / "closed").exists()
    assert engine.shutdown() == []


def test_a_mistake_in_a_writer_is_told_with_the_place_it_was_made_at(recorded, sinks):
    engine, recorder = recorded(sinks.Faulty("run.mcap", 0))
    with pytest.raises(KeyError, match="walls") as caught:
        recorder.flush()
    assert "sinks_of_a_test.py" in "".join(traceback.format_exception(caught.value))


def test_a_file_that_cannot_be_sent_to_the_writer_is_one_clear_error(recorded, sinks, monkeypatch):
    monkeypatch.setattr("sys.path", sys.path[1:])
    with pytest.raises(ModuleNotFoundError, match="sinks_of_a_test"):
        recorded(sinks.Broken("run.mcap", 3))


def test_a_writer_that_was_killed_ends_the_run_with_one_clear_error(folder, recorded):
    engine, recorder = recorded(McapSink(Path("run.mcap")))
    engine.advance(500)
    recorder.flush()
    recorder._writer._process.kill()
    with pytest.raises(WriteError, match="^the process that writes the recording has ended; what was recorded until"):
        for _ in range(1000):
            engine.advance(1000)
    assert engine.shutdown() == []
    assert len(open_recording("run.mcap")) == 101


def test_a_run_that_is_gone_leaves_its_writer_to_write_what_is_left_and_end(folder, recorded):
    engine, recorder = recorded(McapSink(Path("run.mcap")))
    engine.advance(500)
    writer = recorder._writer
    writer._connection.close()
    writer._process.wait(timeout=10)
    recording = open_recording("run.mcap")
    assert not recording.complete and recording.ticks.tolist() == list(range(0, 500, 5))
    engine.shutdown(log=False)


def test_one_writer_serves_every_episode_and_ends_with_the_engine(folder, world):
    engine = world(WORLD, base_dir=folder, reset=False)
    recorder = record(engine, "run.mcap")
    process = recorder._writer._process
    engine.reset()
    engine.reset()
    assert recorder._writer._process is process and process.poll() is None
    engine.shutdown()
    assert process.poll() == 0
    recorder.flush()


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_the_writer_ends_also_while_a_fork_of_the_run_lives(folder, world):
    engine = world(WORLD, base_dir=folder, reset=False)
    recorder = record(engine, "run.mcap")
    engine.reset()
    fork = os.fork()
    if not fork:
        time.sleep(60)
        os._exit(0)
    try:
        engine.shutdown()
        assert recorder._writer._process.poll() == 0
    finally:
        os.kill(fork, signal.SIGKILL)
        os.waitpid(fork, 0)


def test_no_memory_for_the_rows_is_one_clear_error(recorded, monkeypatch):
    def refuse(*_):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr("os.ftruncate", refuse)
    with pytest.raises(WriteError, match="shared memory.*cannot allocate memory"):
        recorded(McapSink(Path("run.mcap")))


def test_no_space_while_packing_leaves_the_stream_with_everything(folder, world):
    engine = world(WORLD, base_dir=folder, reset=False)
    record(engine, "run.npz", 100.0)
    engine.reset()
    engine.advance(200)
    (folder / "run.npz.part").symlink_to("/dev/full")
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
    process = started(folder, "--seconds", "1.5", "--record", "run.npz", "--capture-fps", "500")
    wait_for(lambda: lines(folder / "run.clock_map.csv"), process)
    confine(writer_of(process), 30_000)
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
