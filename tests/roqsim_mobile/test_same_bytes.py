"""One document and one seed give one state, whatever process runs it, how fast, and whoever looks on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROBE = """
import hashlib
from roqsim import Plugin
from roqsim.mj.state import take

class Probe(Plugin):
    def shutdown(self, ctx):
        print("state", ctx.tick, hashlib.sha256(take(ctx.model, ctx.data).tobytes()).hexdigest())
"""

WORLD = """
sim: {timestep: 0.004, seed: 5}
components:
  - spawn_robot: {model: turtlebot4}
    name: robot
    components:
      - diff_drive: {odom_noise: {linear_stddev: 0.05, angular_stddev: 0.1}}
      - course: {localization: odom, waypoints: [[1.0, 0.0], [1.0, 1.0]]}
  - boxes: {instances: [{name: crate, size: [0.3, 0.3, 0.3], pose: {position: {x: 0.7, z: 0.4}}}]}
  - "./probe.py:Probe": {}
"""

STEPS = 500

RUNS = {
    "as fast as it can": ["--pacing", "asap"],
    "again": ["--pacing", "asap"],
    "at four times real time": ["--pacing", "4"],
    "recorded": ["--pacing", "asap", "--record", "run.npz", "--capture-fps", "250"],
    "profiled": ["--pacing", "asap", "--profile"],
}


def state_line(text: str) -> str:
    """What the probe printed."""
    (line,) = [line for line in text.splitlines() if line.startswith("state ")]
    return line


@pytest.mark.slow
def test_a_state_depends_on_document_and_seed_alone(world, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("probe.py").write_text(PROBE)
    Path("world.yaml").write_text(WORLD)
    roqsim = Path(sys.executable).with_name("roqsim")
    found = {}
    for number, (name, words) in enumerate(RUNS.items()):
        run = subprocess.run(
            [roqsim, "sim", "world.yaml", "--headless", "--steps", str(STEPS), *words],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": str(number)},
        )
        assert run.returncode == 0, run.stderr
        found[name] = state_line(run.stdout)
    # And in this process, after another world and in single steps.
    world("roqsim_mobile:turtlebot4_empty").advance(10)
    engine = world("world.yaml", seed=5)
    for _ in range(STEPS):
        engine.step()
    engine.shutdown()
    found["by a script"] = state_line(capsys.readouterr().out)
    assert set(found.values()) == {found["again"]}, found
    assert found["again"].startswith(f"state {STEPS} ")
    other = world("world.yaml", seed=6)
    other.advance(STEPS)
    other.shutdown()
    assert state_line(capsys.readouterr().out) != found["again"]
