"""The command ``scenario_execution`` in a process of its own, as a campaign starts it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_deployment")]

PROGRAM = Path(sys.executable).with_name("scenario_execution")

SCENARIO = """
import osc.helpers

scenario trial:
    timeout({timeout}s)
    do serial:
        wait elapsed({wait}s)
        log('done')
"""


@pytest.fixture
def command(write, tmp_path):
    """The command line of a scenario that waits so many simulated seconds, and the directory of its results."""

    def make(wait, timeout=3600.0, *options):
        write("trial.osc", SCENARIO.format(wait=float(wait), timeout=float(timeout)))
        out = tmp_path / "out"
        adapter = ["--simulation", "roqsim.scenario_adapter:MujocoSim", "-o", str(out)]
        return [str(PROGRAM), *adapter, *options, "trial.osc"], out

    return make


def run(argv, **environment):
    return subprocess.run(argv, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120)


def test_a_passing_scenario_exits_with_0_and_a_failing_one_with_1(drop, command):
    argv, out = command(0.2)
    done = run([*argv, "--bt-log"], ROQSIM_WORLD=drop, ROQSIM_SEED="1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'failures="0"' in (out / "test.xml").read_text()
    assert (out / "behaviors.jsonl").is_file()
    argv, out = command(0.2, 0.1)
    assert run(argv, ROQSIM_WORLD=drop, ROQSIM_SEED="1").returncode == 1
    assert 'failures="1"' in (out / "test.xml").read_text()


def test_a_mistake_in_the_environment_is_one_line_without_a_traceback(command):
    argv, _ = command(0.2)
    done = run(argv, ROQSIM_WORLD="nowhere.yaml")
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    assert done.stdout.count("Could not instantiate simulation class 'MujocoSim'") == 1
    assert "nowhere.yaml" in done.stdout.splitlines()[-1]


def test_a_failing_simulation_leaves_a_result_and_no_traceback(write, variant, command):
    write(
        "bomb.py",
        """
        from roqsim import Plugin

        class Bomb(Plugin):
            def pre_step(self, ctx):
                if ctx.sim_time >= 0.1:
                    raise RuntimeError("bang")
        """,
    )
    argv, out = command(10.0)
    done = run(argv, ROQSIM_WORLD=variant("bomb.yaml", more="  - bomb.py:Bomb: {}\n"), ROQSIM_SEED="1")
    assert done.returncode == 1
    assert 'failures="1"' in (out / "test.xml").read_text()
    assert "the simulation failed:" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_aborts_the_scenario_and_closes_the_simulation(write, variant, command, number):
    write(
        "witness.py",
        """
        from pathlib import Path
        from roqsim import Plugin

        class Witness(Plugin):
            def post_step(self, ctx):
                if ctx.tick == 1:
                    Path("running").touch()

            def shutdown(self, ctx):
                Path("closed").touch()
        """,
    )
    argv, out = command(3000.0)
    world = variant("witness.yaml", more="  - witness.py:Witness: {}\n")
    with subprocess.Popen(
        argv, env={**os.environ, "ROQSIM_WORLD": world}, stdout=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 60
        while not Path("running").exists():
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(number)
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert Path("closed").exists()
    assert "Aborted" in (out / "test.xml").read_text(), said
