"""Sweeps: the plan, what is read off a run, the table, and going on after a kill."""

from __future__ import annotations

import csv
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from roqsim.context import Twist
from roqsim.drivers.sweep.measure import Condition, Reading, Tally
from roqsim.drivers.sweep.plan import Factor, Plan, split_levels, trial_seed
from roqsim.drivers.sweep.run import Executors, Sweep
from roqsim.errors import ConfigError, NotFoundError, RoqsimError
from roqsim.recording import open_recording

FALL = """
sim: {timestep: 0.01}
components:
  - "./probe.py:Probe": {}
    name: probe
"""

PROBE = """
from dataclasses import dataclass
from roqsim.context import Endpoint
from roqsim.plugin import Plugin
import os


@dataclass(frozen=True)
class Value:
    stamp_ns: int
    time: float
    noise: float
    label: str
    parts: tuple


class Probe(Plugin):
    def configure(self, ctx):
        self.ctx = ctx
        ctx.interface.add(Endpoint("value", "out", "probe", read=self.read, rate_hz=10.0))

    def read(self):
        ctx = self.ctx
        gain = float(self.config.get("gain", 1.0))
        noise = float(ctx.rng_for(self.address).standard_normal())
        return Value(ctx.time_ns, ctx.sim_time * gain, noise, str(self.config.get("label", "")), (1.0, 2.0))

    def pre_step(self, ctx):
        if self.config.get("die") and ctx.tick == 5:
            os._exit(7)
        if self.config.get("raise") and ctx.tick == 5:
            raise ValueError("no more")
        if self.config.get("stop") and ctx.tick == 25:
            ctx.request_stop("seen enough", failed=True)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "world.yaml").write_text(FALL)
    (tmp_path / "probe.py").write_text(PROBE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plan(*factors: str, **changes: object) -> Plan:
    given = {"target": "world.yaml", "repeat": 1, "seed": 3, "seconds": 0.5, **changes}
    return Plan(factors=tuple(Factor.parse(text) for text in factors), **given)


def sweep(plan: Plan, out: Path, jobs: int = 1) -> list[dict[str, str]]:
    table = out / "results.csv"
    one = Sweep(plan, out, table)
    one.prepare()
    one.run(Executors(jobs))
    return rows(table)


def rows(table: Path) -> list[dict[str, str]]:
    with open(table, newline="") as file:
        return list(csv.DictReader(file))


def test_levels_are_split_outside_of_brackets_and_quotation_marks():
    assert split_levels("0,[1, 2],'a,b',{x: 1, y: 2}") == ["0", "[1, 2]", "'a,b'", "{x: 1, y: 2}"]


def test_every_combination_is_run_and_repetitions_share_their_seeds():
    trials = plan("a.b=1,2", "c.d=x,y,z", repeat=2).trials()
    assert len(trials) == 12
    assert len({trial.levels for trial in trials}) == 6
    assert {trial.seed for trial in trials if trial.repeat == 2} == {trial_seed(3, 2)}
    assert trial_seed(3, 1) != trial_seed(3, 2) != trial_seed(4, 2)


def test_a_value_is_found_by_its_name():
    payload = {"odom": Twist((1.0, 2.0, 3.0), (0.0, 0.0, 0.5))}
    assert Reading.parse("robot/x.odom.linear.y", "--measure").of(payload) == 2.0
    assert str(Reading.parse("robot/x.odom.linear[1]", "--measure")) == "robot/x.odom.linear[1]"
    assert Reading.parse("robot/x.a", "--measure").of({"a": np.float32(2.0)}) == 2.0
    assert Reading.parse("robot.arm/x.a", "--measure").path == "robot.arm/x"


def test_a_field_that_is_no_single_value_is_refused_with_what_it_has():
    with pytest.raises(
        NotFoundError, match=r"robot/x: expected one of its fields, got 'linaer'; did you mean 'linear'"
    ):
        Reading.parse("robot/x.linaer", "--measure").of(Twist((1.0, 2.0, 3.0), (0.0, 0.0, 0.5)))
    with pytest.raises(NotFoundError, match="expected a single value, got a tuple; it has 3 elements"):
        Reading.parse("robot/x.linear", "--measure").of(Twist((1.0, 2.0, 3.0), (0.0, 0.0, 0.5)))


def test_values_of_a_run_become_one_in_each_way():
    tally = Tally()
    for value in (None, 3.0, -1.0, 4.0, None):
        tally.add(value)
    results = {way: tally.result(way) for way in ("first", "last", "min", "max", "mean")}
    assert results == {"first": 3.0, "last": 4.0, "min": -1.0, "max": 4.0, "mean": 2.0}
    assert Tally().result("mean") is None


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("a/b.c >= 2", 2, True),
        ("a/b.c > 2", 2, False),
        ("a/b.c==true", True, True),
        ("a/b.c != done", "done", False),
        ("a/b.c == done", "done", True),
        ("a/b.c < 1", None, False),
        ("a/b.c == 1", "1", False),
    ],
)
def test_a_condition_compares_like_with_like(text, value, holds):
    assert Condition.parse(text).holds(value) is holds


@pytest.mark.parametrize("text", ["a/b.c", "a/b >= 1", "a/b.c >= x", "a/b.c >= [1]", ">= 1"])
def test_what_is_no_condition_is_refused(text):
    with pytest.raises(ConfigError, match="--until"):
        Condition.parse(text)


def test_the_table_has_the_factors_as_columns_and_what_was_measured(folder):
    measures = ("probe/value.time", "probe/value.time:mean", "probe/value.label")
    found = sweep(plan("components.probe.gain=1,2.5", "components.probe.label=a,b", measures=measures), folder / "out")
    assert [row["components.probe.gain"] for row in found] == ["1", "1", "2.5", "2.5"]
    assert [row["probe/value.label"] for row in found] == ["a", "b", "a", "b"]
    # Read at reset and at ten times a second: 0, 0.1, ..., 0.5 s.
    assert [float(row["probe/value.time"]) for row in found] == [0.5, 0.5, 1.25, 1.25]
    assert math.isclose(float(found[0]["probe/value.time:mean"]), 0.25)
    assert {row["status"] for row in found} == {"ended"}
    assert json.loads((folder / "out/run_00003/result.json").read_text())["steps"] == 50


def test_results_depend_on_neither_jobs_nor_order_nor_on_an_interruption(folder):
    order = plan("components.probe.gain=1,2", repeat=3, measures=("probe/value.noise", "probe/value.noise:max"))
    alone = sweep(order, folder / "one", 1)
    both = sweep(order, folder / "two", 3)
    assert alone == both
    assert len({row["probe/value.noise"] for row in alone}) == 3
    for name in ("run_00002", "run_00005"):
        (folder / "two" / name / "result.json").unlink()
    again = sweep(order, folder / "two", 2)
    assert again == alone


def test_a_condition_ends_a_run_at_the_first_due_tick_that_fulfils_it(folder):
    found = sweep(plan(until=("probe/value.time >= 0.25",), seconds=5.0), folder / "out")
    assert float(found[0]["simulated"]) == pytest.approx(0.3, abs=1e-12)
    assert found[0]["reason"] == "probe/value.time >= 0.25 holds"


def test_every_run_has_a_recording_of_its_own_where_one_is_asked_for(folder):
    order = plan("components.probe.gain=1,2", record="run.npz", capture_fps=10.0)
    sweep(order, folder / "out")
    (folder / "out/run_00002/result.json").unlink()
    sweep(order, folder / "out")
    found = [open_recording(folder / "out" / name / "run.npz") for name in ("run_00001", "run_00002")]
    assert [recording.times.tolist() for recording in found] == [pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4, 0.5])] * 2
    assert {recording.seed for recording in found} == {trial_seed(3, 1)}
    assert {recording.meta["stop_reason"] for recording in found} == {"the limit of 50 steps (0.5 s) is reached"}


def test_a_component_that_ends_a_run_decides_its_verdict(folder):
    found = sweep(plan("components.probe.stop=false,true", measures=("probe/value.time",)), folder / "out")
    assert [row["status"] for row in found] == ["ended", "failed"]
    assert found[1]["reason"] == "seen enough"
    assert float(found[1]["probe/value.time"]) == pytest.approx(float(found[1]["simulated"]))


def test_a_run_that_breaks_is_a_row_with_its_reason_and_the_others_go_on(folder):
    found = sweep(plan("components.probe.raise=true,false"), folder / "out")
    assert [row["status"] for row in found] == ["error", "ended"]
    assert "ValueError: no more" in found[0]["reason"]
    assert "no more" in (folder / "out/run_00001/run.log").read_text()


def test_a_process_that_dies_takes_no_other_run_with_it(folder):
    found = sweep(plan("components.probe.die=false,true", repeat=3), folder / "out", 2)
    assert [row["status"] for row in found] == ["ended"] * 3 + ["error"] * 3
    assert "died" in found[3]["reason"]


def test_every_wrong_level_is_told_before_anything_runs(folder):
    with pytest.raises(ConfigError) as caught:
        Sweep(plan("sim.timestep=0.002,-1,fast"), folder / "out", folder / "out/t.csv").prepare()
    assert [problem.got for problem in caught.value.problems] == ["-1", "'fast'"]
    assert not (folder / "out").exists()


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"seconds": None}, "--seconds: expected a limit"),
        ({"measures": ("probe/valeu.time",)}, "^--measure: .* did you mean 'probe/value'"),
        ({"measures": ("probe/value.time",) * 2}, "expected each column once"),
        ({"until": ("probe/value.tiem > 1",)}, "^--until probe/value: .* did you mean 'time'"),
        ({"until": ("probe/valeu.time > 1",)}, "^--until: .* did you mean 'probe/value'"),
        ({"record": "run.bag"}, "run.bag"),
        ({"record": "a/run.npz"}, "expected a file name"),
        ({"record": "run.npz", "capture_fps": 1000.0}, "expected a rate"),
        ({"repeat": 100_001}, "at most 100000 runs"),
        ({"target": "nowhere.yaml"}, "nowhere.yaml"),
    ],
)
def test_a_plan_that_can_not_work_is_refused_before_anything_runs(folder, changes, text):
    with pytest.raises(RoqsimError, match=text):
        Sweep(plan(**changes), folder / "out", folder / "out/t.csv").prepare()
    assert not (folder / "out").exists()


def test_another_plan_in_the_same_directory_is_refused(folder):
    sweep(plan(), folder / "out")
    with pytest.raises(ConfigError, match="got another repeat, seed"):
        Sweep(plan(repeat=2, seed=4), folder / "out", folder / "out/t.csv").prepare()
    with pytest.raises(ConfigError, match="expected a new or empty directory"):
        Sweep(plan(), folder, folder / "t.csv").prepare()


def test_another_world_in_the_same_file_is_another_plan(folder):
    sweep(plan(), folder / "out")
    with (folder / "world.yaml").open("a") as world:
        world.write("\n# a comment\n")
    with pytest.raises(ConfigError, match=r"got another world\.yaml; "):
        Sweep(plan(), folder / "out", folder / "out/t.csv").prepare()


def test_a_table_of_somebody_else_is_kept(folder):
    (folder / "mine.csv").write_text("precious")
    with pytest.raises(ConfigError, match=r"--table .*mine\.csv: expected a file that is not there yet, got one"):
        Sweep(plan(), folder / "out", folder / "mine.csv").prepare()
    assert (folder / "mine.csv").read_text() == "precious"


def command(*words: object) -> list[str]:
    return [str(Path(sys.executable).with_name("roqsim")), "sweep", "world.yaml", *map(str, words)]


def test_a_killed_sweep_goes_on_where_it_was(folder):
    (folder / "world.yaml").write_text(FALL.replace("0.01", "0.0001"))
    words = ("--vary", "components.probe.gain=1,2,3", "--repeat", 2, "--seconds", 1, "--seed", 3)
    words = (*words, "--measure", "probe/value.noise:mean")
    subprocess.run(command(*words, "--out", "whole", "--jobs", 2), check=True, capture_output=True)
    run = subprocess.Popen(command(*words, "--out", "killed", "--jobs", 1), stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60.0
    while not list(Path("killed").glob("*/result.json")) and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert len(list(Path("killed").glob("*/result.json"))) < 6
    done = subprocess.run(command(*words, "--out", "killed"), check=True, capture_output=True, text=True)
    assert "of them before" in done.stdout
    assert (folder / "killed/results.csv").read_bytes() == (folder / "whole/results.csv").read_bytes()


def test_the_exit_status_tells_whether_runs_broke(folder):
    done = subprocess.run(
        command("--vary", "components.probe.raise=true,false", "--seconds", 1, "--out", "out"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("1 of 2 runs ended with an error")


def test_a_seed_is_drawn_aloud_once_the_plan_is_known_to_work_and_only_then(folder):
    def told(*words: object) -> list[str]:
        return subprocess.run(command(*words), capture_output=True, text=True).stderr.splitlines()

    (refusal,) = told("--vary", "components.probe.gane", "--seconds", 1, "--out", "out")
    assert refusal.startswith("--vary: expected PATH=VALUE,VALUE,… such as")
    first = told("--seconds", 0.1, "--out", "out")
    assert first[0].startswith("seed ") and "repeats this sweep" in first[0]
    assert not any(line.startswith("seed ") for line in told("--seconds", 0.1, "--out", "out"))


@pytest.mark.parametrize("out", ["probe.py", "probe.py/out"])
def test_a_file_in_the_place_of_the_directory_is_told_at_once(folder, out):
    done = subprocess.run(command("--seconds", 1, "--out", out), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"--out: expected a new or empty directory, got {out!r}, where 'probe.py' is a file\n"


def test_a_parquet_table_holds_numbers_as_numbers(folder):
    parquet = pytest.importorskip("pyarrow.parquet")
    order = plan("components.probe.gain=1,2.5", measures=("probe/value.time",))
    one = Sweep(order, folder / "out", folder / "out.parquet")
    one.prepare()
    one.run(Executors(1))
    table = parquet.read_table(folder / "out.parquet").to_pydict()
    assert table["components.probe.gain"] == [1.0, 2.5]
    assert table["probe/value.time"] == [0.5, 1.25]


@pytest.mark.slow
def test_dask_workers_give_the_same_results(folder):
    distributed = pytest.importorskip("distributed")
    order = plan("components.probe.gain=1,2", repeat=2, measures=("probe/value.noise",))
    here = sweep(order, folder / "here")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        one = Sweep(order, folder / "there", folder / "there/results.csv")
        one.prepare()
        one.run(Executors(1, cluster.scheduler_address))
    assert rows(folder / "there/results.csv") == here


def test_a_scheduler_that_does_not_answer_is_one_clear_error():
    pytest.importorskip("distributed")
    with pytest.raises(ConfigError, match="expected the address of a Dask scheduler"):
        Executors(1, "nonsense://nowhere").check()
