"""Reading a recording: by index, by time, by range, and what it knows of its run."""

from __future__ import annotations

import hashlib
import math
import platform
import re
from datetime import datetime
from pathlib import Path

import mujoco
import numpy as np
import pytest
from roqsim.errors import NotFoundError, RecordingError
from roqsim.recording import open_recording, record

from .conftest import POPULATED, WORLD


def test_a_sample_is_found_by_index_from_both_ends(recorded):
    recording = recorded()
    assert recording[0].tick == 0 and recording[-1].tick == 200
    assert recording[3].index == 3 and recording[3].time == recording.times[3]
    assert [sample.index for sample in recording] == list(range(len(recording)))
    with pytest.raises(IndexError, match=r"expected a sample from 0 to 40, got 41"):
        recording[41]


def test_the_nearest_sample_to_a_time_is_found(recorded):
    recording = recorded()
    step = 0.01
    assert recording.at(0.0).index == 0
    assert recording.at(0.4).index == 40
    assert recording.at(0.4 * step).index == 0
    assert recording.at(0.6 * step).index == 1
    assert recording.at(0.4 + 0.4 * step).index == 40


@pytest.mark.parametrize("time", [-0.1, 0.5, math.nan, math.inf])
def test_a_time_outside_names_the_range(recorded, time):
    recording = recorded()
    with pytest.raises(RecordingError, match=r"run.mcap: expected a time from 0 to 0.4 s, got"):
        recording.at(time)


def test_a_range_holds_both_of_its_ends(recorded):
    recording = recorded()
    assert [sample.index for sample in recording.range(0.1, 0.13)] == [10, 11, 12, 13]
    assert [sample.index for sample in recording.range(0.101, 0.109)] == []
    assert len(list(recording.range(-1.0, 9.0))) == 41
    with pytest.raises(ValueError, match="expected t0 <= t1"):
        recording.range(1.0, 0.5)


def test_the_real_time_factor_is_the_quotient_of_the_clocks(recorded):
    def paced(engine):
        import time

        for _ in range(5):
            time.sleep(0.05)
            engine.advance(10)

    recording = recorded(during=paced)
    span = recording.walls[-1] - recording.walls[0]
    assert recording.real_time_factor == pytest.approx(0.1 / span)
    assert recording.real_time_factor < 1.0


def test_a_recording_of_one_sample_has_no_factor(recorded):
    recording = recorded(steps=0)
    assert len(recording) == 1 and math.isnan(recording.real_time_factor)
    assert recording.complete and recording.meta["steps"] == 0


def test_the_last_state_of_a_run_is_recorded_whatever_the_rate(recorded):
    recording = recorded(steps=203)
    assert recording.ticks[-2:].tolist() == [200, 203]


def test_a_rate_is_moved_to_one_that_the_step_can_hold(recorded):
    recording = recorded(fps=30.0)
    assert recording.meta["every_steps"] == 17
    assert recording.meta["fps"] == pytest.approx(1 / (17 * 0.002))
    assert np.diff(recording.ticks)[:-1].tolist() == [17] * (len(recording) - 2)


def test_a_rate_above_that_of_the_physics_is_refused(folder, world):
    engine = world(WORLD, base_dir=folder, reset=False)
    with pytest.raises(Exception, match=r"fps: expected a rate <= 500 Hz"):
        record(engine, "run.mcap", 501.0)


def test_what_is_known_of_a_run_is_what_it_was(recorded):
    recording = recorded(POPULATED, overrides={"components": {"servo": {"rate_hz": 25.0}}})
    meta = recording.meta
    assert meta["format"] == "roqsim.recording" and meta["format_version"] == 1
    assert (meta["seed"], meta["episode"], meta["dt"]) == (3, 1, 0.002)
    assert (recording.seed, recording.episode, recording.dt) == (3, 1, 0.002)
    assert meta["overrides"] == {"components": {"servo": {"rate_hz": 25.0}}}
    assert meta["declared"]["components"][0]["parts.py:Servo"] == {}
    assert meta["components"][0]["parts.py:Servo"] == {"rate_hz": 25.0}
    assert meta["sim"] == {"world": "features.xml", "seed": 3}
    assert meta["base_dir"] == str(Path.cwd())
    assert meta["versions"]["mujoco"] == mujoco.__version__ and meta["versions"]["numpy"] == np.__version__
    assert meta["versions"]["python"] == platform.python_version()
    assert meta["packages"] == {"roqsim": meta["versions"]["roqsim"]}
    assert meta["stop_reason"] == "the run ended" and meta["stop_failed"] is False
    assert meta["steps"] == 200 and meta["complete"] is True
    assert datetime.fromisoformat(meta["started"]).tzinfo is not None
    assert sum(field["size"] for field in meta["state_fields"]) == meta["state_size"] == recording[0].state.size


def test_the_files_of_a_world_are_known_by_their_hashes(recorded):
    recording = recorded()
    wanted = {
        str(Path(name).absolute()): hashlib.sha256(Path(name).read_bytes()).hexdigest()
        for name in ("features.xml", "parts.py")
    }
    assert recording.meta["inputs"] == wanted


@pytest.mark.needs("roqsim_mobile")
def test_the_packages_of_a_world_are_known(folder, world):
    engine = world("roqsim_mobile:turtlebot4_empty", reset=False)
    record(engine, "run.mcap")
    engine.reset()
    engine.shutdown()
    meta = open_recording("run.mcap").meta
    assert meta["packages"] == {name: meta["versions"][name] for name in ("roqsim_mobile", "roqsim_sensors")}
    assert meta["world"] == "roqsim_mobile:turtlebot4_empty"
    assert any(path.endswith("turtlebot4.xml") for path in meta["inputs"])
    assert {"odom", "scan"} <= {row["path"].partition("/")[2] for row in meta["endpoint_rates"]}
    assert meta["actuator_tables"]["robot"][0].keys() >= {"actuator", "joint"}
    robot = next(entity for entity in meta["entities"] if entity["name"] == "robot")
    assert robot["kind"] == "robot" and robot["present"] and robot["body"] == "robot_base_link"
    odometry = next(row for row in robot["endpoints"] if row["path"] == "robot/odom")
    assert odometry["realised_hz"] == pytest.approx(1 / (odometry["every_steps"] * meta["dt"]))


def test_streams_are_counted_by_the_episode(folder, world):
    engine = world(WORLD, base_dir=folder, reset=False)
    record(engine, "run.mcap")
    angle = engine.ctx.interface.get("servo", "angle")
    for reads in (3, 1):
        engine.reset()
        for _ in range(reads):
            engine.advance(100)
            angle.read()
    engine.shutdown()
    for path, due in (("run.mcap", 6), ("run_2.mcap", 2)):
        rows = {row["path"]: row for row in open_recording(path).meta["streams"]}
        assert rows["servo/angle"]["due"] == due
        assert rows["servo/angle"]["produced"] == due // 2
        assert rows["servo/goal"]["direction"] == "in"


def test_every_episode_has_a_recording_of_its_own(folder, world):
    engine = world(WORLD, base_dir=folder, reset=False)
    record(engine, "run.npz", 50.0)
    for steps in (100, 50, 10):
        engine.reset()
        engine.advance(steps)
    engine.shutdown()
    found = [open_recording(name) for name in ("run.npz", "run_2.npz", "run_3.npz")]
    assert [recording.meta["episode"] for recording in found] == [1, 2, 3]
    assert [recording.meta["steps"] for recording in found] == [100, 50, 10]
    assert [recording.meta["stop_reason"] for recording in found] == ["the run was reset"] * 2 + ["the run ended"]
    assert all(recording.complete for recording in found)
    assert found[0].states[5].tobytes() != found[1].states[5].tobytes()


def test_a_failed_run_leaves_a_whole_recording_that_says_so(folder, world):
    engine = world(WORLD, base_dir=folder, reset=False, overrides="components.servo.fails_at=110")
    record(engine, "run.mcap", 100.0)
    engine.reset()
    with pytest.raises(Exception, match="out of coffee"):
        engine.advance(500)
    recording = open_recording("run.mcap")
    assert recording.complete and recording.meta["stop_failed"] is True
    assert "servo: pre_step failed: ValueError: out of coffee" in recording.meta["stop_reason"]
    assert recording.meta["steps"] == recording.ticks[-1] == 110


def test_a_diverged_run_leaves_a_whole_recording_without_the_bad_state(folder, world):
    engine = world(WORLD, base_dir=folder, reset=False)
    record(engine, "run.mcap", 100.0)
    engine.reset()
    engine.advance(103)
    with pytest.raises(Exception, match="diverged"):
        engine.ctx.call(lambda ctx: ctx.data.qvel.__setitem__(0, 1e11))
        engine.advance(500)
    recording = open_recording("run.mcap")
    assert recording.complete and recording.meta["stop_failed"] is True
    assert re.search(r"diverged: q\w+ of joint 'hinge'", recording.meta["stop_reason"])
    assert np.isfinite(recording.states).all()


def test_a_divergence_that_begins_the_run_again_closes_one_recording_and_opens_another(folder, world):
    engine = world(WORLD, base_dir=folder, reset=False, overrides="sim.on_divergence=reset")
    record(engine, "run.mcap", 100.0)
    engine.reset()
    engine.advance(100)
    engine.ctx.data.qvel[0] = 1e11
    engine.step()
    engine.advance(60)
    engine.shutdown()
    first, second = open_recording("run.mcap"), open_recording("run_2.mcap")
    assert first.meta["stop_failed"] is True and "diverged" in first.meta["stop_reason"]
    assert second.ticks.tolist() == list(range(0, 61, 5))


@pytest.mark.parametrize("place", ["run.mcap", "run.npz", "other.mcap"])
def test_a_run_directory_stands_for_the_recording_in_it(recorded, place):
    recorded(path=place)
    Path("divergence.npz").write_bytes(b"PK\x03\x04")
    assert open_recording(".").path == Path(place)


def test_a_run_directory_with_several_recordings_lists_them(recorded):
    recorded(path="a.mcap")
    recorded(path="b.npz")
    with pytest.raises(RecordingError, match="expected one recording, got several; .*'a.mcap', 'b.npz'"):
        open_recording(".")


def test_an_empty_directory_is_no_recording(folder):
    with pytest.raises(RecordingError, match=r"expected a run directory with run.mcap or run.npz, got none"):
        open_recording(folder)


def test_a_recording_that_is_not_there_is_missed_by_name(recorded):
    recorded()
    with pytest.raises(NotFoundError, match=r"there is no recording 'rum.mcap'; did you mean 'run.mcap'\?"):
        open_recording("rum.mcap")
