"""When a camera takes pictures, for whom, and of which state; drawn by a backend without GL."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from roqsim.errors import GLError, PluginError
from roqsim.presence import set_present
from roqsim.rendering import RenderService
from roqsim.rendering.fake import FakeBackend
from roqsim.testing import check_plugin, reset_audit
from roqsim_sensors.plugins.camera import Camera

SMALL = {"width": 16, "height": 12, "pose": {"position": [0, 0, 0.5]}, "rate_hz": 50}

ALL = ["colour", "depth", "segmentation", "points"]


def test_an_unwatched_camera_draws_nothing_and_starts_no_thread(rig):
    rig = rig(streams=ALL)
    rig.listen()
    rig.engine.advance(500)
    assert rig.backend.calls == []
    assert rig.ctx.render.statistics()["cam"] == {"captured": 0, "drawn": 0, "missed": {}, "bytes": 0}
    assert "roqsim-render" not in {thread.name for thread in threading.enumerate()}


def test_whoever_reads_gets_a_picture_of_the_current_state(rig):
    rig = rig()
    rig.engine.advance(7)
    image = rig.read()
    assert image.stamp_ns == 14_000_000
    assert (image.encoding, image.width, image.height, image.frame_id) == ("rgb8", 16, 12, "cam_optical_frame")
    assert (image.data == 1).all()
    assert not image.data.flags.writeable


def test_a_picture_is_held_until_the_next_one_is_due(rig):
    rig = rig()
    rig.engine.advance(10)
    first = rig.read()
    rig.engine.advance(9)
    assert rig.read() is first
    rig.engine.advance(1)
    assert rig.read().stamp_ns == 40_000_000
    assert rig.endpoint().counters.produced == 2


def test_a_change_between_two_steps_is_seen(rig):
    rig = rig()
    rig.engine.advance(10)
    first = rig.read()
    rig.ctx.post(lambda ctx: None)
    rig.engine.idle()
    assert rig.read() is not first


def test_all_streams_of_a_capture_share_state_and_stamp(rig):
    rig = rig(streams=ALL, colour={"jpeg_quality": 80})
    names = ["image", "image_compressed", "depth", "segmentation", "points", "camera_info"]
    rig.engine.advance(20)
    for _ in range(3):
        assert {rig.read(name).stamp_ns for name in names} == {rig.ctx.time_ns}
        rig.engine.advance(10)
    captured = rig.ctx.render.statistics()["cam"]["captured"]
    assert captured == 5 + 3  # each picture alone at first, then one capture a due tick for all of them


def test_the_geometry_has_the_stamp_of_the_picture_beside_it(rig):
    rig = rig()
    rig.engine.advance(13)
    image = rig.read()
    rig.engine.advance(3)
    assert rig.read("camera_info").stamp_ns == image.stamp_ns


def test_the_geometry_alone_draws_nothing(rig):
    rig = rig()
    rig.engine.advance(10)
    info = rig.read("camera_info")
    assert (info.width, info.height, info.stamp_ns) == (16, 12, 20_000_000)
    assert info.k[0, 0] == pytest.approx(6.0 / np.tan(np.pi / 8.0))
    assert rig.backend.calls == []


def test_only_what_is_listened_to_is_drawn(rig):
    rig = rig(streams=ALL)
    rig.listen("depth", "camera_info")
    rig.engine.advance(10)
    rig.settle()
    assert [call for call, _ in rig.backend.calls] == ["open", "load", "depth"]


def test_a_listener_gets_the_newest_finished_picture_and_nobody_waits(rig):
    rig = rig()
    rig.listen("image")
    rig.backend.gate.clear()
    rig.engine.advance(10)
    assert rig.read() is None
    rig.backend.gate.set()
    rig.settle()
    rig.engine.advance(1)
    assert rig.read().stamp_ns == 20_000_000


def test_pictures_are_dropped_and_counted_while_the_renderer_is_busy(rig):
    rig = rig(buffer=8)
    rig.listen("image")
    rig.backend.gate.clear()
    rig.engine.advance(50)
    rig.backend.gate.set()
    rig.settle()
    rig.engine.advance(10)
    rig.settle()
    rig.engine.advance(1)
    assert rig.read().stamp_ns == 120_000_000
    assert rig.endpoint().counters.dropped == {"renderer busy": 3}
    assert rig.ctx.tick == 61


def test_told_to_wait_no_picture_is_lost(rig):
    rig = rig(when_busy="wait")
    rig.listen("image")
    rig.engine.advance(200)
    rig.settle()
    rig.engine.advance(1)
    assert rig.ctx.render.statistics()["cam"]["drawn"] == 20
    assert rig.read().stamp_ns == 400_000_000
    assert rig.endpoint().counters.dropped == {}


def test_several_cameras_fire_on_the_same_tick_for_ever(rig):
    others = [{"camera": {**SMALL, "rate_hz": 20}, "name": f"cam{index}"} for index in range(3)]
    rig = rig(*others, rate_hz=20, sim={"timestep": 0.005}, when_busy="wait")
    stamps = {name: [] for name in ("image", *(f"cam{index}_image" for index in range(3)))}
    for step in range(400):
        rig.engine.step()
        if step == 37:  # a load of its own between two due ticks
            rig.endpoint("cam1_image").read()
        if rig.ctx.tick % 10 == 0:
            for name, seen in stamps.items():
                seen.append(rig.read(name).stamp_ns)
    assert len({tuple(seen) for seen in stamps.values()}) == 1
    assert stamps["image"] == [step * 50_000_000 for step in range(1, 41)]


def test_cameras_of_one_tick_share_one_snapshot(rig):
    others = [{"camera": SMALL, "name": f"cam{index}"} for index in range(3)]
    rig = rig(*others)
    rig.listen("image", "cam0_image", "cam1_image", "cam2_image")
    rig.backend.gate.clear()
    rig.engine.advance(10)
    assert rig.ctx.render.in_flight == 1
    rig.engine.advance(10)
    assert rig.ctx.render.in_flight == 2


def test_a_second_cameras_streams_begin_with_its_label(rig):
    rig = rig({"camera": SMALL, "name": "rear"})
    names = {endpoint.name for endpoint in rig.ctx.interface.by_direction("out")}
    assert {"image", "camera_info", "rear_image", "rear_camera_info"} <= names
    assert rig.endpoint("rear_image").backend["ros2"]["topic"] == "rear/image_raw"


def test_topics_can_be_chosen_and_a_wrong_name_is_refused(rig):
    chosen = rig(topics={"image": "/camera/color/image_raw"})
    assert chosen.endpoint().backend["ros2"]["topic"] == "/camera/color/image_raw"
    with pytest.raises(PluginError, match="cam.topics: expected the endpoint 'image' or 'camera_info', got 'picture'"):
        rig(topics={"picture": "x"})


def test_a_camera_goes_and_comes_with_its_carrier(carrier, monkeypatch):
    backend = FakeBackend()
    monkeypatch.setattr("roqsim.rendering.service._classic", lambda: backend)
    engine = carrier(
        "<worldbody><body name='base'><geom size='.1'/></body></worldbody>",
        {"camera": {**SMALL, "rate_hz": 50}, "name": "cam"},
        motion="static",
    )
    endpoint = engine.ctx.interface.get("bot", "image")
    assert endpoint.read() is not None
    set_present(engine.ctx, "bot", False)
    assert endpoint.read() is None
    endpoint.has_subscribers = True
    drawn = len(backend.calls)
    engine.advance(50)
    assert len(backend.calls) == drawn
    set_present(engine.ctx, "bot", True)
    endpoint.has_subscribers = None
    assert endpoint.read().stamp_ns == engine.ctx.time_ns


def test_a_reset_forgets_pictures_and_what_is_on_its_way(rig):
    rig = rig()
    rig.listen("image")
    rig.engine.advance(10)
    rig.settle()
    rig.engine.advance(1)
    assert rig.read() is not None
    rig.engine.advance(9)
    rig.engine.reset()
    rig.settle()
    assert rig.read() is None


def test_a_delay_holds_pictures_back(rig):
    rig = rig(delay=0.011)
    assert rig.read() is None
    rig.engine.advance(15)
    assert rig.read() is None  # taken at tick 10, to be seen from tick 16 on
    rig.engine.advance(1)
    assert rig.read().stamp_ns == 20_000_000
    rig.engine.advance(9)
    assert rig.read().stamp_ns == 20_000_000
    rig.engine.advance(1)
    assert rig.read().stamp_ns == 40_000_000


def test_lost_frames_are_counted_and_the_rest_arrives(rig):
    rig = rig(frame_loss_percent=40.0)
    stamps = set()
    for _ in range(100):
        rig.engine.advance(10)
        image = rig.read()
        stamps |= {image.stamp_ns} if image is not None else set()
    lost = rig.endpoint().counters.dropped["frame lost"]
    assert 25 < lost < 55
    assert len(stamps) == 100 - lost


def test_a_fault_degrades_the_picture_until_it_ends(rig):
    rig = rig(colour_stddev=0.0, fault={"colour_stddev": 20.0, "frame_loss_percent": 0})
    command = next(e for e in rig.ctx.interface.by_direction("in"))
    rig.engine.advance(10)
    assert rig.read().data.std() == 0.0
    command.write(True)
    rig.engine.advance(10)
    assert rig.read().data.std() > 5.0
    command.write(False)
    rig.engine.advance(10)
    assert rig.read().data.std() == 0.0


def test_noise_needs_a_seed_and_says_so(world, monkeypatch):
    from roqsim.config.world import load_config_from_dict
    from roqsim.engine import Engine

    monkeypatch.setattr("roqsim.rendering.service._classic", FakeBackend)
    document = {"components": [{"camera": {**SMALL, "colour_stddev": 3.0}, "name": "cam"}]}
    with Engine(load_config_from_dict(document)) as engine:
        engine.reset()
        with pytest.raises(Exception, match="seed"):
            engine.ctx.interface.get("", "image").read()


def test_two_runs_of_a_noisy_camera_are_equal_bit_for_bit(rig):
    options = {"streams": ALL, "colour_stddev": 5.0, "depth_stddev": 0.1, "depth_dropout_percent": 10.0}
    assert reset_audit(rig(seed=3, **options).engine, 0.3) == []


def test_a_camera_keeps_the_plugin_contract(monkeypatch):
    monkeypatch.setattr("roqsim.rendering.service._classic", FakeBackend)
    camera = {**SMALL, "streams": ALL, "colour": {"jpeg_quality": 50}, "depth_stddev": 0.01, "delay": 0.01}
    check_plugin(Camera, {"components": [{"camera": camera, "name": "cam"}]}, seconds=0.3)


def test_without_gl_a_watched_camera_ends_the_run_with_cause_and_status(rig):
    rig = rig(backend=FakeBackend(refuses="MUJOCO_GL: expected 'egl' to draw, got: no driver; install one"))
    rig.listen()
    rig.engine.advance(100)
    rig.listen("image")
    with pytest.raises((PluginError, GLError), match="no driver; install one") as caught:
        for _ in range(20):
            rig.engine.advance(10)
            with rig.ctx.render._changed:
                rig.ctx.render._changed.wait(0.05)
    assert caught.value.exit_status == 3


def test_whoever_reads_without_gl_is_told(rig):
    rig = rig(backend=FakeBackend(refuses="no GL here"))
    with pytest.raises(GLError, match="no GL here"):
        rig.read()


def test_a_plane_that_fails_leaves_the_others_alone(rig, caplog):
    rig = rig(streams=["colour", "depth"])
    rig.backend.broken = {"colour"}
    rig.engine.advance(10)
    assert rig.read() is None
    assert rig.read("depth") is not None
    assert rig.endpoint().counters.dropped == {"colour: RuntimeError: colour is broken": 1}
    assert "colour could not be drawn" in caplog.text


def test_somebody_elses_demand_is_served_at_the_next_due_tick(rig):
    rig = rig()
    stream = next(iter(rig.ctx.render._streams))
    stream.once({"colour"})
    rig.engine.advance(9)
    assert stream.latest() is None
    rig.engine.advance(11)
    rig.settle()
    with stream.latest() as lease:
        assert lease.stamp.tick == 10
    with stream.watch({"colour"}):
        rig.engine.advance(10)
        rig.settle()
        assert stream.latest().stamp.tick == 30
    rig.engine.advance(20)
    rig.settle()
    assert stream.latest().stamp.tick == 30


def test_a_controller_keeps_its_ticks_whatever_a_camera_costs(rig):
    tracker = {"roqsim.testing.tracker:HookTracker": {}, "name": "tracker"}
    rig = rig(tracker, sim={"timestep": 0.01}, rate_hz=100, when_busy="wait")
    rig.listen("image")
    rig.engine.advance(60)
    plugin = next(plugin for plugin in rig.engine.plugins if plugin.name == "tracker")
    assert [tick for hook, tick in plugin.calls if hook == "pre_step"] == list(range(60))


def test_the_service_of_the_engine_is_the_plugins(rig):
    rig = rig()
    assert isinstance(rig.ctx.render, RenderService)
    rig.read()
    rig.engine.shutdown()
    assert rig.backend.calls[-1][0] == "close"
