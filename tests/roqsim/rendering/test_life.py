from __future__ import annotations

import threading

import mujoco
import pytest
from roqsim.errors import StaleError
from roqsim.rendering import Pinhole, RenderService, TurnStatus, View
from roqsim.rendering.fake import FakeBackend
from roqsim.testing import world

LENS = Pinhole.from_fovy(16, 12, 1.0, 0.05, 20.0)


def capture(rig):
    """One capture of the rig's camera."""
    return rig.service.capture([(rig.stream, ("colour",), None)])[0]


def queue_two(rig):
    """A picture that is being drawn and one that waits behind it."""
    rig.backend.gate.clear()
    first = capture(rig)
    assert rig.backend.entered.wait(5.0)
    rig.source.changed()
    return first, capture(rig)


def test_closing_cancels_what_waits_and_finishes_what_is_drawn(rig):
    rig = rig(capacity=4)
    first, second = queue_two(rig)
    threading.Timer(0.1, rig.backend.gate.set).start()
    rig.service.close()
    assert (first.status, second.status) == (TurnStatus.DONE, TurnStatus.CANCELLED)
    assert second.reason == "service closed"
    assert rig.service.in_flight == 0
    assert "roqsim-render" not in {thread.name for thread in threading.enumerate()}


def test_who_waits_is_woken_by_the_close(rig):
    rig = rig(capacity=4)
    _, second = queue_two(rig)
    threading.Timer(0.1, rig.backend.gate.set).start()
    threading.Timer(0.05, rig.service.close).start()
    assert second.wait(5.0).status is TurnStatus.CANCELLED


def test_a_closed_service_takes_no_more_captures_and_closes_twice(rig):
    rig = rig()
    capture(rig).wait(5.0)
    rig.service.close()
    rig.service.close()
    assert capture(rig).status is TurnStatus.CANCELLED
    assert [call for call, _ in rig.backend.calls].count("close") == 1


def test_a_service_without_a_picture_closes_without_a_thread(rig):
    rig = rig()
    rig.service.close()
    assert rig.backend.calls == []


def test_an_old_lease_survives_a_reload(rig, still):
    rig = rig(capacity=1)
    lease = capture(rig).wait(5.0).lease
    generation = rig.service.reload(still())
    stream = rig.service.open_view(View("new", 0, Pinhole.from_fovy(16, 12, 1.0, 0.1, 9.0)), capacity=1)
    rig.backend._value = lambda plane, shot: 9
    rig.service.capture([(stream, ("colour",), None)])[0].wait(5.0)
    assert (lease.colour == 1).all()
    assert lease.generation < generation == stream.generation


def test_a_camera_of_before_a_reload_is_refused_and_named(rig, still):
    rig = rig()
    rig.service.reload(still())
    refusal = "^camera 'eye': expected one of frame generation 2, got one of frame generation 1; .* ctx.render$"
    for use in ("latest", "once", "watch", "fetch", "capture"):
        with pytest.raises(StaleError, match=refusal):
            capture(rig) if use == "capture" else getattr(rig.stream, use)()
    assert rig.stream.name == "eye"
    rig.stream.close()


def test_a_reload_cancels_what_waits_and_what_is_drawn(rig, still):
    rig = rig(capacity=4)
    developed = []
    rig.backend.gate.clear()
    first = rig.service.capture([(rig.stream, ("colour",), developed.append)])[0]
    assert rig.backend.entered.wait(5.0)
    rig.source.changed()
    second = capture(rig)
    threading.Timer(0.1, rig.backend.gate.set).start()
    rig.service.reload(still())
    assert (first.status, second.status) == (TurnStatus.CANCELLED, TurnStatus.CANCELLED)
    assert first.reason == second.wait(5.0).reason == "the model was replaced"
    assert developed == [] and second.lease is None


def test_a_service_that_was_quieted_takes_no_captures_until_it_has_another_model(rig, still):
    rig = rig()
    rig.service.quiesce("the world ends")
    assert (capture(rig).status, capture(rig).reason) == (TurnStatus.CANCELLED, "the world ends")
    rig.service.reload(still())
    stream = rig.service.open_view(View("eye", 0, LENS))
    assert rig.service.capture([(stream, ("colour",), None)])[0].wait(5.0).status is TurnStatus.DONE


def test_a_reload_loads_the_new_model(rig, still):
    rig = rig()
    capture(rig).wait(5.0)
    source = still()
    rig.service.reload(source)
    stream = rig.service.open_view(View("eye", 0, LENS))
    rig.service.capture([(stream, ("colour",), None)])[0].wait(5.0)
    assert [model for model, _ in rig.backend.loads] == [rig.source.model, source.model]


def test_a_closed_camera_takes_its_waiting_pictures_along(rig):
    rig = rig(capacity=4)
    first, second = queue_two(rig)
    rig.stream.close()
    rig.backend.gate.set()
    assert first.wait(5.0).status is TurnStatus.DONE
    assert second.status is TurnStatus.CANCELLED


def test_the_engine_makes_the_service_at_its_first_use_and_closes_it():
    engine = world("sim: {world: empty_room}\n")
    backend = FakeBackend()
    service = engine.ctx.render
    assert isinstance(service, RenderService)
    assert engine.ctx.render is service
    engine.ctx.render = other = RenderService(engine.ctx, backend=backend)
    other.prepare(5.0)
    engine.shutdown()
    assert backend.calls[-1][0] == "close"


def test_an_engine_whose_pictures_nobody_asked_for_has_no_service():
    with world("sim: {world: empty_room}\n") as engine:
        engine.advance(10)
        assert engine.ctx._render is None


def test_the_stamp_of_a_picture_is_that_of_its_state():
    with world("sim: {world: empty_room}\n") as engine:
        engine.ctx.render = RenderService(engine.ctx, backend=FakeBackend())
        stream = engine.ctx.render.open_view(View("free", mujoco.MjvCamera(), LENS))
        engine.advance(25)
        turn = engine.ctx.render.capture([(stream, ("colour",), None)])[0]
        engine.advance(10)
        lease = turn.wait(5.0).lease
        assert (lease.stamp.tick, lease.stamp.time_ns) == (25, 50_000_000)
        assert lease.stamp.episode == engine.ctx.episode
        lease.release()


def test_a_bridges_thread_is_served_while_the_simulation_is_paused():
    with world("sim: {world: empty_room}\n") as engine:
        engine.ctx.render = RenderService(engine.ctx, backend=FakeBackend())
        stream = engine.ctx.render.open_view(View("free", mujoco.MjvCamera(), LENS))
        engine.advance(3)
        found = []
        thread = threading.Thread(target=lambda: found.append(stream.fetch(("colour",), 5.0)))
        thread.start()
        while thread.is_alive():
            engine.idle()
            thread.join(0.001)
        assert found[0].stamp.tick == 3
        found[0].release()
