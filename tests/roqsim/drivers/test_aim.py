"""A camera that goes along with an entity, and one that turns with it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from roqsim.config.sim import View
from roqsim.drivers.pictures.aim import FixedAim, FreeAim, aim_of
from roqsim.drivers.pictures.order import Order
from roqsim.errors import RoqsimError
from roqsim.mj.poses import from_euler

from roqsim import Engine, load_config_from_dict

CRATE = {
    "name": "crate",
    "size": [0.4, 0.2, 0.2],
    "pose": {"position": [1.0, 2.0, 0.1], "orientation": {"yaw": math.pi / 2}},
}
WORLD = {"sim": {"timestep": 0.002}, "components": [{"boxes": {"instances": [CRATE]}}]}


@pytest.fixture
def ctx():
    """A world with a crate that looks along y."""
    with Engine(load_config_from_dict(WORLD), preview=True) as engine:
        engine.reset()
        yield engine.ctx


def put(ctx, position, yaw):
    """Places the crate."""
    ctx.data.qpos[:7] = [*position, *from_euler(0.0, 0.0, yaw)]
    ctx.state_changed()


def seen(aim):
    """Where a free camera looks: its point and its azimuth."""
    return np.array(aim.camera.lookat), aim.camera.azimuth % 360.0


def test_a_tracking_camera_keeps_its_angle_and_its_distance_to_the_entity(ctx):
    aim = aim_of(ctx, Order(Path("out.png")), View(track="crate", azimuth=30.0))
    before, _ = seen(aim)
    np.testing.assert_allclose(before, [1.0, 2.0, 0.1], atol=0.05)
    put(ctx, (4.0, 0.0, 0.1), 0.0)
    aim.follow()
    after, azimuth = seen(aim)
    np.testing.assert_allclose(after - before, [3.0, -2.0, 0.0], atol=1e-6)
    assert azimuth == pytest.approx(30.0)


def test_a_camera_that_turns_along_counts_its_azimuth_from_the_heading(ctx):
    aim = aim_of(
        ctx, Order(Path("out.png")), View(track="crate", follow_heading=True, azimuth=10.0, lookat=(1.0, 3.0, 0))
    )
    assert seen(aim)[1] == pytest.approx(100.0)
    assert aim.words()["azimuth"] == pytest.approx(10.0)
    assert aim.words()["follow_heading"] is True
    put(ctx, (0.0, 0.0, 0.1), math.pi)
    aim.follow()
    lookat, azimuth = seen(aim)
    assert azimuth == pytest.approx(190.0)
    # The point one metre ahead of the crate stays one metre ahead of it.
    np.testing.assert_allclose(lookat, [-1.0, 0.0, 0.0], atol=1e-6)


def test_the_reported_words_give_the_same_camera(ctx):
    order = Order(Path("out.png"))
    first = aim_of(ctx, order, View(track="crate", follow_heading=True))
    words = first.words()
    again = aim_of(ctx, order, View(**{**words, "lookat": tuple(words["lookat"])}))
    assert again.words() == words
    assert np.array_equal(seen(first)[0], seen(again)[0])
    assert seen(first)[1] == seen(again)[1]


def test_an_entity_in_focus_shows_its_front(ctx):
    aim = aim_of(ctx, Order(Path("out.png"), focus=("crate",)), View(azimuth=0.0, distance=50.0))
    assert isinstance(aim, FreeAim)
    assert aim.words()["azimuth"] == pytest.approx(90.0 + 140.0)
    assert aim.distance < 5.0


def through(tmp_path, camera, width=640, height=480):
    """The optics of a picture through a camera of these attributes."""
    body = f"<geom size='1'/><camera name='eye' pos='0 0 1' {camera}/>"
    (tmp_path / "eye.xml").write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    config = load_config_from_dict({"sim": {"world": "eye.xml"}, "components": []}, tmp_path)
    with Engine(config, preview=True) as engine:
        aim = aim_of(engine.ctx, Order(Path("out.png"), camera="eye"), None)
        assert isinstance(aim, FixedAim)
        assert aim.words() is None
        return aim.lens(width, height)


def test_a_camera_with_a_sensor_has_the_field_of_view_of_its_focal_length(tmp_path):
    lens = through(tmp_path, "resolution='640 480' sensorsize='.004 .003' focal='.006 .006'")
    assert (lens.slopes[3] - lens.slopes[2]) / 2.0 == pytest.approx(0.0015 / 0.006)


def test_a_camera_looks_past_the_middle_of_its_picture_where_its_sensor_is_off_the_axis(tmp_path):
    lens = through(tmp_path, "resolution='64 48' sensorsize='.64 .48' focalpixel='50 50' principalpixel='10 -5'")
    # MuJoCo's offset counts from the axis to the middle of the sensor, ours is the axis' place in the picture.
    assert (lens.fx, lens.fy) == pytest.approx((500.0, 500.0))
    assert (lens.cx, lens.cy) == pytest.approx((319.5 - 100.0, 239.5 + 50.0))


def test_a_camera_that_projects_in_parallel_is_refused(tmp_path):
    with pytest.raises(RoqsimError, match="--camera: expected a camera with a perspective projection, got 'eye'"):
        through(tmp_path, "projection='orthographic' fovy='2'")


def test_whoever_asks_for_an_entity_to_be_tracked_sees_it_wherever_the_world_looks(ctx):
    view = View(track="crate", lookat=(50.0, 0.0, 0.0), distance=3.0)
    assert aim_of(ctx, Order(Path("out.png")), view).words()["lookat"] == [50.0, 0.0, 0.0]
    found = aim_of(ctx, Order(Path("out.png"), viewed=frozenset({"track"})), view).words()
    crate = ctx.data.body("crate").xpos
    assert np.linalg.norm(np.array(found["lookat"]) - crate) < 0.5
    asked = Order(Path("out.png"), viewed=frozenset({"track", "distance"}))
    assert aim_of(ctx, asked, view).words()["distance"] == 3.0
