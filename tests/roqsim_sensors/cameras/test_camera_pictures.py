"""What a camera sees in a world, drawn by GL: places, distances, labels, points."""

from __future__ import annotations

import io

import cv2
import mujoco
import numpy as np
import pytest
from PIL import Image as PillowImage
from roqsim.errors import NotFoundError, PluginError, RoqsimError
from roqsim.mj import poses
from roqsim.presence import set_present
from roqsim.raycast import cast
from roqsim.testing import check_plugin, world
from roqsim_sensors.plugins.camera import Camera

pytestmark = pytest.mark.gl

SIZE = {"width": 160, "height": 120, "rate_hz": 50}

UP = {"position": [0, 0, 0.8]}


ASKEW = {"roll": 0.5, "pitch": 0.4, "yaw": 0.3}


def crate(name="crate", position=(2.0, 0.0, 0.8), size=0.4, turn=None):
    """A box that stays where it is."""
    entry = {"name": name, "size": [size] * 3, "pose": {"position": list(position), "orientation": turn or {}}}
    return {"boxes": {"instances": [entry], "motion": "static"}, "name": f"{name}s"}


@pytest.fixture
def room(world):
    """Opens the built-in room with components, and reads endpoints of what stands in the world."""

    def make(*components, sim=None, **options):
        engine = world({"sim": sim or {}, "components": list(components)}, **options)
        return engine, lambda name, owner="": engine.ctx.interface.get(owner, name).read()

    return make


def camera(name="cam", **config):
    """A camera in the middle of the room."""
    return {"camera": {**SIZE, "pose": UP, **config}, "name": name}


def test_a_depth_picture_agrees_with_rays(room):
    engine, read = room(crate(), camera(streams=["depth"]))
    depth = read("depth").data
    info = read("camera_info")
    v, u = np.mgrid[:120:7, :160:7]
    x, y = (u - info.k[0, 2]) / info.k[0, 0], (v - info.k[1, 2]) / info.k[1, 1]
    rays = np.stack((np.ones_like(x), -x, -y), axis=-1).reshape(-1, 3)
    true, _ = cast(engine.ctx.model, engine.ctx.data, np.array([0.0, 0.0, 0.8]), rays)
    true = true / np.linalg.norm(rays, axis=1)
    seen = np.isfinite(true)
    assert (np.isfinite(depth[::7, ::7].ravel()) == seen).all()
    error = np.abs(depth[::7, ::7].ravel()[seen] - true[seen])
    assert np.median(error) < 1e-5
    assert (error < 0.02).mean() > 0.97
    assert depth[60, 80] == pytest.approx(1.8, abs=1e-4)


def test_a_prop_far_away_changes_no_distance(room):
    _, read = room(crate(), crate("far", (400.0, 30.0, 1.0)), camera(streams=["depth"], clip_far=30.0))
    assert read("depth").data[60, 80] == pytest.approx(1.8, abs=1e-4)


def test_a_picture_larger_than_mujocos_own_buffer_works_beside_a_smaller_one(room):
    wide = camera("wide", width=1280, height=720)
    engine, read = room(wide, camera("small", width=32, height=24))
    buffer = engine.ctx.model.vis.global_
    assert (buffer.offwidth, buffer.offheight) == (1280, 720)
    assert read("image").data.shape == (720, 1280, 3)
    assert read("small_image").data.shape == (24, 32, 3)
    with mujoco.Renderer(engine.ctx.model, 720, 1280):
        pass  # whoever uses MuJoCo's renderer finds the room too


def test_a_moved_box_is_seen_where_it_is_without_a_step(room):
    engine, read = room(
        {"boxes": {"instances": [{"name": "crate", "size": [0.4] * 3, "pose": {"position": [2, 0, 0.8]}}]}},
        camera(streams=["depth", "colour"]),
    )
    before = read("image")
    assert read("depth").data[60, 80] == pytest.approx(1.8, abs=1e-4)

    def move(ctx):
        joint = ctx.model.joint(ctx.entities.require("crate").meta["base_joint"])
        ctx.data.qpos[joint.qposadr[0]] = 3.0

    engine.ctx.post(move)
    engine.idle()
    assert read("depth").data[60, 80] == pytest.approx(2.8, abs=1e-4)
    assert (read("image").data != before.data).any()


def test_what_is_absent_is_not_seen_and_what_appears_is_seen_in_the_same_tick(room):
    entry = {"name": "crate", "size": [0.4] * 3, "pose": {"position": [2, 0, 0.8]}, "motion": "static"}
    engine, read = room(
        {"boxes": {"instances": [entry]}, "name": "crates", "present": False},
        camera(streams=["depth", "segmentation"]),
    )
    assert read("depth").data[60, 80] == pytest.approx(5.0, abs=1e-4)
    assert read("segmentation").data[60, 80] == 0
    tick = engine.ctx.tick
    set_present(engine.ctx, "crate", True)
    assert read("depth").data[60, 80] == pytest.approx(1.8, abs=1e-4)
    labels = read("segmentation")
    assert labels.labels[int(labels.data[60, 80])] == "crate"
    assert engine.ctx.tick == tick


def corners(centre, size):
    """``(8, 3)`` the corners of a box that stands askew."""
    steps = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T
    R_WB = poses.to_matrix(poses.from_euler(*ASKEW.values()))
    return np.array(centre) + steps @ R_WB.T * size / 2.0


def optical(points, position=(0.0, 0.0, 0.8)):
    """World points in the optical frame of a camera that looks along x."""
    p = np.asarray(points, float) - position
    return np.column_stack((-p[:, 1], -p[:, 2], p[:, 0]))


@pytest.mark.parametrize(
    "optics",
    [
        {"fovy": 0.9},
        {"fx": 450.0, "fy": 360.0, "cx": 180.0, "cy": 225.0},
        {"fovy": 1.2, "distortion": [-0.28, 0.07, 0.002, -0.001]},
        {"fx": 330.0, "cx": 270.0, "distortion": [0.1, -0.05]},
    ],
    ids=["field of view", "off-centre", "barrel", "pincushion"],
)
def test_the_geometry_matches_the_picture(room, optics):
    balls = [(2.0, y, z) for y in (-0.6, 0.1, 0.5) for z in (0.4, 0.9, 1.2)]
    _, read = room(
        *(crate(f"b{i}", p, 0.12, ASKEW) for i, p in enumerate(balls)),
        camera(streams=["segmentation"], width=480, height=360, **optics),
    )
    labels, info = read("segmentation"), read("camera_info")
    assert info.stamp_ns == labels.stamp_ns
    errors = []
    for label, name in labels.labels.items():
        if not name.startswith("b"):
            continue
        rows, columns = np.nonzero(labels.data == label)
        if not rows.size or 0 in (rows.min(), columns.min()) or rows.max() == 359 or columns.max() == 479:
            continue
        solid = optical(corners(balls[int(name[1:])], 0.12))
        outline, _ = cv2.projectPoints(solid, np.zeros(3), np.zeros(3), info.k, info.d)
        moments = cv2.moments(cv2.convexHull(outline.astype(np.float32)))
        middle = np.array([moments["m10"], moments["m01"]]) / moments["m00"]
        errors.append([columns.mean(), rows.mean()] - middle)
    assert len(errors) >= 6
    assert np.abs(errors).max() < 0.5
    assert np.abs(np.mean(errors, axis=0)).max() < 0.1


def test_points_lie_on_what_is_seen(room):
    _, read = room(crate(), camera(streams=["points", "depth", "colour"], points={"colours": True}, clip_far=20.0))
    cloud, depth, image = read("points"), read("depth"), read("image")
    assert cloud.stamp_ns == depth.stamp_ns == image.stamp_ns
    assert (cloud.height, cloud.width, cloud.is_dense) == (120, 160, bool(np.isfinite(depth.data).all()))
    grid = cloud.points.reshape(120, 160, 3)
    assert grid[60, 80, 2] == pytest.approx(1.8, abs=1e-4)
    floor = grid[115, :, 1]  # y points down: the floor is as far below as the camera is above it
    assert np.allclose(floor, 0.8, atol=2e-3)
    assert (cloud.fields["rgb"].reshape(120, 160, 3) == image.data).all()


def test_labels_tell_entities_apart_also_where_one_carries_the_other(room):
    _, read = room(crate("left", (2.0, 0.5, 0.8)), crate("right", (2.0, -0.5, 0.8)), camera(streams=["segmentation"]))
    labels = read("segmentation")
    assert labels.labels[int(labels.data[60, 45])] == "left"
    assert labels.labels[int(labels.data[60, 115])] == "right"
    assert labels.data[60, 80] == 0
    assert labels.data[5, 5] == 0


def test_millimetres_are_rounded_and_nothing_is_zero(room):
    depth = {"format": "16UC1", "range_min": 0.9, "range_max": 4.0}
    _, read = room(crate(position=(2.0004, 0.0, 0.8)), camera(streams=["depth"], depth=depth))
    image = read("depth")
    assert (image.encoding, image.data.dtype) == ("16UC1", np.uint16)
    assert image.data[60, 80] == 1800
    assert image.data[30, 10] == 0  # the wall is beyond the range
    assert image.data.max() <= 4000


def test_a_jpeg_is_the_picture(room):
    _, read = room(crate(), camera(colour={"jpeg_quality": 95}))
    image, file = read("image"), read("image_compressed")
    shown = np.asarray(PillowImage.open(io.BytesIO(file.data))).astype(int)
    assert file.stamp_ns == image.stamp_ns
    assert np.abs(shown - image.data).mean() < 3.0


def test_two_optics_are_two_cameras_of_the_model_with_their_own_geometry(room):
    engine, read = room(
        crate(),
        camera(
            streams=["colour", "depth"],
            fovy=0.8,
            depth={"optics": {"width": 80, "height": 60, "fovy": 1.2}, "pose": {"position": [0, 0.3, 0]}},
        ),
    )
    assert {engine.ctx.model.camera(i).name for i in range(engine.ctx.model.ncam)} == {"cam", "cam.depth"}
    colour, depth = read("camera_info"), read("depth_camera_info")
    assert (colour.width, depth.width) == (160, 80)
    assert colour.frame_id == "cam_optical_frame"
    assert depth.frame_id == "cam_depth_optical_frame"
    assert colour.k[0, 0] != depth.k[0, 0]
    assert read("depth").data.shape == (60, 80)
    assert read("depth").data[30, 40] == pytest.approx(5.0, abs=1e-4)  # 0.3 m to the left of the crate's edge
    frames = {each.child_frame_id: each for each in read("cam_tf").transforms}
    assert frames["cam_depth_optical_frame"].position == pytest.approx((0.0, 0.3, 0.8))


def test_the_models_camera_sees_what_ours_does(room):
    engine, read = room(crate(), camera(fx=140.0, fy=120.0, cx=60.0, cy=75.0))
    model, data = engine.ctx.model, engine.ctx.data
    option = mujoco.MjvOption()
    option.sitegroup[:] = 0
    with mujoco.Renderer(model, 120, 160) as renderer:
        renderer.enable_segmentation_rendering()
        renderer.update_scene(data, "cam", option)
        theirs = renderer.render()[..., 0]
    stream = engine.ctx.render.open(
        "again",
        camera=model.camera("cam").id,
        size=(160, 120),
        intrinsics=(140.0, 120.0, 60.0, 75.0),
        clip=(0.05, 100.0),
    )
    with stream.fetch(("geoms",)) as lease:
        assert (lease.geoms == theirs).mean() > 0.995


BOT = """
<asset><texture name="red" type="2d" builtin="flat" rgb1="1 0 0" width="8" height="8"/></asset>
<worldbody><body name="base"><geom size=".05" group="3"/>
  <site name="optical" pos="0 0 .8" xyaxes="0 -1 0 0 0 -1"/>
  <camera name="own" pos="0 0 .8" xyaxes="0 -1 0 0 0 1" fovy="50"/>
  <body name="head" pos="0 0 .8" euler="0 0 180"><geom size=".05" group="3"/></body>
</body></worldbody>
"""


@pytest.mark.parametrize(
    ("place", "ahead"),
    [
        ({"pose": {"position": [0, 0, 0.8]}}, True),
        ({"site": "optical", "axes": "optical"}, True),
        ({"camera": "own"}, True),
        ({"body": "head", "pose": {"orientation": {"yaw": 3.14159265}}}, True),
        ({"body": "head"}, False),
    ],
)
def test_a_camera_sits_where_it_is_told(carrier, place, ahead):
    engine = carrier(BOT, {"camera": {**SIZE, "streams": ["depth"], **place}, "name": "cam"}, motion="static")
    depth = engine.ctx.interface.get("bot", "depth").read().data
    assert depth[60, 80] == pytest.approx(5.0, abs=1e-3)
    x, y = engine.ctx.data.cam_xmat[engine.ctx.model.camera("bot_own" if "camera" in place else "bot.cam").id][[2, 5]]
    assert x == pytest.approx(-1.0 if ahead else 1.0)
    assert abs(y) < 1e-6


def test_the_models_own_camera_brings_its_field_of_view(carrier):
    engine = carrier(BOT, {"camera": {**SIZE, "camera": "own"}, "name": "cam"}, motion="static")
    info = engine.ctx.interface.get("bot", "camera_info").read()
    assert info.k[1, 1] == pytest.approx(60.0 / np.tan(np.radians(25.0)))
    assert engine.ctx.model.ncam == 1


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"body": "haed"}, "bot.cam.body: expected the name of a body, got 'haed'; did you mean 'head'?"),
        ({"site": "opticl"}, "bot.cam.site: expected the name of a site, got 'opticl'; did you mean 'optical'?"),
        ({"camera": "won"}, "bot.cam.camera: expected the name of a camera, got 'won'; did you mean 'own'?"),
    ],
)
def test_a_place_that_is_not_there_is_named(carrier, place, message):
    with pytest.raises((NotFoundError, RoqsimError)) as caught:
        carrier(BOT, {"camera": {**SIZE, **place}, "name": "cam"})
    assert message in str(caught.value)


def test_a_camera_without_perspective_is_refused(carrier):
    mjcf = BOT.replace('fovy="50"', 'projection="orthographic"')
    with pytest.raises(RoqsimError, match="bot.cam.camera: expected a camera with a perspective projection"):
        carrier(mjcf, {"camera": {**SIZE, "camera": "own"}, "name": "cam"})


def test_two_cameras_of_one_name_are_refused(room):
    with pytest.raises(RoqsimError, match="cam"):
        room(camera(), camera())


def test_a_rate_above_the_physics_rate_is_refused(room):
    with pytest.raises(PluginError, match="expected a rate <= 500 Hz"):
        room(camera(rate_hz=5000))


def test_the_optical_frame_is_published_where_no_model_has_it(carrier):
    engine = carrier(BOT, {"camera": {**SIZE, "body": "head"}, "name": "cam"}, motion="static")
    transforms = engine.ctx.interface.get("bot", "cam_tf").read().transforms
    assert [(each.frame_id, each.child_frame_id) for each in transforms] == [("head", "cam_optical_frame")]
    assert transforms[0].quaternion == pytest.approx((0.5, -0.5, 0.5, -0.5))
    known = carrier(BOT, {"camera": {**SIZE, "site": "optical", "frame_id": "optical"}, "name": "cam"}, motion="static")
    assert "cam_tf" not in {endpoint.name for endpoint in known.ctx.interface.all()}


def test_a_camera_keeps_the_plugin_contract_with_real_pictures():
    streams = ["colour", "depth", "segmentation", "points"]
    config = {"width": 32, "height": 24, "rate_hz": 20, "pose": UP, "streams": streams, "depth_stddev": 0.01}
    falling = {"boxes": {"instances": [{"name": "crate", "size": [0.3] * 3, "pose": {"position": [2, 0, 1.2]}}]}}
    check_plugin(Camera, {"components": [falling, {"camera": config, "name": "cam"}]}, seconds=0.5)


def test_the_same_world_gives_the_same_picture_in_every_engine():
    document = {"components": [crate(), camera()]}
    pictures = []
    for _ in range(2):
        with world(document) as engine:
            engine.advance(10)
            pictures.append(engine.ctx.interface.get("", "image").read().data)
    assert (pictures[0] == pictures[1]).all()


def test_the_demonstration_world_shows_what_it_promises():
    with world("roqsim_sensors:camera_room") as engine:
        engine.advance(250)
        read = {
            name: engine.ctx.interface.get("", name).read() for name in ("image", "depth", "segmentation", "points")
        }
        assert len({payload.stamp_ns for payload in read.values()}) == 1
        labels = read["segmentation"]
        seen = {labels.labels[label] for label in np.unique(labels.data).tolist() if label}
        assert {"crate", "shelf", "bench", "column_east"} <= seen
        assert np.isfinite(read["points"].points).any()
        assert engine.ctx.interface.get("", "wide_image").read().data.std() > 10
