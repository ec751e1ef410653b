"""Depth cameras that one can buy: optics, places, frames, topics and noise as data sheets and drivers state them."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from roqsim.config.nodes import loads
from roqsim.config.schema import read
from roqsim.errors import ConfigError
from roqsim.mj import poses
from roqsim_sensors.models import MODELS_DIR
from roqsim_sensors.plugins.oakd_camera import OakdCameraConfig
from roqsim_sensors.plugins.realsense_d415 import RealsenseD415Config
from roqsim_sensors.plugins.realsense_d435 import RealsenseD435Config
from roqsim_sensors.plugins.realsense_d455 import RealsenseD455Config

CONFIGS = {
    "realsense_d415": RealsenseD415Config,
    "realsense_d435": RealsenseD435Config,
    "realsense_d455": RealsenseD455Config,
    "oakd_camera": OakdCameraConfig,
}
MODELS = {ref: ref for ref in CONFIGS} | {"oakd_camera": "oakd_pro"}
REALSENSE = [ref for ref in CONFIGS if ref.startswith("realsense")]

# In degrees across and down, of depth and of colour at the device's own sizes: data sheet 337029-017 and Luxonis' page.
FIELDS = {
    "realsense_d415": ((65, 40), (69.4, 42.5)),
    "realsense_d435": ((87, 58), (69.4, 42.5)),
    "realsense_d455": ((87, 58), (90, 65)),
    "oakd_camera": ((66, None), (66, None)),
}
TOLERANCE = 3.0
COLOUR_TO_THE_LEFT = {"realsense_d415": 0.015, "realsense_d435": 0.015, "realsense_d455": -0.059, "oakd_camera": 0.0}
SMALL = {"width": 424, "height": 240}


def config(ref: str, **values):
    return read(CONFIGS[ref], loads(repr(values) if values else "{}", "w.yaml"), ref)


def field_of(optics) -> tuple[float, float]:
    """Degrees across and down."""
    pinhole = optics.intrinsics()
    across, down = math.atan(pinhole.width / 2 / pinhole.fx), math.atan(pinhole.height / 2 / pinhole.fy)
    return math.degrees(2 * across), math.degrees(2 * down)


@pytest.fixture
def device(world):
    """Opens a world with one device at 1 m above the ground that looks along x."""

    def make(ref: str, *others: dict, seed: int | None = 1, **values):
        entry = {ref: {"pose": {"position": [0, 0, 1]}, **values}, "name": "cam"}
        return world({"components": [entry, *others]}, seed=seed)

    return make


@pytest.mark.parametrize("ref", CONFIGS)
def test_the_fields_of_view_are_those_of_the_data_sheet(ref):
    device = config(ref)
    colour = device.optics_of("colour").optics or device
    if ref == "realsense_d455":
        colour = type(colour)(width=1280, height=800)
    for optics, (across, down) in zip((device, colour), FIELDS[ref], strict=True):
        found = field_of(optics)
        assert found[0] == pytest.approx(across, abs=TOLERANCE)
        assert down is None or found[1] == pytest.approx(down, abs=1e-6)


def test_another_size_is_cut_out_of_the_middle_of_the_sensor():
    wide = field_of(config("realsense_d455").colour.optics)
    assert wide[0] == pytest.approx(91.1, abs=0.1) and wide[1] == pytest.approx(59.7, abs=0.1)
    narrow = field_of(config("realsense_d435", width=640, height=480))
    assert narrow[1] == pytest.approx(58.0) and 70 < narrow[0] < 77
    assert field_of(config("oakd_camera", width=1280, height=960))[0] == pytest.approx(66.0)


def test_a_calibrated_focal_length_replaces_the_nominal_one():
    optics = config("realsense_d435", colour={"optics": {"fx": 910.0, "cx": 642.0}}).colour.optics
    assert optics.intrinsics().focals == (910.0, 910.0, 642.0, 359.5)


def test_one_key_of_a_stream_leaves_the_others_as_the_device_has_them():
    depth = config("realsense_d435", depth={"range_max": 4.0}).depth
    assert (depth.range_min, depth.range_max, depth.format) == (0.195, 4.0, "16UC1")


@pytest.mark.parametrize("ref", CONFIGS)
@pytest.mark.parametrize("stream", ["colour", "depth", "points", "segmentation"])
def test_any_stream_can_stand_alone(ref, stream):
    assert config(ref, streams=[stream]).streams == (stream,)


@pytest.mark.parametrize("ref", CONFIGS)
def test_a_device_looks_through_no_camera_of_a_model(ref):
    with pytest.raises(
        ConfigError, match=rf"{ref}.camera: expected none, as the device has imagers of its own, got 'x'"
    ):
        config(ref, camera="x")


def test_only_a_device_with_one_view_colours_its_points():
    assert config("oakd_camera", streams=["colour", "points"], points={"colours": True}).points.colours
    with pytest.raises(ConfigError, match=r"points.colours: expected colour and depth to have the same optics"):
        config("realsense_d435", streams=["colour", "points"], points={"colours": True})


@pytest.mark.parametrize("ref", REALSENSE)
def test_a_realsense_has_the_topics_and_frames_of_its_driver(device, ref):
    engine = device(ref, streams=["colour", "depth", "points"], frame_id="front_link")
    found = {end.name: end.backend["ros2"] for end in engine.ctx.interface.by_direction("out")}
    assert {name: (hints["topic"], hints.get("frame_id")) for name, hints in found.items()} == {
        "image": ("front/color/image_raw", "front_color_optical_frame"),
        "camera_info": ("front/color/camera_info", "front_color_optical_frame"),
        "depth": ("front/depth/image_rect_raw", "front_depth_optical_frame"),
        "depth_camera_info": ("front/depth/camera_info", "front_depth_optical_frame"),
        "points": ("front/depth/color/points", "front_depth_optical_frame"),
        "cam_tf": ("/tf_static", None),
    }


def test_an_oak_d_pro_has_the_topics_and_frames_of_its_driver(device):
    engine = device("oakd_camera")
    found = {end.name: end.backend["ros2"] for end in engine.ctx.interface.by_direction("out")}
    frame = "oakd_rgb_camera_optical_frame"
    assert {name: (hints["topic"], hints.get("frame_id")) for name, hints in found.items()} == {
        "image": ("oakd/rgb/image_raw", frame),
        "camera_info": ("oakd/rgb/camera_info", frame),
        "depth": ("oakd/stereo/image_raw", frame),
        "depth_camera_info": ("oakd/stereo/camera_info", frame),
        "cam_tf": ("/tf_static", None),
    }


@pytest.mark.parametrize("ref", CONFIGS)
def test_the_frames_lead_from_the_world_to_the_imagers(device, ref):
    engine = device(ref, pose={"position": [1, 2, 3], "orientation": {"yaw": math.pi / 2}})
    transforms = engine.ctx.interface.get("", "cam_tf").read().transforms
    above = {each.child_frame_id: each for each in transforms}
    for name in ("image", "depth"):
        frame = engine.ctx.interface.get("", name).backend["ros2"]["frame_id"]
        X = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
        while frame != "world":
            step = above[frame]
            X, frame = poses.compose((step.position, step.quaternion), X), step.frame_id
        aside = COLOUR_TO_THE_LEFT[ref] if name == "image" else 0.0
        assert X[0] == pytest.approx((1.0 - aside, 2.0, 3.0), abs=1e-9)
        assert poses.rotate(X[1], (0.0, 0.0, 1.0)) == pytest.approx((0.0, 1.0, 0.0), abs=1e-9)
        assert poses.rotate(X[1], (0.0, 1.0, 0.0)) == pytest.approx((0.0, 0.0, -1.0), abs=1e-9)


def test_two_devices_of_one_carrier_differ_in_their_frame(world, tmp_path):
    cart = tmp_path / "cart.xml"
    cart.write_text(
        "<mujoco><worldbody><body name='base_link'><geom type='box' size='.2 .2 .1'/></body></worldbody></mujoco>"
    )
    devices = [
        {"spawn_sensor": {"model": "realsense_d435", "frame_id": f"{name}_link", "pose": {"position": [x, 0, 0.3]}},
         "name": name}
        for name, x in (("front", 0.1), ("rear", -0.1))
    ]  # fmt: skip
    engine = world({"components": [{"spawn_model": {"model": str(cart)}, "name": "robot", "components": devices}]})
    for name in ("front", "rear"):
        image = engine.ctx.interface.get(f"robot.{name}", "image")
        assert image.backend["ros2"]["topic"] == f"{name}/color/image_raw"
        frames = {each.child_frame_id: each.frame_id for port in ("mount_tf", "camera_tf")
                  for each in engine.ctx.interface.get(f"robot.{name}", port).read().transforms}  # fmt: skip
        assert frames[f"{name}_color_optical_frame"] == f"{name}_color_frame"
        assert frames[f"{name}_color_frame"] == f"{name}_link" and frames[f"{name}_link"] == "base_link"


BALL = {"position": [1.4, 0.2, 1.1]}


@pytest.mark.gl
@pytest.mark.parametrize("ref", CONFIGS)
def test_colour_and_depth_show_a_ball_where_the_geometry_says(world, tmp_path, ref):
    """Reprojection through the frames and the camera_info of each stream."""
    geom = "<geom type='sphere' size='.06' rgba='1 0 0 1' mass='1'/>"
    mjcf = f"<mujoco><worldbody><body name='ball'>{geom}</body></worldbody></mujoco>"
    (tmp_path / "ball.xml").write_text(mjcf)
    optics = {} if ref == "oakd_camera" else {"colour": {"optics": {"width": 640, "height": 360}}}
    ball = {"spawn_model": {"model": "ball.xml", "motion": "static", "pose": BALL}, "name": "ball"}
    entry = {ref: {"pose": {"position": [0, 0, 1]}, **SMALL, **optics, "depth_stddev_quadratic": 0.0}, "name": "cam"}
    engine = world({"components": [entry, ball]}, base_dir=tmp_path)
    ports = engine.ctx.interface
    image, depth = ports.get("", "image").read(), ports.get("", "depth").read().data / 1000.0
    is_red = (image.data[..., 0] > 90) & (image.data[..., 1] < 60)
    is_near = (depth > 1.2) & (depth < 1.45)
    for seen, info, aside in ((is_red, "camera_info", COLOUR_TO_THE_LEFT[ref]), (is_near, "depth_camera_info", 0.0)):
        k = ports.get("", info).read().k
        x, y, z = -(0.2 - aside), -0.1, 1.4
        expected = (k[0, 0] * x / z + k[0, 2], k[1, 1] * y / z + k[1, 2])
        rows, columns = np.nonzero(seen)
        # The outline of a ball off the axis is an ellipse whose middle lies a little outside the ball's own.
        assert (columns.mean(), rows.mean()) == pytest.approx(expected, abs=0.7)


@pytest.mark.gl
@pytest.mark.parametrize(
    ("ref", "at", "fraction"),
    [("realsense_d435", 2.0, 0.01), ("realsense_d455", 4.0, 0.01), ("oakd_camera", 4.0, 0.02)],
)
def test_the_noise_of_depth_is_the_data_sheets_and_grows_with_the_square(device, ref, at, fraction):
    for distance in (at, at / 2):
        wall = {"boxes": {"motion": "static", "instances": [
            {"name": "wall", "size": [0.2, 8, 8], "pose": {"position": [distance + 0.1, 0, 1]}}]}}  # fmt: skip
        depth = device(ref, wall, streams=["depth"], **SMALL).ctx.interface.get("", "depth").read().data / 1000.0
        middle = depth[80:160, 100:320]
        assert middle.mean() == pytest.approx(distance, rel=2e-3)
        assert middle.std() == pytest.approx(fraction * at * (distance / at) ** 2, rel=0.05)


@pytest.mark.gl
@pytest.mark.parametrize("ref", CONFIGS)
def test_nothing_is_measured_nearer_than_the_device_can(device, ref):
    nearest = config(ref).depth.range_min
    for distance, is_seen in ((nearest - 0.02, False), (nearest + 0.02, True)):
        wall = {"boxes": {"motion": "static", "instances": [
            {"name": "wall", "size": [0.2, 8, 8], "pose": {"position": [distance + 0.1, 0, 1]}}]}}  # fmt: skip
        engine = device(ref, wall, streams=["depth"], **SMALL)
        assert (engine.ctx.interface.get("", "depth").read().data[120, 212] > 0) == is_seen


@pytest.mark.gl
@pytest.mark.parametrize("model", sorted(MODELS.values()))
def test_a_housing_does_not_stand_in_the_way_of_its_own_imagers(world, model):
    camera = {"oakd_camera" if model == "oakd_pro" else model: {
        **SMALL, "streams": ["colour", "depth", "segmentation"], "depth": {"range_min": 0.0, "format": "32FC1"},
        "depth_stddev_quadratic": 0.0, "clip_near": 0.02}, "name": "camera"}  # fmt: skip
    entry = {"spawn_sensor": {"model": model, "pose": {"position": [0, 0, 1]}}, "name": "eye", "components": [camera]}
    engine = world({"components": [entry]})
    assert engine.ctx.interface.get("eye", "depth").read().data.min() > 0.5
    labels = engine.ctx.interface.get("eye", "segmentation").read()
    assert "eye" not in {labels.names[label] for label in np.unique(labels.data) if label}


@pytest.mark.parametrize(("model", "mass", "size"), [
    ("realsense_d415", 0.072, (0.020, 0.099, 0.023)),
    ("realsense_d435", 0.072, (0.025, 0.090, 0.025)),
    ("realsense_d455", 0.12, (0.026, 0.124, 0.029)),
    ("oakd_pro", 0.091, (0.0229, 0.097, 0.0295)),
])  # fmt: skip
def test_a_model_has_the_mass_and_the_size_of_its_device(model, mass, size):
    compiled = mujoco.MjModel.from_xml_path(str(MODELS_DIR / model / f"{model}.xml"))
    assert compiled.body_subtreemass[0] == pytest.approx(mass)
    assert compiled.njnt == 0 and compiled.nmesh == 0
    housing = compiled.geom("housing")
    assert 2 * housing.size == pytest.approx(size)
    seen = compiled.geom_group == 2
    assert set(compiled.geom_group) == {2, 3} and not compiled.geom_contype[seen].any()
    reach = np.abs(compiled.geom_pos[seen] - housing.pos) - housing.size
    assert reach.max() < 0.002, "what is seen lies in what collides"
