"""``roqsim sim``: runs, limits, and one clear answer to each mistake."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from roqsim.recording import open_recording

PLUGINS = """
from roqsim import Endpoint, Plugin

class Fails(Plugin):
    def pre_step(self, ctx):
        if ctx.tick == 10:
            raise ValueError("out of coffee")

class Finishes(Plugin):
    def post_step(self, ctx):
        if ctx.tick == 50:
            ctx.request_stop("the goal is reached", failed=self.config.get("failed", False))

class Fast(Plugin):
    def configure(self, ctx):
        ctx.schedule(self, "post_step", 5000.0)

    def post_step(self, ctx):
        pass

class Streams(Plugin):
    def configure(self, ctx):
        ctx.interface.add(Endpoint("reading", "out", read=lambda: 1, rate_hz=self.config["rate"]))

class Quits(Plugin):
    def post_step(self, ctx):
        raise SystemExit(0)

class Leaks(Plugin):
    def shutdown(self, ctx):
        raise KeyError("cup")

class Begins(Plugin):
    def pre_step(self, ctx):
        open(self.config["file"], "w").close()

class Draws(Plugin):
    def on_reset(self, ctx):
        print("drew", ctx.rng_for(self.address).integers(10**9))
"""


@pytest.fixture
def world(tmp_path, monkeypatch):
    """Writes a world of components beside a file of plugins, with the working directory in an empty folder."""
    (tmp_path / "parts.py").write_text(PLUGINS)
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")

    def write(*components: str, sim: str = "{seed: 1}") -> str:
        path = tmp_path / "world.yaml"
        path.write_text(f"sim: {sim}\ncomponents:\n" + "".join(f"  - {each}\n" for each in components or ["dummy"]))
        return str(path)

    return write


def asap(cli, target, *words):
    return cli("sim", target, "--headless", "--pacing", "asap", *words)


def last_line(result) -> str:
    return result.stderr.strip().splitlines()[-1]


def test_a_run_ends_at_its_limit_with_a_summary(cli, world):
    assert "ended: the limit of 1 step (0.002 s) is reached" in asap(cli, world(), "--steps", "1").stdout
    result = asap(cli, world(), "--seconds", "1")
    assert result.exit_code == 0
    assert "ended: the limit of 500 steps (1 s) is reached" in result.stdout
    assert "simulated 1.000 s" in result.stdout
    assert "500 steps, 1 episode, seed 1" in result.stdout


def test_a_run_leaves_nothing_behind(cli, world, tmp_path):
    asap(cli, world(), "--steps", "10")
    assert list((tmp_path / "cwd").iterdir()) == []


def test_a_plugin_can_end_the_run(cli, world):
    result = asap(cli, world("'./parts.py:Finishes': {}"))
    assert (result.exit_code, "ended: the goal is reached" in result.stdout) == (0, True)


def test_a_run_that_a_plugin_calls_failed_ends_with_one_and_its_reason(cli, world):
    result = asap(cli, world("'./parts.py:Finishes': {failed: true}"))
    assert (result.exit_code, last_line(result)) == (1, "the goal is reached")


def test_a_failing_plugin_is_named_without_a_traceback(cli, world):
    result = asap(cli, world("'./parts.py:Fails': {}\n    name: barista"), "--seconds", "1")
    assert result.exit_code == 1
    assert last_line(result).startswith("barista: pre_step failed: ValueError: out of coffee at ")
    assert result.stdout.startswith("failed: barista: pre_step failed: ValueError: out of coffee at ")
    assert "simulated 0.020 s" in result.stdout
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("hook", ["build", "configure", "on_reset", "pre_step", "post_step"])
def test_a_plugin_that_fails_is_told_in_one_line_with_its_place(cli, world, tmp_path, hook):
    arguments = "spec, ctx" if hook == "build" else "ctx"
    plugin = f"from roqsim import Plugin\nclass Bad(Plugin):\n    def {hook}(self, {arguments}):\n        1 / 0\n"
    (tmp_path / "bad.py").write_text(plugin)
    path = world("'./bad.py:Bad': {}\n    name: bad")
    result = asap(cli, path, "--steps", "10")
    assert result.exit_code == 1
    reason = f"bad: {hook} failed: ZeroDivisionError: division by zero at {tmp_path / 'bad.py'}:4"
    assert result.stderr == f"{reason}; its entry is at {path}:3\n"


def test_a_plugin_that_ends_the_process_does_not_end_it_quietly(cli, world, tmp_path):
    result = asap(cli, world("'./parts.py:Quits': {}\n    name: quitter"), "--steps", "10", "--record", "run.mcap")
    assert result.exit_code == 1
    told = "quitter: post_step failed: SystemExit: 0 at "
    assert last_line(result).startswith(f"{told}{tmp_path / 'parts.py'}:")
    assert result.stdout.startswith(f"failed: {told}")
    assert open_recording("run.mcap").meta["stop_reason"].startswith(told)


THING = "spawn_model: {model: thing.xml, prefix: a_}"
CYLINDER = "cylinders: {radius: 1, height: 1, instances: [{name: a}]}"
REFUSED = {
    "cylinders.a: expected an entity name of its own": ["boxes: {size: [1, 1, 1], instances: [{name: a}]}", CYLINDER],
    "ground_truth_pose: expected to be nested under an entity": ["ground_truth_pose"],
    "other: expected a prefix of its own": [THING, f"{THING}\n    name: other"],
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_a_component_refuses_before_anything_runs_is_a_wrong_input(cli, world, tmp_path, reason):
    (tmp_path / "thing.xml").write_text("<mujoco><worldbody><body><geom size='.1'/></body></worldbody></mujoco>")
    result = asap(cli, world(*REFUSED[reason]), "--steps", "1")
    assert result.exit_code == 2
    assert last_line(result).startswith(reason)


def test_a_plugin_that_cannot_close_fails_the_run_and_is_told_once(cli, world):
    result = asap(cli, world("'./parts.py:Leaks': {}\n    name: barista"), "--steps", "10")
    assert result.exit_code == 1
    assert "failed: barista: shutdown failed: KeyError: 'cup' at " in result.stdout
    assert "10 steps, 1 episode" in result.stdout
    assert result.stderr.count("barista: shutdown failed") == 1
    assert "Traceback" not in result.stderr


def test_a_plugin_that_fails_and_cannot_close_is_told_with_both(cli, world, tmp_path):
    (tmp_path / "both.py").write_text(
        "from roqsim import Plugin\nclass Both(Plugin):\n    def pre_step(self, ctx):\n        1 / 0\n"
        "    def shutdown(self, ctx):\n        {}['cup']\n"
    )
    result = asap(cli, world("'./both.py:Both': {}\n    name: both"), "--steps", "10")
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 2)
    assert "both: shutdown failed: KeyError" in result.stderr
    assert last_line(result).startswith("both: pre_step failed: ZeroDivisionError")


def test_a_rate_above_the_physics_rate_is_refused(cli, world):
    path = world("'./parts.py:Fast': {}\n    name: fast")
    result = asap(cli, path, "--seconds", "1")
    assert result.exit_code == 2
    assert last_line(result) == (
        f"fast.post_step: expected a rate <= 500 Hz (one physics step of 0.002 s), got 5000.0 at {path}:3; "
        "lower the rate or sim.timestep"
    )


def test_a_stream_that_is_never_due_is_listed_as_such(cli, world):
    result = asap(cli, world("'./parts.py:Streams': {rate: 0.0}"), "--steps", "10")
    assert result.exit_code == 0
    assert [line.split() for line in result.stdout.splitlines() if line.startswith("reading")] == [
        ["reading", "once", "0", "0", "0", "0"]
    ]


def test_a_seed_is_drawn_and_told_and_repeats_the_run(cli, world):
    target = world("'./parts.py:Draws': {}", sim="{}")
    first = asap(cli, target, "--steps", "1")
    seed = first.stderr.split("seed ")[1].split()[0]
    again = asap(cli, target, "--steps", "1", "--seed", seed)
    drawn = [line for result in (first, again) for line in result.stdout.splitlines() if line.startswith("drew")]
    assert len(drawn) == 2
    assert drawn[0] == drawn[1]


def test_the_command_lines_seed_wins_over_the_environments_and_that_over_the_worlds(cli, world, monkeypatch):
    monkeypatch.setenv("ROQSIM_SEED", "4")
    assert "seed 4" in asap(cli, world(sim="{seed: 1}"), "--steps", "1").stdout
    assert "seed 5" in asap(cli, world(sim="{seed: 1}"), "--steps", "1", "--seed", "5").stdout
    monkeypatch.setenv("ROQSIM_SEED", "four")
    result = asap(cli, world(), "--steps", "1")
    assert result.exit_code == 2 and "ROQSIM_SEED" in result.stderr.splitlines()[-1]


def test_files_and_assignments_override_in_their_order(cli, world, tmp_path):
    for name, step in (("a", 0.004), ("b", 0.005)):
        (tmp_path / f"{name}.yaml").write_text(f"sim: {{timestep: {step}}}\n")
    target, a, b = world(), str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")
    both = asap(cli, target, "--override", a, "--override", b, "--steps", "100")
    assert "simulated 0.500 s" in both.stdout
    one = asap(cli, target, "--override", a, "--set", "sim.timestep=1e-3", "--steps", "100")
    assert "simulated 0.100 s" in one.stdout


def test_a_profile_lists_phases_and_hooks(cli, world):
    result = asap(cli, world("'./parts.py:Finishes': {}\n    name: judge"), "--profile")
    assert "compile" in result.stderr
    assert "judge.post_step" in result.stderr


@pytest.mark.parametrize("hook", ["build", "configure", "on_reset", "pre_step"])
def test_a_profile_is_printed_for_a_run_that_fails_too(cli, world, tmp_path, hook):
    arguments = "spec, ctx" if hook == "build" else "ctx"
    plugin = f"from roqsim import Plugin\nclass Bad(Plugin):\n    def {hook}(self, {arguments}):\n        1 / 0\n"
    (tmp_path / "bad.py").write_text(plugin)
    result = asap(cli, world("'./bad.py:Bad': {}\n    name: bad"), "--steps", "10", "--profile")
    lines = result.stderr.splitlines()
    assert result.exit_code == 1
    assert any(line.startswith(f"bad.{hook} ") and " 1 " in line for line in lines)
    assert any(line.startswith("world ") and line.endswith(" ms") for line in lines)
    assert lines[-1].startswith(f"bad: {hook} failed: ZeroDivisionError")


def test_the_worlds_pacing_holds_unless_the_command_line_says_otherwise(cli, world):
    start = time.perf_counter()
    result = cli("sim", world(sim="{seed: 1, pacing: asap}"), "--headless", "--seconds", "100")
    assert result.exit_code == 0
    assert time.perf_counter() - start < 30


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--steps", "-1"], "-1 is not in the range"),
        (["--seconds", "-0.5"], "-0.5 is not in the range"),
        (["--seconds", "nan"], "nan"),
        (["--pacing", "fast"], "expected 'realtime', 'asap' or a factor > 0, got 'fast'"),
        (["--pacing", "0"], "expected 'realtime', 'asap' or a factor > 0, got '0'"),
        (["--seed", "-3"], "-3 is not in the range"),
        (["--set", "sim.timestep"], "expected PATH=VALUE"),
        (["--set", "sim.timestp=1"], "did you mean 'timestep'?"),
        (["--override", "missing.yaml"], "missing.yaml"),
        (["--ros", "--no-communication"], "expected to stand without --ros"),
        (["--ros"], "install the package roqsim_ros_bridge"),
    ],
)
def test_a_wrong_option_is_one_clear_error(cli, world, words, text):
    result = asap(cli, world(), "--steps", "1", *words)
    assert result.exit_code == 2
    assert text in last_line(result)


def test_a_folder_is_no_world(cli, tmp_path):
    result = asap(cli, tmp_path)
    assert (result.exit_code, "expected the file of a world, got the folder" in last_line(result)) == (2, True)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_without_a_display_the_command_says_how_to_go_on(cli, world, monkeypatch):
    monkeypatch.setenv("DISPLAY", "")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    result = cli("sim", world(), "--steps", "1")
    assert result.exit_code == 2
    text = "sim: expected a display for the window, got none; add --browser to watch in a browser, or --headless"
    assert last_line(result) == text


@pytest.mark.parametrize("panel", ["--left-ui", "--right-ui"])
def test_a_panel_needs_a_window(cli, world, panel):
    result = asap(cli, world(), panel, "--steps", "1")
    assert result.exit_code == 2
    assert last_line(result).endswith("expected a window to open panels in, got --headless; take one")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_run_with_status_zero_and_a_summary(world, tmp_path, number):
    started = tmp_path / "started"
    target = world(f"'./parts.py:Begins': {{file: {started}}}")
    words = ["-c", "from roqsim.cli import main; main()", "sim", target, "--headless"]
    run = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not started.exists() and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(run.pid, number)
    stdout, stderr = run.communicate(timeout=60)
    assert run.returncode == 0, stderr
    assert stdout.startswith("ended: ")
    assert "Traceback" not in stderr


@pytest.mark.parametrize(
    ("number", "answer"), [(signal.SIGINT, (130, "interrupted")), (signal.SIGTERM, (143, "terminated"))]
)
def test_a_signal_before_the_first_step_closes_what_is_open(world, tmp_path, number, answer):
    (tmp_path / "slow.py").write_text(
        "import time\nfrom pathlib import Path\nfrom roqsim import Plugin\n"
        "class Slow(Plugin):\n"
        "    def configure(self, ctx):\n        Path(self.config['file']).write_text('open')\n        time.sleep(60)\n"
        "    def shutdown(self, ctx):\n        Path(self.config['file']).write_text('closed')\n"
    )
    state = tmp_path / "state"
    words = [
        "-c",
        # A shell starts its background jobs with Ctrl-C switched off, and so may whoever runs this test.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from roqsim.cli import main; main()",
        "sim",
        world(f"'./slow.py:Slow': {{file: {state}}}"),
        "--headless",
    ]
    run = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (state.exists() and state.read_text()) and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(run.pid, number)
    _, stderr = run.communicate(timeout=50)
    assert (run.returncode, stderr.strip()) == answer
    assert state.read_text() == "closed"


def test_a_report_of_a_divergence_that_cannot_be_written_is_no_second_failure(cli, world, tmp_path, monkeypatch):
    (tmp_path / "parts.py").write_text(
        "from roqsim import Plugin\n"
        "class Poison(Plugin):\n"
        "    def pre_step(self, ctx):\n"
        "        ctx.data.qvel[0] = float('nan')\n"
    )
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("RUN_OUTPUT_DIR", str(tmp_path / "file"))
    boxes = "boxes: {instances: [{name: crate, size: [0.2, 0.2, 0.2], pose: {position: {z: 1}}}]}"
    result = asap(cli, world(boxes, "'./parts.py:Poison': {}"), "--steps", "5")
    assert result.exit_code == 1
    assert "the simulation diverged: qvel of joint 'crate" in last_line(result)
    assert "the last states could not be written" in last_line(result)
