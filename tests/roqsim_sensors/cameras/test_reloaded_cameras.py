"""Cameras of a world that an engine leaves, and of the one that it goes over to."""

from __future__ import annotations

import resource
import sys
import threading

import numpy as np
import pytest
from roqsim.errors import StaleError
from roqsim.rendering import TurnStatus

from roqsim import Engine, load_config, load_config_from_dict

CAMERA = {"width": 16, "height": 12, "pose": {"position": [0, 0, 0.5]}, "rate_hz": 50}


def cameras(*names, **settings):
    """A world with some cameras."""
    entries = [{"camera": {**CAMERA, **settings}, "name": name} for name in names]
    return load_config_from_dict({"sim": {"timestep": 0.002, "world": "empty_room", "seed": 1}, "components": entries})


def streams(rig):
    """The cameras of the render service by name."""
    return {stream.name.rpartition(".")[2]: stream for stream in rig.engine.ctx.render._streams}


def test_a_world_with_other_cameras_draws_its_own(rig):
    rig = rig()
    rig.listen("image")
    rig.engine.advance(11)
    service = rig.ctx.render
    rig.engine.reload(cameras("left", "right", width=32, height=20))
    rig.ctx = rig.engine.ctx
    assert rig.ctx.render is service
    assert rig.engine.generations().frames.number == 2
    for end in rig.ctx.interface.by_direction("out"):
        end.has_subscribers = True
    rig.engine.advance(25)
    rig.settle()
    rig.engine.advance(1)
    found = [end.read() for end in rig.ctx.interface.by_direction("out") if end.path.endswith("image")]
    assert {image.data.shape for image in found} == {(20, 32, 3)}
    assert service.device is not None and [call for call, _ in rig.backend.calls].count("open") == 1
    assert rig.backend.loads[-1][0] is rig.ctx.model


def test_a_lease_stays_readable_and_a_camera_is_refused(rig):
    rig = rig(width=16, height=12)
    (stream,) = streams(rig).values()
    turn = rig.ctx.render.capture([(stream, ("colour",), None)])[0]
    lease = turn.wait(5.0).lease
    rig.backend._value = lambda plane, shot: 9
    rig.engine.reload(cameras("other"))
    rig.ctx = rig.engine.ctx
    (new,) = streams(rig).values()
    with new.service.capture([(new, ("colour",), None)])[0].wait(5.0).lease as picture:
        assert (picture.colour == 9).all()
        assert lease.generation < picture.generation
    assert (lease.colour == 1).all() and lease.is_held
    lease.release()
    for use in ("latest", "watch", "once", "fetch"):
        with pytest.raises(StaleError, match="expected one of frame generation 2, got one of frame generation 1"):
            getattr(stream, use)()
    with pytest.raises(StaleError, match="open it again with ctx.render"):
        new.service.capture([(stream, ("colour",), None)])


def test_a_queued_picture_of_the_old_world_is_cancelled_and_not_delivered(rig):
    rig = rig()
    (stream,) = streams(rig).values()
    delivered = []
    rig.backend.gate.clear()
    first = rig.ctx.render.capture([(stream, ("colour",), delivered.append)])[0]
    assert rig.backend.entered.wait(5.0)
    rig.engine.step()
    second = rig.ctx.render.capture([(stream, ("colour",), delivered.append)])[0]
    threading.Timer(0.1, rig.backend.gate.set).start()
    rig.engine.reload(cameras("other"))
    assert (first.status, second.status) == (TurnStatus.CANCELLED, TurnStatus.CANCELLED)
    assert first.reason == second.wait(5.0).reason == "the world was reloaded"
    assert delivered == []


def test_somebody_who_waits_for_a_picture_is_told(rig):
    rig = rig()
    (stream,) = streams(rig).values()
    told = []

    def ask():
        try:
            stream.fetch(("colour",), 30.0)
        except StaleError as error:
            told.append(str(error))

    asker = threading.Thread(target=ask)
    asker.start()
    while not rig.ctx.commands.pending:
        pass
    rig.engine.reload(cameras("other"))
    asker.join()
    assert told[0].startswith("command: expected to run in model generation 1, got model generation 2")


def test_a_world_without_cameras_leaves_the_renderer_to_the_next(rig):
    rig = rig()
    service = rig.ctx.render
    rig.engine.reload(cameras())
    assert service._streams == [] and service.generation.number == 2
    rig.engine.reload(cameras("again"))
    assert rig.engine.ctx.render is service and len(service._streams) == 1
    rig.engine.shutdown()
    assert not service._is_open


def test_a_renderer_that_failed_is_given_up_with_its_world(rig):
    rig = rig()
    service = rig.ctx.render
    rig.backend.is_lost = True
    (stream,) = streams(rig).values()
    service.capture([(stream, ("colour",), None)])[0]
    while not service.failure:
        pass
    rig.backend.is_lost = False
    rig.engine.reload(cameras("other"))
    new = rig.engine.ctx.render
    assert new is not service and not new.failure
    (stream,) = streams(rig).values()
    assert new.capture([(stream, ("colour",), None)])[0].wait(5.0).status is TurnStatus.DONE


@pytest.mark.gl
def test_pictures_of_a_reloaded_world_are_those_of_a_new_engine():
    from roqsim.testing import world

    def picture(engine):
        engine.advance(100)
        (front, *_) = engine.ctx.render._streams
        with front.fetch(("colour", "depth"), 60.0) as lease:
            return lease.colour.copy(), lease.depth.copy()

    with world("roqsim_sensors:depth_cameras", seed=1) as engine:
        picture(engine)
        engine.reload(load_config("roqsim_sensors:camera_room"), seed=1)
        colour, depth = picture(engine)
    with world("roqsim_sensors:camera_room", seed=1) as fresh:
        expected, distance = picture(fresh)
    assert colour.std() > 5.0
    assert np.array_equal(colour, expected) and np.array_equal(depth, distance)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes there")
def test_a_hundred_reloads_leave_memory_flat(rig):
    rig = rig()
    config = load_config("roqsim_sensors:lidar_room")
    worlds = [cameras("a", width=320, height=240), config]
    engine = rig.engine

    def go_over(times):
        for number in range(times):
            engine.reload(worlds[number % 2], seed=1)
            engine.advance(50)

    go_over(20)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    threads = threading.active_count()
    go_over(100)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 5 * 1024
    assert threading.active_count() == threads
    assert isinstance(engine, Engine) and engine.generations().model.number == 121
