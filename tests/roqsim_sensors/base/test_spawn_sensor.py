from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from roqsim.errors import ConfigError, RoqsimError
from roqsim.testing import check_plugin
from roqsim_sensors.plugins.spawn_sensor import SpawnSensor

from roqsim import load_config_from_dict

HALF = 5.0
"""Half the inner width of the built-in room in metres."""

BASE = """
<mujoco><worldbody><body name="base_link"><freejoint/>
  <geom type="box" size=".2 .2 .1" mass="5"/>
  <geom name="mast" type="cylinder" size=".03 .1" pos=".1 0 .2"/>
  <body name="plate" pos="0 0 .3"><geom type="cylinder" size=".15 .01"/>
    <site name="mount" pos=".05 0 .02" euler="0 0 90"/></body>
  <body name="arm" pos="0 .3 .1"><joint axis="0 0 1"/><geom size=".02"/></body>
</body></worldbody></mujoco>
"""


EXACT = {"components": [{"lidar": {"range_stddev": 0.0, "range_stddev_relative": 0.0}}]}
"""Takes the noise of its data sheet from a mounted scanner."""


@pytest.fixture
def carry(world, tmp_path):
    """Puts a device on a made robot: ``carry(parent="plate")`` gives the engine."""
    (tmp_path / "bot.xml").write_text(BASE)

    def make(*devices: dict, stands: dict | None = None, **config):
        first = {"spawn_sensor": {"model": "rplidar_a1", **config}, "name": "eye"}
        if config.get("default_plugins", True):
            first |= EXACT
        bot = {
            "spawn_model": {"model": "bot.xml", "pose": stands or {"position": [0, 0, 0.1]}, "namespace": "ns"},
            "name": "bot",
            "components": [first, *devices],
        }
        return world({"sim": {"timestep": 0.002}, "components": [bot]}, base_dir=tmp_path)

    return make


def test_a_device_is_welded_to_its_carrier_and_falls_with_it(carry):
    engine = carry(stands={"position": [0, 0, 2]}, parent="plate")
    model, data = engine.ctx.model, engine.ctx.data
    device, plate = model.body("bot_eye_rplidar_a1").id, model.body("bot_plate").id
    assert model.body_weldid[device] == model.body_weldid[plate] == model.body("bot_base_link").id
    engine.advance(100)
    engine.ctx.refresh()
    np.testing.assert_allclose(data.xpos[device], data.xpos[plate], atol=1e-12)
    assert data.xpos[device][2] < 2.2


def test_the_entity_is_named_by_its_address_and_keeps_the_carriers_scope(carry):
    engine = carry()
    entity = engine.ctx.entities.require("bot.eye")
    assert (entity.kind, entity.prefix, entity.namespace, entity.address) == ("sensor", "bot_eye_", "ns", "bot.eye")
    assert entity.meta["carrier"] == "bot"
    own = carry(prefix="p_", namespace="other").ctx.entities.require("bot.eye")
    assert (own.prefix, own.namespace) == ("p_", "other")


def test_a_frame_that_is_its_own_parent_is_refused(carry):
    with pytest.raises(RoqsimError, match=r"^bot\.eye\.frame_id: expected another frame .* got 'base_link'"):
        carry(frame_id="base_link")
    carry(frame_id="base_link", parent="plate")


def test_two_robots_may_carry_devices_of_one_label(world, tmp_path):
    (tmp_path / "bot.xml").write_text(BASE)
    robots = [
        {
            "spawn_model": {"model": "bot.xml", "pose": {"position": [x, 0, 0.1]}, "namespace": name},
            "name": name,
            "components": [{"spawn_sensor": {"model": "rplidar_a1", "parent": "plate"}, "name": "eye", **EXACT}],
        }
        for name, x in (("one", -2.0), ("two", 2.0))
    ]
    engine = world({"components": robots}, base_dir=tmp_path)
    scans = [engine.ctx.interface.get(f"{name}.eye", "scan") for name in ("one", "two")]
    assert [endpoint.namespace for endpoint in scans] == ["one", "two"]
    east = [endpoint.read().ranges[180] for endpoint in scans]
    assert east[1] == pytest.approx(HALF - 2.0, rel=1e-5)
    assert east[0] < 4.0


def test_the_device_does_not_see_what_carries_it_but_what_moves_against_it(carry):
    engine = carry(parent="base_link", pose={"position": [0, 0, 0.2]}, frame_id="laser")
    scan = engine.ctx.interface.get("bot.eye", "scan").read()
    assert scan.ranges[180] == pytest.approx(HALF, rel=1e-5)
    engine = carry(parent="base_link", pose={"position": [0, 0, 0.1]}, frame_id="laser")
    scan = engine.ctx.interface.get("bot.eye", "scan").read()
    assert scan.ranges[270] == pytest.approx(0.3 - 0.02, rel=1e-5)


@pytest.mark.parametrize(
    ("config", "frame", "parent", "position"),
    [
        ({}, "laser", "base_link", (0, 0, 0)),
        ({"parent": "plate", "frame_id": "scan_link"}, "scan_link", "plate", (0, 0, 0)),
        ({"parent": "mount", "pose": {"position": [0.1, 0, 0]}}, "laser", "mount", (0.1, 0, 0)),
        ({"parent": "mount", "parent_frame": "base_link"}, "laser", "base_link", (0.05, 0, 0.32)),
        ({"parent": "plate", "parent_frame": "chassis"}, "laser", "chassis", (0, 0, 0)),
    ],
)
def test_the_frame_of_the_data_is_published_where_the_device_is_fixed(carry, config, frame, parent, position):
    engine = carry(**config)
    (transform,) = engine.ctx.interface.get("bot.eye", "mount_tf").read().transforms
    assert (transform.frame_id, transform.child_frame_id) == (parent, frame)
    assert transform.position == pytest.approx(position, abs=1e-12)
    assert engine.ctx.interface.get("bot.eye", "scan").read().frame_id == frame


def test_a_device_in_the_world_is_published_in_the_world(world):
    pose = {"position": [1, 2, 0.5], "orientation": {"yaw": math.pi / 2}}
    entry = {"spawn_sensor": {"model": "rplidar_a1", "pose": pose}, "name": "eye", **EXACT}
    engine = world({"components": [entry]})
    (transform,) = engine.ctx.interface.get("eye", "mount_tf").read().transforms
    assert (transform.frame_id, transform.position) == ("world", pytest.approx((1, 2, 0.5)))
    scan = engine.ctx.interface.get("eye", "scan").read()
    assert scan.ranges[180] == pytest.approx(HALF - 2.0, rel=1e-5)


def test_the_catalogued_rplidar_a1_measures_as_its_data_sheet_says(carry):
    engine = carry(parent="plate", pose={"position": [0, 0, 0.05]})
    endpoint = engine.ctx.interface.get("bot.eye", "scan")
    scan = endpoint.read()
    assert scan.ranges.size == 360
    assert math.degrees(scan.angle_increment) == pytest.approx(1.0)
    assert (scan.range_min, scan.range_max) == (0.15, 12.0)
    assert scan.scan_time == pytest.approx(0.1)
    assert endpoint.rate.realised_hz == pytest.approx(10.0)
    assert engine.ctx.model.body("bot_eye_rplidar_a1").mass[0] == pytest.approx(0.17)


def test_a_world_changes_one_value_of_a_device_and_keeps_the_rest(carry):
    nested = {"lidar": {"rays": 90, "topics": {"scan": "second_scan"}}}
    device = {"spawn_sensor": {"model": "rplidar_a1", "parent": "plate", "frame_id": "second"}, "name": "two"}
    engine = carry({**device, "components": [nested]})
    scan = engine.ctx.interface.get("bot.two", "scan").read()
    assert (scan.ranges.size, scan.range_max, scan.frame_id) == (90, 12.0, "second")


def test_a_device_without_its_plugins_is_a_housing(carry):
    engine = carry(default_plugins=False)
    assert [plugin.address for plugin in engine.plugins] == ["bot", "bot.eye"]


def test_the_files_of_a_device_are_named(tmp_path):
    config = load_config_from_dict({"components": [{"spawn_sensor": {"model": "rplidar_a1"}}]}, tmp_path)
    plugin = SpawnSensor(config.plugins[0].config.plain())
    plugin.place(config.plugins[0])
    assert [path.name for path in plugin.sources()] == ["rplidar_a1.xml", "rplidar_a1.manifest.yaml"]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"model": "rplidar_a7"}, r"bot\.eye\.model: .*did you mean 'rplidar_a1'"),
        (
            {"parent": "plaet"},
            r"bot\.eye\.parent: expected a body or site of 'bot', got 'plaet'; did you mean 'plate'\?",
        ),
        (
            {"parent": "arm", "parent_frame": "base_link"},
            r"bot\.eye\.parent_frame: expected a frame that does not move",
        ),
        ({"topics": {"scan": "x"}}, r"bot\.eye\.topics: expected the endpoint 'mount_tf', got 'scan'"),
    ],
)
def test_a_mount_that_can_not_be_is_named(carry, config, expected):
    with pytest.raises(RoqsimError, match=expected):
        carry(**config)


def test_a_parent_without_a_carrier_is_refused(world):
    with pytest.raises(RoqsimError, match=r"^eye: expected to be nested under what carries it, got no owner"):
        world({"components": [{"spawn_sensor": {"model": "rplidar_a1", "parent": "plate"}, "name": "eye"}]})


def test_a_device_of_which_nobody_knows_the_frame_needs_one(world, tmp_path):
    (tmp_path / "eye.xml").write_text(
        "<mujoco><worldbody><body name='eye'><geom size='.02'/></body></worldbody></mujoco>"
    )
    (tmp_path / "eye.manifest.yaml").write_text("components: [{lidar: {frame_id: '{frame_id}'}}]")
    document = {"components": [{"spawn_sensor": {"model": "eye.xml"}, "name": "eye"}]}
    with pytest.raises(ConfigError, match=r"eye\.frame_id: expected text, got nothing"):
        world(document, base_dir=tmp_path)
    document["components"][0]["spawn_sensor"]["frame_id"] = "eye_link"
    assert world(document, base_dir=tmp_path).ctx.interface.get("eye", "scan").read().frame_id == "eye_link"


def test_every_shipped_device_measures_from_its_own_site(world):
    for model in ("rplidar_a1", "lds_01", "lms_111", "ust_10lx"):
        entry = {"spawn_sensor": {"model": model, "pose": {"position": [0, 0, 1]}}, "name": "eye", **EXACT}
        engine = world({"components": [entry]})
        scan = engine.ctx.interface.get("eye", "scan").read()
        angles = scan.angle_min + scan.angle_increment * np.arange(scan.ranges.size)
        expected = HALF / np.maximum(np.abs(np.cos(angles)), np.abs(np.sin(angles)))
        expected[expected > scan.range_max] = math.inf
        np.testing.assert_allclose(scan.ranges, expected, rtol=1e-5)


def test_a_mounted_device_is_reset_to_the_bit():
    check_plugin(SpawnSensor, "roqsim_sensors:lidar_room", seconds=0.5)


def test_mounting_adds_the_devices_mass(carry):
    bare, carrying = carry(default_plugins=False), carry()
    assert carrying.ctx.model.nbody == bare.ctx.model.nbody
    assert mujoco.mj_getTotalmass(carrying.ctx.model) > 5.17
