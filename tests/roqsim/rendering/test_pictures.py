"""What the classic backend draws, against rays, closed forms and MuJoCo's own renderer."""

from __future__ import annotations

import threading

import mujoco
import numpy as np
import pytest
from roqsim.errors import GLError
from roqsim.rendering import Pinhole, Quality, RenderService, SceneOptions, StillSource, View

pytestmark = pytest.mark.gl

SCENE = """
<mujoco>
  <visual><map znear="{znear}"/></visual>
  <asset>
    <texture name="sky" type="skybox" builtin="gradient" rgb1=".3 .5 .7" rgb2="1 1 1" width="32" height="32"/>
    <texture name="checker" type="2d" builtin="checker" width="32" height="32" rgb1="1 1 1" rgb2=".2 .2 .2"/>
    <material name="floor" texture="checker" texrepeat="8 8" reflectance=".3"/>
  </asset>
  <worldbody>
    <light pos="0 0 4" dir="0 0 -1"/>
    <geom name="floor" type="plane" size="8 8 .1" material="floor"/>
    <geom name="ball" size=".1" pos="1 0 1" rgba="1 0 0 1"/>
    <geom name="box" type="box" size=".3 .3 .3" pos="3 .8 .6" euler="10 20 30" rgba="0 1 0 1"/>
    <geom name="glass" type="box" size=".1 .1 .1" pos="1.5 .5 1" rgba="0 0 1 .4"/>
    <geom name="wall" type="box" size=".1 9 3" pos="{wall} 0 0" rgba=".7 .7 .6 1"/>
    <geom name="hull" size=".5" pos="2 -1 1" group="3"/>
    <site name="mark" pos="1 -.2 1" size=".1"/>
    {more}
    <camera name="eye" pos="0 0 1" xyaxes="0 -1 0 0 0 1" fovy="60"/>
    <camera name="tilted" pos=".5 2 1.8" xyaxes=".6 .8 0 -.2 .15 1" fovy="75"/>
  </worldbody>
</mujoco>
"""

LENS = Pinhole.from_fovy(160, 120, np.radians(60.0), 0.05, 20.0)


def source(more="", wall=6.0, znear=0.01):
    """The scene with further elements."""
    model = mujoco.MjModel.from_xml_string(SCENE.format(more=more, wall=wall, znear=znear))
    return StillSource(model, mujoco.MjData(model))


@pytest.fixture
def draw():
    """Draws planes of a view of a scene."""
    services = {}

    def drawn(scene, *planes, camera=0, lens=LENS, **view):
        if scene not in services:
            services[scene] = RenderService(scene)
        stream = services[scene].open_view(View("eye", camera, lens, **view))
        with stream.fetch(planes or ("colour",)) as lease:
            found = [np.array(getattr(lease, plane)) for plane in planes or ("colour",)]
        stream.close()
        return found[0] if len(found) == 1 else found

    yield drawn
    for service in services.values():
        service.close()


def rays_of(lens):
    """``(h * w, 3)`` unit directions through the pixels of ``eye`` in the world, and the lengths at depth one."""
    x, y = np.meshgrid((np.arange(lens.width) - lens.cx) / lens.fx, (np.arange(lens.height) - lens.cy) / lens.fy)
    rays = np.stack((np.ones_like(x), -x, -y), axis=-1).reshape(-1, 3)
    lengths = np.linalg.norm(rays, axis=1)
    return rays / lengths[:, None], lengths


def cast(scene, lens, groups=(1, 1, 1, 0, 0, 0)):
    """Depths and geoms by ray, for the pixels of ``eye``."""
    rays, lengths = rays_of(lens)
    count = len(rays)
    distances, geoms = np.empty(count), np.empty(count, np.int32)
    mask = np.array(groups, np.uint8)
    start = np.array([0.0, 0.0, 1.0])
    mujoco.mj_multiRay(scene.model, scene.data, start, rays.ravel(), mask, 1, -1, geoms, distances, None, count, 1e9)
    depth = np.where(geoms >= 0, distances / lengths, np.inf)
    shape = (lens.height, lens.width)
    return depth.reshape(shape), geoms.reshape(shape)


@pytest.mark.parametrize(
    "lens",
    [
        LENS,
        Pinhole(160, 120, 90.0, 130.0, 40.0, 80.0, 0.05, 20.0),
        Pinhole.from_fovy(97, 33, 0.8, 0.3, 5.0),
        Pinhole.from_fovy(160, 120, 1.2, 0.001, 500.0),
    ],
    ids=["plain", "off-centre", "short", "long"],
)
def test_depths_agree_with_rays(draw, lens):
    scene = source()
    depth = draw(scene, "depth", lens=lens)
    true, _ = cast(scene, lens)
    true[true > lens.far] = np.inf
    seen = np.isfinite(true) & np.isfinite(depth)
    assert (np.isfinite(true) == np.isfinite(depth)).mean() > 0.99
    error = np.abs(depth[seen] - true[seen]) / true[seen]
    # Curved surfaces are drawn as facets, and rays and pixels part at edges: neither touches the median.
    assert np.median(error) < max(2e-6, 2e-8 / lens.near)
    assert (error < 5e-3).mean() > 0.97


def test_geoms_agree_with_rays(draw):
    scene = source()
    geoms = draw(scene, "geoms")
    _, true = cast(scene, LENS)
    assert (geoms == true).mean() > 0.98
    assert set(np.unique(geoms)) == set(np.unique(true))


def test_the_clip_range_is_in_metres_whatever_the_worlds_extent(draw):
    far_away = '<geom size="1" pos="400 60 0"/>'
    ball = (60, 80)
    for scene in (source(), source(far_away), source(far_away, znear=0.5)):
        depth = draw(scene, "depth")
        assert depth[ball] == pytest.approx(0.9, abs=2e-3)
    assert scene.model.vis.map.znear * scene.model.stat.extent > 100.0


def test_nothing_is_measured_before_or_behind_the_clip_range(draw):
    scene = source()
    depth = draw(scene, "depth", lens=Pinhole.from_fovy(160, 120, np.radians(60.0), 2.0, 5.0))
    seen = depth[np.isfinite(depth)]
    assert seen.min() >= 2.0
    assert seen.max() <= 5.0
    assert np.isinf(depth[30, 80])  # the wall is six metres away


def test_the_sky_hides_nothing_within_the_clip_range(draw):
    lens = Pinhole.from_fovy(160, 120, 1.4, 0.05, 6.5)
    scene = source()
    colour, geoms = draw(scene, "colour", "geoms", lens=lens)
    wall = geoms == scene.model.geom("wall").id
    assert wall[40:50, [2, 157]].all()
    red, blue = colour[..., 0].astype(int), colour[..., 2].astype(int)
    assert (red[wall] > blue[wall]).mean() > 0.99  # the wall is warm, the sky is blue


def test_depth_does_not_depend_on_what_else_is_drawn(draw):
    scene = source()
    alone = draw(scene, "depth")
    _, beside, _ = draw(scene, "colour", "depth", "geoms")
    _, smooth = draw(scene, "colour", "depth", quality=Quality(shadows=True, samples=4, reflections=True))
    assert (alone == beside).all()
    assert (alone == smooth).all()


def test_glass_is_measured_and_labelled(draw):
    scene = source()
    depth, geoms = draw(scene, "depth", "geoms")
    glass = geoms == scene.model.geom("glass").id
    assert glass.any()
    assert depth[glass].min() == pytest.approx(1.4, abs=1e-3)


def test_pictures_agree_with_mujocos_own_renderer(draw):
    scene = source()
    own = scene.model.vis
    own.quality.offsamples = own.quality.shadowsize = 0
    near, far = own.map.znear * scene.model.stat.extent, own.map.zfar * scene.model.stat.extent
    for name in ("eye", "tilted"):
        camera = scene.model.camera(name).id
        fovy = np.radians(scene.model.cam_fovy[camera])
        ours = draw(scene, camera=camera, lens=Pinhole.from_fovy(160, 120, fovy, near, far))
        theirs = []

        def render(camera=camera, theirs=theirs):
            option = mujoco.MjvOption()
            option.sitegroup[:] = 0
            with mujoco.Renderer(scene.model, 120, 160) as renderer:
                renderer.update_scene(scene.data, camera, option)
                renderer.scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = 0
                theirs.append(renderer.render())

        thread = threading.Thread(target=render)
        thread.start()
        thread.join()
        difference = np.abs(ours.astype(int) - theirs[0].astype(int))
        assert (difference.max(axis=-1) > 8).mean() < 0.003


def test_two_cameras_of_one_state_each_have_their_own_light_and_place():
    scene = source()
    with RenderService(scene) as service:
        views = [View("one", 0, LENS), View("two", 1, Pinhole.from_fovy(80, 60, 1.3, 0.05, 20.0))]
        streams = [service.open_view(view) for view in views]
        turns = service.capture([(stream, ("colour",), None) for stream in streams])
        together = [np.array(turn.wait(30.0).lease.colour) for turn in turns]
        alone = []
        for stream in streams:
            scene.changed()
            with stream.fetch() as lease:
                alone.append(np.array(lease.colour))
    assert all((a == b).all() for a, b in zip(together, alone, strict=True))


def test_repeats_are_identical_bit_for_bit(draw):
    first = draw(source(), "colour", "depth", "geoms")
    second = draw(source(), "colour", "depth", "geoms")
    assert all((a == b).all() for a, b in zip(first, second, strict=True))


def test_collision_geometry_and_markers_are_not_drawn_unless_asked_for(draw):
    scene = source()
    hull = scene.model.geom("hull").id
    plain = draw(scene, "geoms")
    assert not (plain == hull).any()
    assert (draw(scene, "geoms", options=SceneOptions(groups=(0, 3))) == hull).any()
    marked = draw(scene, options=SceneOptions(decor=True))
    assert (marked != draw(scene)).any()


def test_what_is_absent_is_not_drawn_even_where_its_group_is_asked_for(draw):
    scene = source()
    ball = scene.model.geom("ball").id
    scene.model.geom_group[ball] = 5
    assert not (draw(scene, "geoms", options=SceneOptions(groups=tuple(range(6)))) == ball).any()


def test_pixels_are_where_the_intrinsics_say(draw):
    rng = np.random.default_rng(3)
    lens = Pinhole(320, 240, 210.0, 190.0, 120.0, 140.0, 0.05, 50.0)
    x, y = rng.uniform(-0.4, 0.7, 12), rng.uniform(-0.5, 0.4, 12)
    depth = rng.uniform(1.0, 6.0, 12)
    balls = "".join(
        f'<geom name="b{i}" size="{0.02 * d}" pos="{d} {-d * u} {1 - d * v}" group="1"/>'
        for i, (u, v, d) in enumerate(zip(x, y, depth, strict=True))
    )
    scene = source(balls)
    scene.model.geom_group[scene.model.geom_group == 0] = 3
    geoms = draw(scene, "geoms", lens=lens)
    for i, (u, v) in enumerate(zip(x, y, strict=True)):
        rows, columns = np.nonzero(geoms == scene.model.geom(f"b{i}").id)
        if rows.size > 20:
            assert columns.mean() == pytest.approx(lens.fx * u + lens.cx, abs=0.5)
            assert rows.mean() == pytest.approx(lens.fy * v + lens.cy, abs=0.5)


def test_shadows_reflections_and_samples_show(draw):
    scene = source()
    plain = draw(scene).astype(int)
    for quality in (Quality(shadows=True), Quality(reflections=True), Quality(samples=4)):
        assert np.abs(draw(scene, quality=quality).astype(int) - plain).max() > 10


def test_a_picture_larger_than_mujocos_buffer_is_drawn(draw):
    scene = source()
    assert scene.model.vis.global_.offwidth < 1280
    lens = Pinhole.from_fovy(1280, 720, 1.0, 0.05, 20.0)
    assert draw(scene, lens=lens).shape == (720, 1280, 3)
    assert draw(scene).shape == (120, 160, 3)
    assert scene.model.vis.global_.offwidth == 640  # the model is as it was


def test_a_picture_that_no_driver_can_draw_is_refused(draw):
    with pytest.raises(GLError):
        draw(source(), lens=Pinhole.from_fovy(60_000, 60_000, 1.0, 0.05, 20.0))
