"""Tables of a recorded run: what is in them is what the run was."""

from __future__ import annotations

import numpy as np
import pytest
from roqsim.analysis import rerun, sensors, series
from roqsim.analysis.selection import Selection
from roqsim.config.world import load_config
from roqsim.engine import Engine
from roqsim.errors import ConfigError, NotFoundError, RoqsimError

EVERYTHING = Selection()


@pytest.fixture
def engine(recording):
    engine = recording.rebuild(preview=True)
    yield engine
    engine.shutdown()


def columns(table):
    rows = list(table.rows)
    return {column.name: [row[place] for row in rows] for place, column in enumerate(table.columns)}


def live(crates, ticks, look):
    """What ``look(ctx)`` gives at these ticks of the same run, not recorded."""
    with Engine(load_config(crates.parent / "world.yaml")) as engine:
        engine.reset()
        found = []
        for tick in ticks:
            engine.advance(tick - engine.ctx.tick)
            engine.ctx.refresh()
            found.append(look(engine.ctx))
        return found


def test_poses_are_those_of_the_run_at_every_sample(recording, engine, crates):
    found = columns(series.table(recording, engine, series.poses(engine.ctx, ["crate"]), EVERYTHING))
    truth = live(crates, recording.ticks.tolist(), lambda ctx: float(ctx.data.body("crate").xpos[2]))
    assert found["time"] == recording.times.tolist()
    assert found["position.z"] == truth


def test_without_a_name_every_entity_is_told(recording, engine):
    found = columns(series.table(recording, engine, series.poses(engine.ctx), Selection(at=0.0)))
    assert found["body"] == ["crate", "brick"]


def test_a_fall_is_free_until_it_ends(recording, engine):
    found = columns(series.table(recording, engine, series.poses(engine.ctx, ["cra*"]), Selection(stop=0.36)))
    t = np.array(found["time"])
    # Semi-implicit steps of h: z = z0 - g t (t + h) / 2.
    assert found["position.z"] == pytest.approx(1.0 - 9.81 * t * (t + 0.002) / 2.0, abs=1e-9)
    assert found["linear.z"] == pytest.approx(-9.81 * t, abs=1e-9)


def test_energy_is_kept_in_free_fall(recording, engine):
    found = columns(series.table(recording, engine, series.energy(engine.ctx), Selection(stop=0.36)))
    assert found["total"] == pytest.approx([found["total"][0]] * len(found["total"]), abs=0.1)
    assert found["kinetic"][-1] > 5.0


def test_contacts_can_be_asked_of_one_thing(recording, engine):
    found = columns(series.table(recording, engine, series.contacts(engine.ctx, ["brick"]), Selection(at=1.0)))
    assert set(found["first"]) == {"brick"}
    assert sum(found["force.z"]) == pytest.approx(9.81, rel=0.01)


def test_the_distance_to_the_ground_is_the_height_of_the_lower_face(recording, engine):
    quantity = series.distance(engine.ctx, "crate", "world")
    found = columns(series.table(recording, engine, quantity, Selection(at=0.2)))
    pose = columns(series.table(recording, engine, series.poses(engine.ctx, ["crate"]), Selection(at=0.2)))
    assert found["distance"] == pytest.approx([pose["position.z"][0] - 0.1], abs=1e-6)


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda ctx: series.poses(ctx, ["crat"]), "expected an entity or a body, got 'crat'; did you mean 'crate'?"),
        (lambda ctx: series.contacts(ctx, ["bricks"]), "got 'bricks'; did you mean 'brick'?"),
        (lambda ctx: series.distance(ctx, "crate", "crate"), "expected two things, got 'crate' and 'crate'"),
        (lambda ctx: series.joints(ctx), "--joints: expected joints that are not free, got this world with none"),
        (lambda ctx: series.joints(ctx, ["elbow"]), "expected a joint, or an entity with joints, got 'elbow'"),
        (lambda ctx: sensors.find_stream(ctx, "lamp/ligth"), "got 'lamp/ligth'; did you mean 'lamp/light'?"),
    ],
)  # fmt: skip
def test_a_name_that_leads_nowhere_is_answered_with_the_nearest(engine, ask, text):
    with pytest.raises((ConfigError, NotFoundError)) as raised:
        ask(engine.ctx)
    assert text in str(raised.value)


def test_a_sensor_of_the_state_gives_what_the_run_gave_noise_included(recording, engine, crates):
    stream = sensors.find_stream(engine.ctx, "lamp/light")
    found = columns(sensors.table(recording, engine, stream, EVERYTHING))
    endpoint = lambda ctx: ctx.interface.get("lamp", "light").read()  # noqa: E731
    truth = live(crates, recording.ticks.tolist(), endpoint)
    assert found["noise"] == [each.noise for each in truth]
    assert found["position.z"] == [float(each.position[2]) for each in truth]
    assert len(set(found["noise"])) == len(recording)


def test_a_component_may_be_named_by_its_address(engine):
    streams = [each for each in engine.ctx.interface.by_direction("out") if each.owner == "lamp"]
    assert {each.producer for each in streams} == {"lamp"}
    with pytest.raises(NotFoundError, match="expected one of the streams of 'lamp': 'lamp/light' or 'lamp/count'"):
        sensors.find_stream(engine.ctx, "lamp")
    for each in streams[1:]:
        each.producer = ""
    assert sensors.find_stream(engine.ctx, "lamp").path == "lamp/light"


def test_a_stream_that_remembers_is_read_in_a_second_run_at_its_own_rate(recording, engine):
    stream = sensors.find_stream(engine.ctx, "lamp/count")
    assert not stream.stateless
    found = columns(sensors.as_table(stream, rerun.readings(recording, "lamp/count", EVERYTHING)))
    assert found["value"] == [25 * place for place in range(21)]
    assert found["time"] == pytest.approx([0.05 * place for place in range(21)])


def test_a_second_run_can_be_asked_for_a_part_and_for_a_moment(recording, engine):
    part = list(rerun.readings(recording, "lamp/count", Selection(start=0.2, stop=0.4, rate_hz=10)))
    assert [(round(t, 6), cells["value"]) for t, cells in part] == [(0.2, 100), (0.3, 150), (0.4, 200)]
    moment = list(rerun.readings(recording, "lamp/count", Selection(at=0.48)))
    assert [cells["value"] for _, cells in moment] == [225]


def test_both_ways_to_a_sensor_of_the_state_agree(recording, engine):
    stream = sensors.find_stream(engine.ctx, "lamp/light")
    states = columns(sensors.table(recording, engine, stream, EVERYTHING))
    again = columns(sensors.as_table(stream, rerun.readings(recording, "lamp/light", EVERYTHING)))
    by_time = dict(zip(map(round_, again["time"]), again["noise"], strict=True))
    shared = [place for place, t in enumerate(states["time"]) if round_(t) in by_time]
    assert len(shared) == len(recording)
    assert [states["noise"][place] for place in shared] == [by_time[round_(states["time"][place])] for place in shared]


def round_(t):
    return round(t, 9)


def test_pictures_are_no_table_and_silence_is_told(recording, engine):
    for name, text in (("picture", "expected a stream of numbers"), ("silent", "with nothing in this range")):
        with pytest.raises(ConfigError, match=text):
            sensors.table(recording, engine, sensors.find_stream(engine.ctx, f"lamp/{name}"), EVERYTHING)


def test_a_stream_whose_numbers_change_is_told_at_the_moment_it_does(recording, engine):
    stream = sensors.find_stream(engine.ctx, "lamp/light")
    table = sensors.as_table(stream, iter([(0.0, {"a": 1.0}), (0.1, {"a": 1.0, "b": 2.0})]))
    with pytest.raises(RoqsimError, match=r"got another set of them at 0\.1 s \(b\); take one moment with --at"):
        list(table.rows)


@pytest.mark.parametrize(
    ("selection", "times"),
    [
        (Selection(at=0.5), [0.48]),
        (Selection(start=0.9), [0.92, 0.96, 1.0]),
        (Selection(stop=0.08), [0.0, 0.04, 0.08]),
        (Selection(rate_hz=5.0), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (Selection(start=0.1, stop=0.5, rate_hz=10.0), [0.12, 0.24, 0.32, 0.44]),
    ],
)
def test_moments_are_chosen_by_time_and_rate(recording, selection, times):
    selection.check(recording)
    assert [sample.time for sample in selection.samples(recording)] == pytest.approx(times)


@pytest.mark.parametrize(
    ("selection", "text"),
    [
        (Selection(at=1.5), "--at: expected a time from 0 to 1 s, which was recorded, got 1.5"),
        (Selection(start=2.0), "--from: expected a time from 0 to 1 s, which was recorded, got 2"),
        (Selection(start=0.5, stop=0.2), "--to: expected a time that is not before --from (0.5), got 0.2"),
        (Selection(at=0.5, rate_hz=2.0), "--at: expected to stand without --from, --to and --rate"),
    ],
)
def test_a_time_outside_is_refused_with_what_there_is(recording, selection, text):
    with pytest.raises(ConfigError) as raised:
        selection.check(recording)
    assert text in str(raised.value)
