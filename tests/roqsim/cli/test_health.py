"""``roqsim health`` on real runs: what programs read from it, and what it finds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

ROQSIM = Path(sys.executable).with_name("roqsim")

WORLD = """
sim: {timestep: 0.01, seed: 1}
components:
  - "./cart.py:Cart": {SETTINGS}
    name: cart
"""

CART = '''
"""A cart, and a transport that looks at who sends to it."""

from roqsim import Entity, Plugin


class Cart(Plugin):
    def build(self, spec, ctx):
        body = spec.worldbody.add_body(name="cart_base", pos=[0, 0, 0.1])
        body.add_freejoint()
        body.add_geom(type=6, size=[0.1, 0.1, 0.1])

    def configure(self, ctx):
        ctx.entities.add(Entity("cart", "robot", body=int(ctx.model.body("cart_base").id), address=self.address))

    def post_step(self, ctx):
        if self.config.get("clash") and ctx.sim_time >= 1.0:
            ctx.request_stop(
                "topic /cmd_vel: expected geometry_msgs/TwistStamped, got geometry_msgs/Twist from 'teleop'",
                failed=True,
            )
        if self.config.get("drives"):
            ctx.data.qpos[0] = 0.1 * ctx.sim_time
'''


@pytest.fixture
def run(tmp_path):
    """Records a run: ``run(settings, seconds)`` gives its folder."""

    def record(settings="", seconds=10.0, wait=True, pacing="asap"):
        (tmp_path / "cart.py").write_text(CART)
        (tmp_path / "world.yaml").write_text(textwrap.dedent(WORLD).replace("SETTINGS", settings))
        folder = tmp_path / "out"
        folder.mkdir(exist_ok=True)
        words = ["sim", tmp_path / "world.yaml", "--headless", "--pacing", pacing, "--seconds", str(seconds)]
        environment = {**os.environ, "RUN_OUTPUT_DIR": str(folder), "ROQSIM_SIM_POSES": "1"}
        process = subprocess.Popen(
            [ROQSIM, *words, "--record", "run.mcap"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if wait:
            process.wait(60)
            return folder
        return folder, process

    return record


def test_a_run_that_is_well_has_exit_status_zero(cli, run):
    result = cli("health", run("drives: true"))
    assert result.exit_code == 0, result.stdout + result.stderr
    assert "verdict: good" in result.stdout
    assert "'cart' moved 1.00 m" in result.stdout


def test_a_clash_of_topic_types_is_found_with_its_reason(cli, run):
    result = cli("health", run("clash: true"))
    assert result.exit_code == 5
    last = result.stderr.splitlines()[-1]
    assert last == ("end: topic /cmd_vel: expected geometry_msgs/TwistStamped, got geometry_msgs/Twist from 'teleop'")


def test_a_robot_that_no_command_reaches_is_found_after_ten_seconds(cli, run):
    folder = run()
    result = cli("health", folder)
    assert result.exit_code == 5
    assert "robot-motion: 'cart' has not moved in 10.0 s" in result.stderr.splitlines()[-1]
    document = json.loads(cli("health", "--json", folder).stdout)
    assert [(each["level"], each["check"]) for each in document["findings"]] == [("warning", "robot-motion")]


def test_json_is_one_document_alone_on_standard_output(cli, run):
    result = cli("health", run("clash: true"), "--json")
    assert result.exit_code == 5
    document = json.loads(result.stdout)
    assert {"findings", "skipped", "state", "too_early", "verdict", "checks"} <= set(document)


def test_without_records_there_is_no_json_and_one_line_of_reason(cli, tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        result = cli("health", folder, "--json")
        assert (result.exit_code, result.stdout) == (2, "")
        assert len(result.stderr.splitlines()) == 1


def test_a_robot_has_to_be_one(cli, run):
    result = cli("health", run("drives: true", 1.0), "--robot", "kart")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.strip() == "--robot: expected the name of a robot, got 'kart'; did you mean 'cart'?"


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_run_is_watched_to_its_end(run, words):
    folder, process = run("drives: true", 4.0, wait=False, pacing="realtime")
    while not list(folder.glob("*.clock_map.csv")):
        assert process.poll() is None
        time.sleep(0.1)
    watched = subprocess.run([ROQSIM, "health", folder, "--watch", *words], capture_output=True, text=True, timeout=60)
    assert process.wait(10) == 0
    if words:
        assert json.loads(watched.stdout)["state"]["ended"] == "the limit of 400 steps (4 s) is reached"
    else:
        assert watched.stdout.count("verdict: ") >= 2
        assert "the limit of 400 steps (4 s) is reached" in watched.stdout


@pytest.mark.slow
def test_a_run_can_be_asked_while_it_goes_on_and_after_a_kill(run):
    folder, process = run("drives: true", 600.0, wait=False, pacing="realtime")

    def ask():
        found = subprocess.run([ROQSIM, "health", "--json", folder], capture_output=True, text=True, timeout=20)
        return found.returncode, json.loads(found.stdout) if found.stdout else None

    deadline = time.monotonic() + 40
    try:
        document = None
        while time.monotonic() < deadline and (document is None or document["verdict"] == "too early"):
            time.sleep(0.3)
            status, document = ask()
        # A machine that is busy with other things may be slow, which is then found.
        assert {each["check"] for each in document["findings"]} <= {"sim-time-rate"}, document
        assert status == (5 if document["findings"] else 0)
        assert document["state"]["running"] is True
        assert any(text.startswith("end: ") for text in document["too_early"])
        assert not any(text.startswith("robot-motion") for text in document["skipped"])
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    time.sleep(10.5)
    status, document = ask()
    assert status == 5
    assert [each["check"] for each in document["findings"] if each["level"] == "error"] == ["sim-time-stuck", "end"]
