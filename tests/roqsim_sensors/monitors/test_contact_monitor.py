from __future__ import annotations

import numpy as np
import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import json_schema, read
from roqsim.context import ContactReport
from roqsim.errors import ConfigError, RoqsimError
from roqsim.presence import set_present
from roqsim.testing import check_plugin
from roqsim_sensors.plugins.contact_monitor import ContactMonitor, ContactMonitorConfig

GRAVITY = 9.81
CRATE = {"name": "crate", "mass": 2.0, "size": [0.4, 0.4, 0.4], "pose": {"position": [0, 0, 0.2]}}
TOP = {"name": "top", "mass": 1.0, "size": [0.2, 0.2, 0.2], "pose": {"position": [0, 0, 0.5]}}


@pytest.fixture
def monitored(world):
    """A crate with a monitor, and further boxes: ``monitored([TOP], ground=True)`` gives engine and reading."""

    def make(others=(), *, more=(), timestep=0.002, **config):
        boxes = {"boxes": {"instances": [CRATE, *others]}, "name": "props"}
        monitor = {"contact_monitor": {"entity": "crate", **config}, "name": "watch"}
        engine = world({"sim": {"timestep": timestep}, "components": [boxes, *more, monitor]})
        return engine, engine.ctx.blackboard.require("contact_monitor:watch")

    return make


def test_a_resting_box_presses_the_floor_with_its_weight(monitored):
    engine, state = monitored(ground=True)
    engine.advance(1000)
    report = state()
    assert isinstance(report, ContactReport)
    (touch,) = report.touches
    assert (touch.part.entity, touch.part.geom) == ("crate", "crate")
    assert (touch.other.entity, touch.other.body, touch.other.geom) == ("", "world", "floor")
    np.testing.assert_allclose(touch.force, [0, 0, 2 * GRAVITY], atol=1e-3)
    assert report.magnitude == pytest.approx(2 * GRAVITY, abs=1e-3)
    assert (report.count, report.counts) == (1, {"floor": 1})
    assert 0 <= report.first_ns <= 2_000_000


def test_the_report_is_stamped_with_the_solve_it_is_about(monitored):
    engine, state = monitored(ground=True)
    engine.advance(100)
    assert state().stamp_ns == engine.ctx.solve_time_ns == 198_000_000
    assert state().touches_ns == 198_000_000


def test_the_ground_and_what_is_ignored_do_not_count(monitored):
    engine, state = monitored([TOP])
    engine.advance(500)
    assert state().counts == {"top": 1}
    engine, state = monitored([TOP], ignore=["top"])
    engine.advance(500)
    report = state()
    assert (report.in_contact, report.count, report.touches) == (False, 0, ())
    assert report.magnitude == 0.0


def test_a_touch_of_one_step_is_in_the_next_sample(monitored):
    hit = {"name": "ball", "mass": 0.001, "size": [0.02] * 3, "pose": {"position": [1.0, 0, 0.3]}}
    engine, state = monitored([hit], rate_hz=10, debounce=0.0)
    ctx, endpoint = engine.ctx, engine.ctx.interface.get("crate", "collision")
    engine.advance(60)
    touching = []
    address = ctx.model.joint("ball_freejoint").qposadr[0]
    ctx.data.qpos[address : address + 3] = [0.2095, 0, 0.3]
    ctx.state_changed()
    engine.step()
    touching.append(ctx.tick)
    ctx.data.qpos[address : address + 3] = [1.0, 0, 1.3]
    ctx.state_changed()
    samples = {}
    while ctx.tick < 250:
        engine.step()
        if ctx.tick % endpoint.rate.every_steps == 0:
            samples[ctx.tick] = endpoint.read().in_contact
    assert samples == {100: True, 150: False, 200: False, 250: False}
    report = state()
    assert (report.count, report.first_ns) == (1, 60 * 2_000_000)


def test_bouncing_within_the_debounce_time_is_one_touch(monitored):
    flat = {"name": "ball", "mass": 0.5, "size": [0.1, 0.1, 0.1], "pose": {"position": [0, 0, 0.6]}}
    counts = []
    for debounce in (0.0, 0.5):
        engine, state = monitored([flat], debounce=debounce)
        engine.advance(100)
        address = engine.ctx.model.joint("ball_freejoint").qposadr[0]
        for _ in range(4):
            engine.advance(60)
            engine.ctx.data.qpos[address + 2] += 0.03
            engine.ctx.state_changed()
        engine.advance(100)
        counts.append(state().counts["ball"])
    assert counts == [5, 1]


@pytest.mark.parametrize("failed", [True, False])
def test_the_first_touch_ends_the_run_with_its_name_and_force(monitored, failed):
    falling = {**TOP, "pose": {"position": [0, 0, 1.0]}}
    engine, _ = monitored([falling], stop=True, failed=failed)
    done = engine.advance(2000)
    # A fall from 0.9 m to 0.5 m: sqrt(2 * 0.5 m / g) = 0.3193 s.
    assert done * 0.002 == pytest.approx(np.sqrt(2 * 0.5 / GRAVITY), abs=0.006)
    assert engine.ctx.stop_failed is failed
    assert engine.ctx.stop_reason.startswith("watch: crate touched top (crate against top) with ")


def test_a_touch_weaker_than_the_threshold_neither_counts_nor_ends_the_run(monitored):
    engine, state = monitored([TOP], min_force=50.0, stop=True)
    engine.advance(500)
    assert (engine.ctx.stop_reason, state().count) == (None, 0)


def test_named_geoms_of_a_model_are_watched_alone(world, tmp_path):
    (tmp_path / "bot.xml").write_text(
        "<mujoco><worldbody><body name='base'><freejoint/><geom name='foot' type='box' size='.1 .1 .05'/>"
        "<body name='arm' pos='.3 0 .0'><joint axis='0 1 0'/>"
        "<geom name='hand' type='box' size='.1 .05 .05' density='1'/></body></body></worldbody></mujoco>"
    )
    spawn = {
        "spawn_model": {"model": "bot.xml", "pose": {"position": [0, 0, 0.05]}},
        "name": "bot",
        "components": [
            {"contact_monitor": {"ground": True, "geoms": ["foot"]}, "name": "foot"},
            {"contact_monitor": {"ground": True, "bodies": ["arm"]}, "name": "hand"},
        ],
    }
    engine = world({"components": [spawn]}, base_dir=tmp_path)
    engine.advance(1000)
    reports = {name: engine.ctx.blackboard.require(f"contact_monitor:bot.{name}")() for name in ("foot", "hand")}
    assert {touch.part.geom for touch in reports["foot"].touches} == {"bot_foot"}
    assert {touch.part.geom for touch in reports["hand"].touches} == {"bot_hand"}
    assert engine.ctx.blackboard.require("contact_monitor:hand")().in_contact
    paths = [endpoint.path for endpoint in engine.streams()]
    assert {"bot/collision", "bot/collision_count", "bot/hand_collision", "bot/hand_collision_count"} <= set(paths)


def test_the_report_of_a_transport_is_a_bool_and_a_number(monitored):
    engine, _ = monitored(topics={"collision": "bump"})
    hints = {name: engine.ctx.interface.get("crate", name).backend["ros2"] for name in ("collision", "collision_count")}
    assert hints["collision"] == {"type": "std_msgs.msg.Bool", "topic": "bump", "field": "in_contact"}
    assert hints["collision_count"] == {
        "type": "std_msgs.msg.UInt32", "topic": "collision_count", "field": "count",
    }  # fmt: skip


def test_what_is_absent_neither_touches_nor_is_touched(world):
    others = {"boxes": {"instances": [TOP]}, "name": "tops", "present": False}
    boxes = {"boxes": {"instances": [CRATE]}, "name": "props"}
    engine = world({"components": [boxes, others, {"contact_monitor": {"entity": "crate"}, "name": "watch"}]})
    state = engine.ctx.blackboard.require("contact_monitor:watch")
    engine.advance(300)
    assert not state().in_contact
    set_present(engine.ctx, "top", True)
    engine.advance(300)
    assert state().counts == {"top": 1}
    set_present(engine.ctx, "crate", False)
    engine.advance(300)
    assert not state().in_contact


def test_a_reset_forgets_and_the_report_is_empty_before_the_first_step(monitored):
    engine, state = monitored([TOP])
    engine.advance(300)
    engine.reset()
    report = state()
    assert (report.in_contact, report.count, report.first_ns, report.peak_force) == (False, 0, -1, 0.0)


def test_a_reset_gives_the_same_series_to_the_bit():
    falling = "{name: top, size: [0.2, 0.2, 0.2], pose: {position: [0.02, 0, 0.7], orientation: {roll: 0.3}}}"
    check_plugin(
        ContactMonitor,
        f"""
        components:
          - boxes: {{instances: [{{name: crate, size: [0.4, 0.4, 0.4], pose: {{position: [0, 0, 0.2]}}}}, {falling}]}}
          - contact_monitor: {{entity: crate, ground: true, debounce: 0.01, min_force: 1.0}}
        """,
    )


def test_a_quiet_step_asks_for_no_forces(monitored, monkeypatch):
    engine, _ = monitored()
    engine.advance(300)
    assert engine.ctx.data.ncon
    monkeypatch.setattr("roqsim_sensors.plugins.contact_monitor.presses", None)
    engine.advance(100)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{min_force: -1}", r"m\.min_force: expected float >= 0 \(N\), got -1"),
        ("{debounce: -1}", r"m\.debounce: expected float >= 0 \(s\), got -1"),
        ("{rate_hz: 0}", r"m\.rate_hz: expected float > 0 \(Hz\), got 0"),
        ("{stop: maybe}", r"m\.stop: expected"),
        ("{ignored: [floor]}", r"m\.ignored: expected a known key, got 'ignored' at .*; did you mean 'ignore'\?"),
    ],
)
def test_a_wrong_value_is_named_with_its_rule(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(ContactMonitorConfig, loads(config, "w.yaml"), "m")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"entity": "crte"}, r"watch.*expected the name of an entity, got 'crte'; did you mean 'crate'\?"),
        ({"ignore": ["flor"]}, r"watch\.ignore: expected the name of an entity, a body or a geom, got 'flor'; did you"),
        ({"geoms": ["crat"]}, r"watch\.geoms: expected the name of a geom, got 'crat'; did you mean 'crate'\?"),
        ({"bodies": ["b"]}, r"watch\.bodies: expected the name of a body, got 'b'"),
        ({"topics": {"colision": "x"}}, r"watch\.topics: expected an endpoint, got 'colision'; did you mean"),
        ({"rate_hz": 1000}, r"expected a rate <= 500 Hz"),
    ],
)
def test_what_the_world_does_not_have_is_named(monitored, config, expected):
    with pytest.raises(RoqsimError, match=expected):
        monitored(**config)


def test_a_monitor_without_anything_to_watch_is_refused(world):
    with pytest.raises(RoqsimError, match=r"^contact_monitor: expected something to watch, got nothing; nest it under"):
        world({"components": [{"contact_monitor": {}}]})


def test_the_schema_describes_every_key():
    properties = json_schema(ContactMonitorConfig)["properties"]
    assert {"entity", "bodies", "geoms", "ignore", "ground", "stop", "failed", "min_force"} <= set(properties)
    assert all(each.get("description") for each in properties.values())
