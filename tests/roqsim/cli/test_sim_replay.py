"""``roqsim sim`` with a recording: it is shown, and what only a run can take is refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from roqsim.config.world import load_config_from_dict
from roqsim.engine import Engine
from roqsim.recording import record
from roqsim.viewer.browser.view import has_studio

ROQSIM = Path(sys.executable).with_name("roqsim")


@pytest.fixture
def folder(tmp_path):
    """The folder of a run of half a second."""
    engine = Engine(load_config_from_dict({"components": [{"dummy": {}}]}, tmp_path), seed=1)
    engine.setup()
    (tmp_path / "out").mkdir()
    recorder = record(engine, tmp_path / "out" / "run.npz", fps=50.0)
    engine.reset()
    engine.advance(250)
    recorder.flush()
    (tmp_path / "killed").mkdir()
    shutil.copy(tmp_path / "out" / "run.npz.stream", tmp_path / "killed")
    engine.shutdown()
    return tmp_path / "out"


@pytest.mark.parametrize(
    ("words", "last"),
    [
        (("--headless",), "--headless: expected somewhere to show the recording; leave it out, or 'roqsim render"),
        (("--seconds", 3), "--seconds: expected a world to run, got a recording; leave it out"),
        (("--set", "sim.timestep=1"), "--set: expected a world to run, got a recording"),
        (("--record", "again.npz"), "--record: expected a world to run, got a recording"),
        (("--pacing", "asap", "--browser=0"), "--pacing: expected 'realtime' or a factor for a recording, got 'asap'"),
        (("--at", 9, "--browser=0"), "--at: expected a time from 0 to 0.5 s, which was recorded, got 9"),
        ((), "expected a display for the window, got none; add --browser to watch in a browser"),
    ],
)
@pytest.mark.parametrize("name", ["", "run.npz", "../killed", "../killed/run.npz.stream"])
def test_what_makes_no_sense_for_a_recording_is_refused(cli, folder, monkeypatch, words, last, name):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    result = cli("sim", folder / name, *words)
    assert result.exit_code == 2
    assert last in result.stderr.splitlines()[-1]


def test_at_is_for_recordings(cli, tmp_path):
    (tmp_path / "w.yaml").write_text("{}")
    result = cli("sim", tmp_path / "w.yaml", "--headless", "--at", 1.0)
    assert result.exit_code == 2
    assert "--at: expected a recording, got a world" in result.stderr.splitlines()[-1]


def test_what_is_no_recording_has_exit_status_four(cli, tmp_path):
    (tmp_path / "run.mcap").write_bytes(b"nothing")
    assert cli("sim", tmp_path / "run.mcap", "--browser=0").exit_code == 4
    assert cli("sim", tmp_path, "--browser=0").exit_code == 4


@pytest.mark.slow
@pytest.mark.skipif(not has_studio(), reason="MuJoCo Studio is not installed")
def test_a_replay_on_a_page_ends_with_a_signal_and_status_zero(folder, tmp_path):
    environment = {**os.environ, "HOME": str(tmp_path)}
    words = [ROQSIM, "sim", folder, "--browser=0", "--at", "0.2"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        line = process.stderr.readline()
        assert line.startswith("browser: http://127.0.0.1:"), line
        with urllib.request.urlopen(line.split()[1], timeout=30) as reply:
            assert reply.status == 200
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        out, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    assert "terminated (SIGTERM)" in out
    assert json.dumps(str(folder / "run.npz"))[1:-1] in out
