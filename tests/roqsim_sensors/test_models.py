"""The device models alone: they compile, weigh what their data sheets say, and report from where their makers say."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
import yaml
from roqsim_sensors.models import MODELS_DIR

MASS = {"rplidar_a1": 0.17, "lds_01": 0.125, "ust_10lx": 0.13, "lms_111": 1.1}
DEVICES = sorted(MASS)


def load(device: str) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(MODELS_DIR / device / f"{device}.xml"))


def manifest(device: str) -> dict:
    return yaml.safe_load((MODELS_DIR / device / f"{device}.manifest.yaml").read_text())


def lidar(device: str) -> dict:
    return next(entry["lidar"] for entry in manifest(device)["components"])


@pytest.mark.parametrize("device", DEVICES)
def test_a_device_weighs_what_its_data_sheet_says(device):
    model = load(device)
    assert model.body_subtreemass[0] == pytest.approx(MASS[device], rel=1e-9)
    assert model.njnt == 0 and model.nmesh == 0
    assert np.all(model.body_inertia[1:] > 0)


@pytest.mark.parametrize("device", DEVICES)
def test_the_file_opens_with_a_sentence_that_says_what_it_is(device):
    first = (MODELS_DIR / device / f"{device}.xml").read_text()
    assert first.startswith("<!-- ")
    assert first[5:].split(".\n")[0].endswith("for MuJoCo")


@pytest.mark.parametrize("device", DEVICES)
def test_the_root_body_stands_at_the_optical_centre(device):
    model = load(device)
    assert model.body(1).name == device
    assert model.site(lidar(device)["site"]).pos == pytest.approx([0, 0, 0])


@pytest.mark.parametrize("device", DEVICES)
def test_what_is_seen_does_not_collide_and_what_collides_is_not_seen(device):
    model = load(device)
    seen = model.geom_group == 2
    assert set(model.geom_group) == {2, 3}
    assert not model.geom_contype[seen].any() and not model.geom_conaffinity[seen].any()
    assert model.geom_contype[~seen].all()


@pytest.mark.parametrize("device", DEVICES)
def test_the_window_is_part_of_the_housing(device):
    """The optical centre lies inside a collision geom, so a scan must leave its own carrier out."""
    model = load(device)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    group = np.array([0, 0, 0, 1, 0, 0], dtype=np.uint8)
    distance = mujoco.mj_ray(model, data, np.zeros(3), np.array([1.0, 0, 0]), group, 1, -1, np.zeros(1, dtype=np.int32))
    distance = distance[0] if isinstance(distance, tuple) else distance
    assert 0.0 < distance < 0.06


@pytest.mark.parametrize("device", DEVICES)
def test_the_scan_is_one_that_the_device_can_make(device):
    config = lidar(device)
    assert config["frame_id"] == "{frame_id}" and manifest(device)["frame_id"]
    assert 0 < config["range_min"] < config["range_max"] <= 20
    assert math.radians(269) < config["angle_max"] - config["angle_min"] <= math.tau + 1e-6
    assert config["rays"] * config["rate_hz"] <= 50_000
