"""Whether a run is well, from the rows that it left: every check with every outcome."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from roqsim.analysis.health import records as records_of
from roqsim.analysis.health.checks import STALE, STARTING
from roqsim.analysis.health.report import examine
from roqsim.errors import NotFoundError, RecordingError
from roqsim.recording import open_recording

EPOCH = 1_700_000_000.0
"""Unix seconds at which the runs of this file began."""

POSE_HEAD = "timestamp,wall_time,frame,position.x,position.y,position.z," + ",".join(
    f"orientation.{axis}" for axis in "xyzw"
)


class Told:
    """Stands for a recording that says something of itself."""

    def __init__(self, path, complete=True, **meta):
        self.path, self.complete, self.meta = path / "run.mcap", complete, meta
        self.times = self.walls = ()


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Writes the records of a run and looks at them: ``run(seconds=10, factor=1.0, age=0.5, meta={...})``."""

    def look(*, seconds=10.0, factor=1.0, age=0.5, meta=None, moved=1.0, kind="robot", robot=None, begun=True):
        rows = [f"{EPOCH + wall:.3f},{wall * factor:.3f}" for wall in range(int(seconds) + 1)]
        (tmp_path / "run.clock_map.csv").write_text("\n".join(["wall_ts,sim_ts", *(rows if begun else ()), ""]))
        poses = [f"{t},{EPOCH + t},bot_base,{moved * t / max(seconds, 1)},0,0,0,0,0,1" for t in range(int(seconds) + 1)]
        (tmp_path / "sim_poses.csv").write_text("\n".join([POSE_HEAD, *poses, ""]))
        listed = [{"name": "bot", "kind": kind, "body": "bot_base"}]
        (tmp_path / "entities.json").write_text(json.dumps(listed))

        def open_told(path):
            if meta is None:
                return None, NotFoundError("there is none")
            return Told(tmp_path, **meta), None

        monkeypatch.setattr(records_of, "_open", open_told)
        return examine(tmp_path, robot=robot, now=EPOCH + int(seconds) + age)

    return look


def outcomes(report):
    return {result.check: result.outcome for result in report.results}


def test_a_run_that_goes_on_well_has_no_findings_and_says_what_it_does_not_know_yet(run):
    report = run(meta={"complete": False, "pace": 1.0})
    assert report.verdict == "good"
    assert report.findings == []
    assert outcomes(report) == {
        **dict.fromkeys(("start", "sim-time-stuck", "sim-time-rate", "robot-motion", "record"), "good"),
        **dict.fromkeys(("streams", "end"), "too early"),
    }
    assert report.state["running"] is True


def test_a_run_that_was_killed_did_not_end_on_purpose(run):
    report = run(age=STALE + 1.0, meta={"complete": False})
    assert report.verdict == "error"
    assert outcomes(report)["end"] == outcomes(report)["sim-time-stuck"] == "found"
    assert report.state["running"] is False


def test_a_run_that_failed_gives_its_reason(run):
    reason = "topic /cmd_vel: expected geometry_msgs/TwistStamped, got geometry_msgs/Twist from 'teleop'"
    report = run(age=3600.0, meta={"complete": True, "stop_failed": True, "stop_reason": reason})
    assert report.verdict == "error"
    assert report.reason == f"end: {reason}"


def test_a_run_that_ended_on_purpose_stays_good_however_long_ago(run):
    report = run(age=1e6, meta={"complete": True, "stop_reason": "the limit is reached", "streams": []})
    assert report.verdict == "good"
    assert report.state["running"] is False


@pytest.mark.parametrize(("factor", "found"), [(1.0, False), (0.95, False), (0.7, True)])
def test_a_run_slower_than_asked_for_is_told(run, factor, found):
    report = run(factor=factor, meta={"complete": False, "pace": 1.0})
    assert (outcomes(report)["sim-time-rate"] == "found") is found
    assert report.verdict == ("warning" if found else "good")


def test_a_run_as_fast_as_possible_has_no_pace_to_hold(run):
    report = run(factor=0.1, seconds=60, meta={"complete": False, "pace": None})
    assert outcomes(report)["sim-time-rate"] == "skipped"
    assert report.document()["skipped"][0].startswith("sim-time-rate: ")


def test_simulated_time_that_stands_still_while_rows_come_is_an_error(run):
    report = run(factor=0.0, seconds=20, meta={"complete": False}, moved=0.0)
    assert outcomes(report)["sim-time-stuck"] == "found"


def test_too_early_is_not_skipped(run):
    report = run(seconds=1, meta={"complete": False}, moved=0.0)
    assert outcomes(report)["robot-motion"] == "too early"
    assert report.verdict == "too early"
    assert any(text.startswith("robot-motion: ") for text in report.document()["too_early"])
    assert not any(text.startswith("robot-motion: ") for text in report.document()["skipped"])


def test_what_will_never_be_known_is_skipped(run):
    report = run(seconds=1, meta={"complete": True}, moved=0.0, age=100.0)
    assert outcomes(report)["robot-motion"] == "skipped"


def test_a_robot_that_never_moves_is_found_and_named(run):
    report = run(meta={"complete": False}, moved=0.001)
    assert report.reason == "robot-motion: 'bot' has not moved in 10.0 s: does a command reach it?"


def test_things_that_are_no_robots_may_rest(run):
    report = run(meta={"complete": False}, moved=0.0, kind="object")
    assert outcomes(report)["robot-motion"] == "skipped"


def test_a_robot_that_is_asked_for_has_to_exist(run):
    with pytest.raises(NotFoundError, match=r"--robot: expected the name of a robot, got 'bop'; did you mean 'bot'\?"):
        run(robot="bop")


def test_nothing_within_the_time_for_starting_is_an_error(run):
    assert outcomes(run(begun=False, age=0.0))["start"] == "too early"
    report = run(seconds=0, age=STARTING + 1.0)
    assert outcomes(report)["start"] == "found"


@pytest.mark.parametrize(
    ("stream", "found"),
    [
        ({"due": 100, "produced": 100, "published": 100, "dropped": {}}, None),
        ({"due": 100, "produced": 100, "published": 60, "dropped": {}}, "bot/scan: 60 of 100 published"),
        (
            {"due": 100, "produced": 99, "published": 97, "dropped": {"store full": 2}},
            "bot/scan: 97 of 100 published, dropped 2 store full",
        ),
    ],
)
def test_streams_have_to_be_published_as_due(run, stream, found):
    report = run(age=100.0, meta={"complete": True, "streams": [{"path": "bot/scan", **stream}]})
    assert report.verdict == ("good" if found is None else "warning")
    assert report.reason == ("" if found is None else f"streams: {found}")


def test_a_running_simulation_tells_of_lost_payloads_at_once(run):
    stream = {"path": "bot/scan", "due": 50, "published": 40, "dropped": {"store full": 10}}
    assert outcomes(run(meta={"complete": False, "streams": [stream]}))["streams"] == "found"
    assert outcomes(run(meta={"complete": False, "streams": []}))["streams"] == "too early"


def test_a_stream_that_nobody_listened_to_is_no_fault(run):
    stream = {"path": "bot/scan", "due": 100, "produced": 0, "published": 0, "dropped": {}}
    assert outcomes(run(age=100.0, meta={"complete": True, "streams": [stream]}))["streams"] == "skipped"


def test_a_document_has_what_programs_read(run):
    document = json.loads(json.dumps(run(age=100.0, meta={"complete": False}).document(), allow_nan=False))
    assert all({"level", "check", "detail"} <= set(finding) for finding in document["findings"])
    assert all(isinstance(text, str) for text in document["skipped"])
    assert document["state"]["sim_time"] == 10.0


def test_a_folder_without_records_is_no_run(tmp_path):
    with pytest.raises(NotFoundError, match="expected records of a run"):
        examine(tmp_path)
    with pytest.raises(NotFoundError, match="there is no recording"):
        examine(tmp_path / "nowhere")


def test_a_long_run_is_looked_at_in_pieces_and_its_excursion_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(records_of, "_open", lambda path: (None, NotFoundError("there is none")))
    with (tmp_path / "run.clock_map.csv").open("w") as clock, (tmp_path / "sim_poses.csv").open("w") as poses:
        clock.write("wall_ts,sim_ts\n")
        poses.write(POSE_HEAD + "\n")
        for t in range(100_000):
            clock.write(f"{EPOCH + t},{t}\n")
            x = 1.0 if 30_000 < t < 60_000 else 0.0
            poses.write(f"{t},{EPOCH + t},bot_base,{x},0,0,0,0,0,1\n")
        poses.write("100000,1700")
    (tmp_path / "entities.json").write_text('[{"name": "bot", "kind": "robot", "body": "bot_base"}]')
    report = examine(tmp_path, now=EPOCH + 100_000)
    assert outcomes(report)["robot-motion"] == "good"
    assert (report.state["sim_time"], report.state["factor"]) == (99_999.0, 1.0)


def test_a_recording_that_can_not_be_read_is_told_as_such(tmp_path):
    (tmp_path / "run.mcap").write_bytes(b"nothing of the kind")
    with pytest.raises(RecordingError, match=r"run\.mcap: expected a recording"):
        examine(tmp_path)


def test_a_recording_that_is_packed_meanwhile_is_looked_for_again(tmp_path, monkeypatch):
    stream = tmp_path / "run.npz.stream"
    stream.touch()

    def pack_and_open(path):
        if path == stream:
            stream.unlink()
            np.savez(tmp_path / "run.npz", meta="{}")
        return open_recording(path)

    monkeypatch.setattr("roqsim.recording.open_recording", pack_and_open)
    with pytest.raises(RecordingError, match=r"run\.npz: expected a recording of roqsim"):
        examine(tmp_path)


def test_of_several_episodes_the_newest_is_looked_at(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(records_of, "_open", lambda path: (asked.append(path), (None, NotFoundError("none")))[1])
    for place, (name, last) in enumerate((("run", 5), ("run_2", 3))):
        for file in (f"{name}.clock_map.csv", f"{name}.npz.stream"):
            rows = [f"{EPOCH + wall},{wall}" for wall in range(last + 1)]
            (tmp_path / file).write_text("\n".join(["wall_ts,sim_ts", *rows, ""]))
            os.utime(tmp_path / file, (EPOCH + place, EPOCH + place))
    assert examine(tmp_path, now=EPOCH + 4).state["sim_time"] == 3.0
    assert asked == [tmp_path / "run_2.npz.stream"]
    assert examine(tmp_path / "run.npz.stream", now=EPOCH + 4).state["sim_time"] == 5.0


def test_a_run_of_which_only_poses_are_written_has_a_clock_too(tmp_path, monkeypatch):
    monkeypatch.setattr(records_of, "_open", lambda path: (None, NotFoundError("none")))
    rows = [f"{t},{EPOCH + t},bot_base,{t},0,0,0,0,0,1" for t in range(10)]
    (tmp_path / "sim_poses.csv").write_text("\n".join([POSE_HEAD, *rows, ""]))
    report = examine(tmp_path, now=EPOCH + 10)
    assert outcomes(report)["start"] == "good"
    assert outcomes(report)["record"] == "skipped"
    assert report.state["factor"] == 1.0
