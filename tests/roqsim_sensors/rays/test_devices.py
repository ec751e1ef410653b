"""The device models with what their data sheets say, mounted in the demo world and alone."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
import yaml
from roqsim.context import PointCloud
from roqsim.context import Range as RangePayload
from roqsim.presence import set_present
from roqsim_sensors.models import MODELS_DIR

MASS = {"vlp_16": 0.83, "os1_64": 0.38, "mid_360": 0.265, "robin_w1g": 1.0, "hc_sr04": 0.009, "gp2y0a21": 0.0035}
CLOUDS = ["mid_360", "os1_64", "robin_w1g", "vlp_16"]

each_model = pytest.mark.parametrize("name", sorted(MASS))


def load(name: str) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(MODELS_DIR / name / f"{name}.xml"))


def manifest(name: str) -> dict:
    return yaml.safe_load((MODELS_DIR / name / f"{name}.manifest.yaml").read_text())


def sensor(name: str) -> dict:
    return next(iter(manifest(name)["components"][0].values()))


@pytest.fixture
def mounted(world):
    """Opens an empty world with one device at a height of 1 m: ``mounted("vlp_16")`` gives its engine and payload."""

    def make(name: str, *others: dict):
        spawn = {"spawn_sensor": {"model": name, "pose": {"position": [0, 0, 1]}}, "name": "eye"}
        engine = world({"components": [*others, spawn]})
        stream = "points" if name in CLOUDS else "range"
        return engine, engine.ctx.interface.get("eye", stream)

    return make


@each_model
def test_a_device_weighs_what_its_data_sheet_says(name):
    model = load(name)
    assert model.body_subtreemass[0] == pytest.approx(MASS[name], rel=1e-9)
    assert model.njnt == 0 and model.nmesh == 0
    assert np.all(model.body_inertia[1:] > 0)


@each_model
def test_the_root_body_stands_at_the_optical_centre_and_has_a_collision_shape(name):
    model = load(name)
    assert model.body(1).name == name
    assert model.site(sensor(name)["site"]).pos == pytest.approx([0, 0, 0])
    seen = model.geom_group == 2
    assert set(model.geom_group) == {2, 3}
    assert not model.geom_contype[seen].any() and model.geom_contype[~seen].all()


@each_model
def test_a_manifest_says_where_its_numbers_come_from(name):
    fields = manifest(name)
    assert fields["license"] == "Apache-2.0"
    assert fields["source"].startswith("Written for roqsim")
    assert fields["frame_id"]


@each_model
def test_a_mounted_device_does_not_see_its_own_housing(mounted, name):
    _, endpoint = mounted(name)
    payload = endpoint.read()
    assert payload.frame_id == manifest(name)["frame_id"]
    if isinstance(payload, RangePayload):
        assert payload.range > 0.5
    else:
        assert np.nanmin(np.linalg.norm(payload.points, axis=1)) > 0.5


@each_model
def test_a_mounted_device_is_due_at_its_rate(mounted, name):
    engine, endpoint = mounted(name)
    assert endpoint.rate.realised_hz == pytest.approx(sensor(name)["rate_hz"], rel=0.02)
    endpoint.has_subscribers = True
    engine.advance(endpoint.rate.every_steps)
    assert endpoint.read().stamp_ns == engine.ctx.time_ns


def test_a_vlp_16_has_a_laser_every_two_degrees(mounted):
    _, endpoint = mounted("vlp_16")
    cloud = endpoint.read()
    assert isinstance(cloud, PointCloud)
    elevation = np.degrees(np.arcsin(cloud.points[:, 2] / np.linalg.norm(cloud.points, axis=1)))
    assert elevation == pytest.approx(-15.0 + 2.0 * cloud.fields["ring"], abs=1e-4)


def test_an_os1_64_gives_an_image_of_64_rows_and_512_columns(mounted):
    _, endpoint = mounted("os1_64")
    cloud = endpoint.read()
    assert (cloud.height, cloud.width) == (64, 512)
    found = cloud.points.reshape(64, 512, 3)
    elevation = np.degrees(np.arcsin(found[..., 2] / np.linalg.norm(found, axis=2)))
    assert np.nanmean(elevation, axis=1)[32:] == pytest.approx(np.linspace(16.6, -16.6, 64)[32:], abs=1e-3)


def test_a_mid_360_looks_around_and_up_and_fires_20_000_points_in_a_period(mounted):
    ceiling = {"name": "ceiling", "size": [12, 12, 0.1], "pose": {"position": [0, 0, 2.05]}}
    _, endpoint = mounted("mid_360", {"boxes": {"motion": "static", "instances": [ceiling]}})
    cloud = endpoint.read()
    assert cloud.width == 20_000
    elevation = np.degrees(np.arcsin(cloud.points[:, 2] / np.linalg.norm(cloud.points, axis=1)))
    assert (elevation.min(), elevation.max()) == pytest.approx((-7.0, 52.0), abs=0.2)


def test_a_robin_w1g_looks_ahead_through_120_by_70_degrees(mounted):
    slabs = [
        {"name": "ceiling", "size": [12, 12, 0.1], "pose": {"position": [0, 0, 2.05]}},
        {"name": "ahead", "size": [0.1, 9, 3], "pose": {"position": [4, 0, 1.5]}},
    ]
    _, endpoint = mounted("robin_w1g", {"boxes": {"motion": "static", "instances": slabs}})
    cloud = endpoint.read()
    azimuth = np.degrees(np.arctan2(cloud.points[:, 1], cloud.points[:, 0]))
    elevation = np.degrees(np.arcsin(cloud.points[:, 2] / np.linalg.norm(cloud.points, axis=1)))
    assert (azimuth.min(), azimuth.max()) == pytest.approx((-60.0, 60.0), abs=1e-3)
    assert (elevation.min(), elevation.max()) == pytest.approx((-35.0, 35.0), abs=1e-3)


def test_the_visitor_of_the_cloud_room_is_seen_by_the_spinning_lidar_when_it_comes(world):
    engine = world("roqsim_sensors:cloud_room")
    endpoint = engine.ctx.interface.get("puck", "points")

    def at_the_visitor() -> int:
        points = endpoint.read().points
        return int(((np.abs(points[:, 0] - 1.0) < 0.05) & (np.abs(points[:, 1]) < 0.2)).sum())

    before = at_the_visitor()
    set_present(engine.ctx, "visitor", True)
    assert at_the_visitor() > before + 50


def test_the_sonar_of_the_cloud_room_hears_the_crates(world):
    engine = world("roqsim_sensors:cloud_room")
    engine.advance(200)
    heard = engine.ctx.interface.get("sonar", "range").read().range
    assert 2.0 < heard < 2.3
    assert engine.ctx.interface.get("infrared", "range").read().range == math.inf
