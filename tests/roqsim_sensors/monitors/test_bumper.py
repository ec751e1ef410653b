from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from roqsim.config.nodes import loads
from roqsim.config.schema import json_schema, read
from roqsim.errors import ConfigError, RoqsimError
from roqsim.testing import check_plugin
from roqsim_sensors.monitors.sectors import bearing, is_within
from roqsim_sensors.plugins.bumper import Bumper, BumperConfig

ROBOT = """<mujoco><worldbody><body name="base">
  <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/><joint name="yaw" axis="0 0 1"/>
  <geom name="hull" type="cylinder" size=".2 .05" mass="2"/>
  <geom name="left" type="box" size=".02 .05 .05" pos=".21 .1 0" mass="0"/>
  <geom name="right" type="box" size=".02 .05 .05" pos=".21 -.1 0" mass="0"/>
  <site name="front" type="box" size=".1 .3 .1" pos=".25 0 0"/>
  <site name="rear" type="box" size=".1 .3 .1" pos="-.25 0 0"/></body></worldbody></mujoco>"""
ROUND = """<mujoco><worldbody><body name="base">
  <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/><joint name="yaw" axis="0 0 1"/>
  <geom name="hull" type="cylinder" size=".2 .05" mass="2"/></body></worldbody></mujoco>"""
PUSH = 10.0


@pytest.fixture
def pushed(world, tmp_path):
    """A robot that is pushed against a box in a direction of its own frame; gives engine and the bumper's report."""
    (tmp_path / "bot.xml").write_text(ROBOT)
    (tmp_path / "round.xml").write_text(ROUND)

    def make(direction=0.0, *, yaw=0.0, model="round.xml", steps=500, offset=0.0, **config):
        heading = direction + yaw
        cosine, sine = math.cos(heading), math.sin(heading)
        x, y = 0.5 * cosine - offset * sine, 0.5 * sine + offset * cosine
        block = {"name": "block", "size": [0.4, 0.2, 0.4], "mass": 500.0, "motion": "static",
                 "pose": {"position": [x, y, 0.2], "orientation": {"yaw": heading}}}  # fmt: skip
        spawn = {
            "spawn_model": {"model": model, "pose": {"position": [0, 0, 0.2]}},
            "name": "bot",
            "components": [{"bumper": config}],
        }
        engine = world({"components": [{"boxes": {"instances": [block]}}, spawn]}, base_dir=tmp_path)
        data = engine.ctx.data
        data.qpos[2] = yaw
        data.qfrc_applied[:2] = PUSH * cosine, PUSH * sine
        engine.ctx.state_changed()
        engine.advance(steps)
        return engine, engine.ctx.blackboard.require("bumper:bot.bumper")()

    return make


@pytest.mark.parametrize("yaw", [0.0, 1.0, -2.5])
@pytest.mark.parametrize(
    ("degrees", "zone"),
    [
        (-80, "right"),
        (-36, "front_right"),
        (0, "front_center"),
        (36, "front_left"),
        (80, "left"),
        (180, None),
        (100, None),
    ],
)
def test_a_push_presses_the_sector_it_comes_from(pushed, degrees, zone, yaw):
    _, report = pushed(math.radians(degrees), yaw=yaw)
    assert report.names == ((zone,) if zone else ())
    assert report.pressed is bool(zone)
    assert [each.name for each in report.zones] == ["right", "front_right", "front_center", "front_left", "left"]
    for each in report.zones:
        assert each.force == (pytest.approx(PUSH, rel=1e-3) if each.name == zone else 0.0)


ZONES = [{"name": "left", "geoms": ["left"]}, {"name": "right", "geoms": ["right"]}]


@pytest.mark.parametrize(("offset", "zone"), [(0.15, "left"), (-0.15, "right")])
def test_a_zone_of_geoms_feels_what_touches_them(pushed, offset, zone):
    _, report = pushed(model="bot.xml", offset=offset, steps=150, zones=ZONES)
    assert report.names == (zone,)
    assert report.zones[0 if zone == "left" else 1].force > 1.0


def test_both_zones_of_geoms_share_a_push(pushed):
    _, report = pushed(model="bot.xml", zones=ZONES)
    assert report.names == ("left", "right")
    assert [zone.force for zone in report.zones] == pytest.approx([PUSH / 2] * 2, rel=1e-2)


@pytest.mark.parametrize(("direction", "zone"), [(0.0, "front"), (math.pi, "rear")])
def test_a_zone_of_sites_feels_contacts_of_the_robot_in_their_volume(pushed, direction, zone):
    zones = [{"name": "front", "sites": ["front"]}, {"name": "rear", "sites": ["rear"]}]
    _, report = pushed(direction, model="bot.xml", zones=zones)
    assert report.names == (zone,)
    assert sum(each.force for each in report.zones) == pytest.approx(PUSH, rel=1e-3)


def test_zones_of_both_kinds_stand_side_by_side(pushed):
    _, report = pushed(model="bot.xml", zones=[*ZONES, {"name": "all", "start": -3.2, "end": 3.0}])
    assert report.names == ("left", "right", "all")


def test_a_light_touch_does_not_press_a_stiff_zone(pushed):
    assert pushed(min_force=2 * PUSH, steps=600)[1].zones[2].pressed is False
    assert pushed(min_force=PUSH / 2)[1].zones[2].pressed is True


def test_what_is_ignored_presses_nothing(pushed):
    _, report = pushed(ignore=["block"])
    assert not report.pressed
    assert [zone.count for zone in report.zones] == [0] * 5


def test_a_short_press_is_in_the_next_sample_and_counted_once(pushed):
    engine, _ = pushed(steps=0, rate_hz=5, debounce=0.0)
    endpoint = engine.ctx.interface.get("bot", "bumper_front_center")
    engine.ctx.data.qfrc_applied[0] = 0.0
    engine.ctx.data.qpos[0] = 0.101
    engine.step()
    engine.ctx.data.qpos[0] = -0.2
    engine.ctx.data.qvel[:] = 0.0
    engine.advance(endpoint.rate.every_steps - 2)
    engine.step()
    assert endpoint.read().pressed
    assert endpoint.read().count == 1
    engine.advance(endpoint.rate.every_steps)
    assert not endpoint.read().pressed
    assert endpoint.read().force == 0.0


@pytest.fixture
def looks(monkeypatch):
    """The ticks at which any bumper's hook runs."""
    ticks, real = [], Bumper.post_step
    monkeypatch.setattr(Bumper, "post_step", lambda plugin, ctx: ticks.append(ctx.tick) or real(plugin, ctx))
    return ticks


@pytest.mark.parametrize(
    "zones",
    [[{"name": "left", "geoms": ["hull"]}], [{"name": "left", "start": -1.0, "end": 1.0}]],
    ids=["sensor", "contacts"],
)
def test_a_bumper_rests_until_it_is_read_and_then_tells_at_once_what_presses_it(pushed, looks, zones):
    engine, _ = pushed(steps=0, zones=zones)
    engine.reset()  # which ends the interest of the fixture's read
    engine.ctx.data.qfrc_applied[0] = PUSH
    engine.ctx.state_changed()
    del looks[:]
    engine.advance(300)
    assert looks == [1]
    stages = engine.ctx.model.sensor_needstage.tolist()
    assert stages == [0] * len(stages)
    report = engine.ctx.interface.get("bot", "bumper").read()
    assert report.names == ("left",)
    assert report.zones[0].force == pytest.approx(PUSH, rel=0.2)
    engine.advance(100)
    assert looks == [1, *range(301, 401)]
    assert engine.ctx.interface.get("bot", "bumper_left").read().count == 1


def test_a_bumper_looks_while_a_transport_has_a_listener(pushed, looks):
    engine, _ = pushed(steps=0)
    engine.reset()
    endpoint = engine.ctx.interface.get("bot", "bumper_left")
    assert endpoint.lazy
    engine.advance(10)
    del looks[:]
    endpoint.has_subscribers = True
    engine.advance(10)
    endpoint.read()
    assert looks == list(range(11, 21))
    endpoint.has_subscribers = False
    engine.advance(10)
    assert looks[-1] == 21


def test_every_zone_and_the_whole_are_bools_for_a_transport(pushed):
    engine, report = pushed(zones=[{"name": "nose", "start": -0.5, "end": 0.5}], topics={"bumper": "bump"})
    hints = {name: engine.ctx.interface.get("bot", name).backend["ros2"] for name in ("bumper", "bumper_nose")}
    assert hints == {
        "bumper": {"type": "std_msgs.msg.Bool", "topic": "bump", "field": "pressed"},
        "bumper_nose": {"type": "std_msgs.msg.Bool", "topic": "bumper_nose", "field": "pressed"},
    }
    assert report.stamp_ns == engine.ctx.solve_time_ns


def test_a_reset_gives_the_same_series_to_the_bit(tmp_path):
    (tmp_path / "bot.xml").write_text(ROBOT)
    zones = "[{name: nose, start: -1.0, end: 1.0}, {name: left, geoms: [left]}, {name: front, sites: [front]}]"
    document = f"""
    components:
      - boxes: {{instances: [{{name: block, size: [0.4, 0.4, 0.4], pose: {{position: [0.44, 0, 0.2]}}}}]}}
      - spawn_model: {{model: {tmp_path}/bot.xml, pose: {{position: [0, 0, 0.2]}}}}
        name: bot
        components: [bumper: {{zones: {zones}, debounce: 0.01}}]
    """
    check_plugin(Bumper, document)


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ({"geoms": ["lefd"]}, r"geoms: expected the name of a geom, got 'lefd'; did you mean 'left'"),
        ({"sites": ["fornt"]}, r"sites: expected the name of a site, got 'fornt'; did you mean 'front'"),
    ],
)
def test_a_part_that_the_robot_does_not_have_is_named(pushed, zone, expected):
    with pytest.raises(RoqsimError, match=r"^bot\.bumper\.zones\.a\." + expected):
        pushed(model="bot.xml", zones=[{"name": "a", **zone}])


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{zones: []}", r"b\.zones: expected"),
        ("{zones: [{name: a}]}", r"expected a zone with 'start' and 'end', or with 'geoms', or with 'sites', got 'a'"),
        ("{zones: [{name: a, start: 0, end: 1, geoms: [x]}]}", r"keep one kind"),
        ("{zones: [{name: a, start: 1, end: 0}]}", r"end: expected an angle beyond start \(1\.0\)"),
        ("{zones: [{name: a, start: 1}]}", r"end: expected an angle beyond start"),
        ("{zones: [{name: a, start: 0, end: 1}, {name: a, start: 1, end: 2}]}", r"names of their own, got 'a' twice"),
        ("{zones: [{name: a, geoms: [x]}], ground: true}", r"ground: expected a zone with 'start' and 'end'"),
        ("{min_force: -1}", r"b\.min_force: expected float >= 0 \(N\), got -1"),
    ],
)
def test_a_wrong_value_is_named_with_its_rule(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(BumperConfig, loads(config, "w.yaml"), "b")


def test_a_bumper_of_nothing_is_refused(world):
    with pytest.raises(RoqsimError, match=r"^bumper: expected an entity that has the bumper, got none"):
        world({"components": [{"bumper": {}}]})


def test_the_schema_describes_every_key():
    properties = json_schema(BumperConfig)["properties"]
    assert all(each.get("description") for each in properties.values())


@given(st.floats(-3, 3), st.floats(0.01, 6.2), st.floats(0, 1), st.integers(-2, 2))
def test_a_sector_holds_the_angles_between_its_ends_in_any_turn(start, width, part, turns):
    inside, outside = start + part * width, start + width + (0.001 + part * 0.99) * (2 * math.pi - width)
    assert is_within(inside + 2 * math.pi * turns, start - 1e-9, start + width + 1e-9)
    if outside < start + 2 * math.pi - 0.001:
        assert not is_within(outside + 2 * math.pi * turns, start, start + width)


def test_a_bearing_is_seen_from_the_body():
    turned = [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    assert bearing((1.0, 3.0, 5.0), [1.0, 2.0, 0.0], turned) == pytest.approx(0.0)
    assert bearing((0.0, 2.0, 5.0), [1.0, 2.0, 0.0], turned) == pytest.approx(math.pi / 2)


def test_a_delayed_press_arrives_late_and_is_stamped_with_the_solve_it_was_felt_in(pushed):
    delay = 0.1
    engine, _ = pushed(steps=0, delay=delay, debounce=0.0, rate_hz=500)
    read = engine.ctx.blackboard.require("bumper:bot.bumper")
    reports = []
    for _ in range(500):
        engine.step()
        reports.append(read())
    arrived = next(index for index, report in enumerate(reports) if report.pressed)
    prompt, _ = pushed(steps=0, debounce=0.0, rate_hz=500)
    read = prompt.ctx.blackboard.require("bumper:bot.bumper")
    felt = 0
    while not (prompt.step() or read().pressed):
        felt += 1
    assert (arrived - felt) * engine.ctx.dt == pytest.approx(delay)
    assert reports[arrived].stamp_ns == read().stamp_ns


def test_a_fault_makes_zones_stick_or_die_until_it_ends(pushed):
    fault = {"stuck": ["left"], "dead": ["front_center"]}
    engine, report = pushed(fault=fault)
    assert report.names == ("front_center",)
    read = engine.ctx.blackboard.require("bumper:bot.bumper")
    engine.ctx.interface.get("bot", "fault").write(True)
    engine.advance(100)
    assert read().names == ("left",)
    engine.ctx.blackboard.require("sensor_fault:bot.bumper").set_active(False)
    engine.advance(100)
    assert read().names == ("front_center",)
    engine.ctx.interface.get("bot", "fault").write(True)
    engine.reset()
    assert read().names == ()


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("{stuck: [lefd]}", r"b\.stuck: expected names of zones, got 'lefd'.*did you mean 'left'"),
        ("{fault: {dead: [lefd]}}", r"fault\.dead: expected names of zones, got 'lefd'"),
        ("{fault: {debounce: 1}}", r"b\.fault\.debounce: expected a key that a fault may change"),
        ("{delay: -1}", r"b\.delay: expected float >= 0"),
    ],
)
def test_a_wrong_degradation_is_named_with_its_rule(config, expected):
    with pytest.raises(ConfigError, match=expected):
        read(BumperConfig, loads(config, "w.yaml"), "b")
