from __future__ import annotations

import threading
import time

import pytest
from roqsim.errors import GLError, RoqsimError
from roqsim.rendering import Quality, TurnStatus
from roqsim.rendering.fake import FakeBackend


def capture(rig, planes=("colour",), develop=None, **options):
    """One capture of the rig's camera."""
    return rig.service.capture([(rig.stream, planes, develop)], **options)[0]


def test_a_failing_plane_does_not_suppress_the_later_ones(rig, caplog):
    rig = rig()
    rig.backend.broken = {"colour"}
    turn = capture(rig, ("colour", "depth", "geoms")).wait(5.0)
    assert turn.status is TurnStatus.DONE
    with turn.lease as lease:
        assert lease.planes == {"depth", "geoms"}
        assert lease.failed == {"colour": "RuntimeError: colour is broken"}
    assert "eye: colour could not be drawn" in caplog.text
    rig.backend.broken = set()
    assert capture(rig).wait(5.0).status is TurnStatus.DONE


def test_a_picture_without_any_plane_is_missed_and_its_memory_is_free_again(rig):
    rig = rig(capacity=1)
    rig.backend.broken = {"colour"}
    for _ in range(3):
        turn = capture(rig).wait(5.0)
        assert (turn.status, turn.reason) == (TurnStatus.MISSED, "colour: RuntimeError: colour is broken")
    assert rig.service.in_flight == 0
    assert rig.service.failure == ""


def test_what_fails_while_developing_is_missed_and_the_next_one_is_not(rig, caplog):
    rig = rig(capacity=1)
    turn = capture(rig, develop=lambda picture: 1 / 0).wait(5.0)
    assert turn.status is TurnStatus.MISSED
    assert turn.reason.startswith("ZeroDivisionError")
    assert capture(rig, develop=lambda picture: 7).wait(5.0).result == 7


def test_a_lost_context_ends_everything_and_is_named(rig):
    rig = rig()
    capture(rig).wait(5.0).lease.release()
    rig.backend.is_lost = True
    with pytest.raises(GLError, match="the fake context is lost"):
        capture(rig).wait(5.0)
    with pytest.raises(GLError, match="the fake context is lost"):
        capture(rig)
    assert "the fake context is lost" in rig.service.failure
    assert rig.service.in_flight == 0
    rig.service.close()
    assert rig.backend.calls[-1][0] == "close"


def test_pictures_of_before_outlive_a_lost_context(rig):
    rig = rig()
    lease = capture(rig).wait(5.0).lease
    rig.backend.is_lost = True
    with pytest.raises(GLError):
        capture(rig).wait(5.0)
    assert (lease.colour == 1).all()


def test_what_waits_behind_a_lost_context_fails_too(rig):
    rig = rig(capacity=4)
    rig.backend.gate.clear()
    turns = [capture(rig)]
    rig.source.changed()
    turns.append(capture(rig))
    rig.backend.is_lost = True
    rig.backend.gate.set()
    for turn in turns:
        with pytest.raises(GLError):
            turn.wait(5.0)
    assert {turn.status for turn in turns} == {TurnStatus.FAILED}


def test_no_usable_gl_is_told_to_everybody_who_asks(rig):
    rig = rig(backend=FakeBackend(refuses="MUJOCO_GL: expected 'egl' to draw, got: no driver; install one"))
    with pytest.raises(GLError, match="no driver; install one"):
        rig.service.prepare(5.0)
    with pytest.raises(GLError, match="no driver; install one"):
        capture(rig)


def test_without_gl_a_picture_that_is_on_its_way_fails(rig):
    rig = rig(backend=FakeBackend(refuses="no GL"))
    with pytest.raises(GLError, match="no GL"):
        capture(rig).wait(5.0)


def test_a_crash_of_the_backend_is_told_and_not_swallowed(rig):
    class Crash(FakeBackend):
        def load(self, model, needs):
            raise MemoryError("no room for the buffer")

    rig = rig(backend=Crash())
    with pytest.raises(GLError, match="MemoryError: no room for the buffer"):
        capture(rig).wait(5.0)


def test_software_is_refused_only_where_a_card_was_asked_for(rig):
    with pytest.raises(GLError, match=r"eye: expected a graphics card, as quality.gpu asks, got llvmpipe \(fake\)"):
        capture(rig(quality=Quality(gpu=True))).wait(5.0)
    card = rig(quality=Quality(gpu=True), backend=FakeBackend(renderer="NVIDIA A100"))
    assert capture(card).wait(5.0).status is TurnStatus.DONE


def test_a_render_thread_that_is_stuck_is_given_up_and_named(rig):
    rig = rig(patience=0.3, capacity=4)
    rig.backend.gate.clear()
    turn = capture(rig)
    began = time.monotonic()
    with pytest.raises(GLError, match=r"thread 'roqsim-render' on llvmpipe \(fake\) \(MUJOCO_GL=fake\)"):
        turn.wait()
    assert time.monotonic() - began < 3.0


def test_the_physics_thread_learns_of_a_stuck_renderer_without_waiting_for_it(rig):
    rig = rig(patience=0.2, capacity=4)
    rig.backend.gate.clear()
    capture(rig)
    rig.backend.entered.wait(5.0)
    time.sleep(0.3)
    rig.source.changed()
    with pytest.raises(GLError, match="has been busy with one picture for"):
        capture(rig)


def test_waiting_for_a_picture_ends_with_the_timeout(rig):
    rig = rig()
    rig.backend.gate.clear()
    with pytest.raises(TimeoutError, match="eye: expected a picture within 0.2 s, got none"):
        capture(rig).wait(0.2)


def test_a_fetch_of_what_can_not_be_drawn_says_why(rig):
    rig = rig()
    rig.backend.broken = {"depth"}
    with pytest.raises(RoqsimError, match="eye: expected a picture, got none; depth: RuntimeError: depth is broken"):
        rig.stream.fetch(("depth",), 5.0)


def test_a_camera_that_is_not_there_leaves_nothing_behind(rig):
    rig = rig()
    rig.stream.view = type(rig.stream.view)("gone", 99, rig.stream.view.lens)
    for _ in range(4):
        with pytest.raises(IndexError):
            capture(rig)
    assert rig.service.in_flight == 0
    assert threading.active_count() >= 1
