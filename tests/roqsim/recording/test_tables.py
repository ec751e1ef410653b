"""The files beside a recording: poses of the labelled instant, a clock on the epoch, what is in the world."""

from __future__ import annotations

import csv
import json
import time
from pathlib import Path

import numpy as np
import pytest
from roqsim.drivers.output import RunOutput
from roqsim.mj.poses import pose, velocity
from roqsim.presence import set_present
from roqsim.recording import open_recording
from roqsim.recording.poses import COLUMNS, BodyPoses, _quoted

from .conftest import POPULATED, WORLD

TREE = """
<mujoco>
  <worldbody>
    <body name="a, base" pos="0 0 1"><freejoint/><geom size=".1"/>
      <body name="link" pos=".3 0 0"><joint axis="0 1 1"/><geom size=".05" pos=".1 0 .2"/>
        <body pos=".1 0 0"><joint type="ball"/><geom size=".05" pos="0 .1 0"/>
          <body name="tip" pos="0 0 .2"><geom size=".02"/></body>
        </body>
      </body>
    </body>
    <body name="hand" mocap="true" pos="1 2 3"><geom size=".1" contype="0" conaffinity="0"/></body>
    <body name="shelf" pos="4 5 6"/>
  </worldbody>
</mujoco>
"""


def rows_of(path) -> list[dict[str, str]]:
    return list(csv.DictReader(Path(path).read_text().splitlines()))


@pytest.fixture
def written(folder, world):
    """Runs a world with everything written, and gives the rows of its poses and its recording."""

    def run(document=WORLD, steps=200, during=None, **options):
        engine = world(document, base_dir=folder, reset=False)
        RunOutput(record=Path("run.mcap"), poses=True, **options).attach(engine)
        engine.reset()
        (during or (lambda engine: engine.advance(steps)))(engine)
        engine.shutdown()
        return rows_of("sim_poses.csv"), open_recording("run.mcap")

    return run


def test_poses_and_velocities_are_those_of_mujoco(folder, world):
    (folder / "tree.xml").write_text(TREE)
    engine = world("sim: {world: tree.xml}\n", base_dir=folder)
    model, data = engine.ctx.model, engine.ctx.data
    data.qvel[:] = np.random.default_rng(0).normal(size=model.nv)
    engine.advance(30)
    engine.ctx.refresh()
    bodies = np.arange(1, model.nbody)
    from roqsim.mj.state import take

    found = BodyPoses(model, bodies).of(take(model, data))
    for row, body in zip(found, bodies.tolist(), strict=True):
        position, quaternion = pose(model, data, "body", body)
        linear, angular = velocity(model, data, "body", body, local=False)
        wanted = [*position, *quaternion[1:], quaternion[0], *linear, *angular]
        assert row == pytest.approx(wanted, abs=1e-12)


def test_every_named_body_has_a_line_at_every_sample(folder, written):
    (folder / "tree.xml").write_text(TREE)
    rows, recording = written("sim: {world: tree.xml}\n")
    assert tuple(rows[0]) == COLUMNS
    frames = [row["frame"] for row in rows]
    assert frames == ["a, base", "link", "tip", "hand", "shelf"] * len(recording)
    times = [float(row["timestamp"]) for row in rows]
    assert times == pytest.approx(np.repeat(recording.times, 5))


def test_a_pose_is_that_of_its_own_instant_and_not_of_the_step_before(written):
    rows, recording = written(steps=100)
    falling = [row for row in rows if row["frame"] == "ball"]
    for row, sample in zip(falling, recording, strict=True):
        tick = sample.tick
        # Semi-implicit Euler from rest: after n steps of h the ball fell g h^2 n (n + 1) / 2.
        assert float(row["position.z"]) == pytest.approx(0.3 - 9.81 * 0.002**2 * tick * (tick + 1) / 2, abs=1e-7)
        assert float(row["twist.linear.z"]) == pytest.approx(-9.81 * 0.002 * tick, abs=1e-7)


def test_wall_times_are_seconds_of_the_epoch(written):
    before = time.time()
    rows, _ = written()
    clock = [(float(row["wall_ts"]), float(row["sim_ts"])) for row in rows_of("run.clock_map.csv")]
    walls = [float(row["wall_time"]) for row in rows]
    for stamps in ([wall for wall, _ in clock], walls):
        assert stamps == sorted(stamps)
        assert before - 1.0 <= stamps[0] and stamps[-1] <= time.time() + 1.0


def test_the_clock_map_goes_from_the_first_sample_to_the_last_and_grows(written):
    def slow(engine):
        for _ in range(5):
            engine.advance(40)
            time.sleep(0.06)

    _, recording = written(during=slow)
    rows = rows_of("run.clock_map.csv")
    simulated = [float(row["sim_ts"]) for row in rows]
    assert len(rows) >= 3 and simulated[0] == 0.0
    assert simulated[-1] == pytest.approx(recording.times[-1])
    assert all(a < b for a, b in zip(simulated, simulated[1:], strict=False))
    offset = float(rows[0]["wall_ts"]) - recording.walls[0]
    assert float(rows[-1]["wall_ts"]) == pytest.approx(recording.walls[-1] + offset, abs=0.01)


def test_even_the_shortest_run_has_a_clock_map_of_two_lines(written):
    written(steps=1)
    assert [row["sim_ts"] for row in rows_of("run.clock_map.csv")] == ["0", "0.002"]


def test_an_absent_entity_has_no_lines_while_it_is_away(written):
    def comes_and_goes(engine):
        engine.advance(60)
        engine.ctx.post(lambda ctx: set_present(ctx, "box", True))
        engine.advance(80)
        engine.ctx.post(lambda ctx: set_present(ctx, "box", False))
        engine.advance(60)

    rows, recording = written(POPULATED, during=comes_and_goes)
    times = [float(row["timestamp"]) for row in rows if row["frame"] == "box"]
    there = [time_ for time_, tick in zip(recording.times, recording.ticks, strict=True) if 60 < tick <= 140]
    assert times == pytest.approx(there) and len(there) == 4


@pytest.mark.needs("roqsim_mobile")
def test_entities_json_says_what_is_there_and_which_streams_are_expected(folder, world):
    engine = world("roqsim_mobile:turtlebot4_empty", reset=False)
    RunOutput(record=Path("run.mcap")).attach(engine)
    engine.reset()
    engine.advance(10)
    engine.shutdown()
    content = json.loads(Path("entities.json").read_text())
    assert content["world"] == "roqsim_mobile:turtlebot4_empty" and content["episode"] == 1
    robot = next(entity for entity in content["entities"] if entity["name"] == "robot")
    assert (robot["kind"], robot["body"], robot["present"]) == ("robot", "robot_base_link", True)
    rates = {row["path"]: row["realised_hz"] for row in robot["endpoints"]}
    assert rates["robot/odom"] > 0
    assert content["entities"] == open_recording("run.mcap").meta["entities"]


def test_names_with_commas_and_quotes_are_quoted():
    assert [_quoted(name) for name in ("plain", "a,b", 'a"b', "a b")] == ["plain", '"a,b"', '"a""b"', "a b"]
