from __future__ import annotations

import threading

import mujoco
import numpy as np
import pytest
from roqsim.errors import RoqsimError
from roqsim.rendering import Pinhole, Quality, TurnStatus, View
from roqsim.rendering.fake import FakeBackend

LENS = Pinhole.from_fovy(16, 12, 1.0, 0.05, 20.0)

COLOUR = ("colour",)


def capture(rig, planes=COLOUR, develop=None, **options):
    """One capture of the rig's camera."""
    return rig.service.capture([(rig.stream, planes, develop)], **options)[0]


def hold_up(rig):
    """Captures a picture and holds the render thread up while it draws it."""
    rig.backend.gate.clear()
    rig.backend.entered.clear()
    turn = capture(rig)
    assert rig.backend.entered.wait(5.0)
    return turn


def test_a_captured_state_becomes_a_picture(rig):
    rig = rig()
    turn = capture(rig, ("depth", "colour", "geoms")).wait(5.0)
    assert turn.status is TurnStatus.DONE
    assert turn.planes == ("colour", "depth", "geoms")
    with turn.lease as lease:
        assert (lease.colour == 1).all()
        assert (lease.depth == 2.0).all()
        assert (lease.geoms == 3).all()


def test_nothing_is_done_before_a_picture_is_asked_for(rig):
    rig = rig()
    threads = {thread.name for thread in threading.enumerate()}
    assert "roqsim-render" not in threads
    assert rig.backend.calls == []
    assert rig.stream.store.allocated == 0


def test_the_context_lives_and_dies_on_one_thread_of_its_own(rig):
    rig = rig()
    capture(rig).wait(5.0)
    rig.service.close()
    calls, threads = zip(*rig.backend.calls, strict=True)
    assert calls == ("open", "load", "colour", "close")
    assert len(set(threads)) == 1
    assert threading.get_ident() not in threads


def test_capturing_does_not_wait_for_the_picture(rig):
    rig = rig()
    turn = hold_up(rig)
    assert turn.status is TurnStatus.PENDING
    rig.backend.gate.set()
    assert turn.wait(5.0).status is TurnStatus.DONE


def test_two_states_are_in_flight_and_a_third_is_dropped_at_once(rig):
    rig = rig(capacity=5)
    turns = [hold_up(rig)]
    for _ in range(2):
        rig.source.changed()
        turns.append(capture(rig))
    assert [turn.status for turn in turns] == [TurnStatus.PENDING, TurnStatus.PENDING, TurnStatus.MISSED]
    assert turns[2].reason == "renderer busy"
    assert rig.service.in_flight == 2
    assert rig.stream.missed == {"renderer busy": 1}
    rig.backend.gate.set()
    assert [turn.wait(5.0).status for turn in turns[:2]] == [TurnStatus.DONE] * 2
    assert rig.service.in_flight == 0


def test_a_full_store_drops_the_new_picture_at_once(rig):
    rig = rig(capacity=2)
    held = []
    for _ in range(2):
        held.append(capture(rig).wait(5.0).lease)
    turn = capture(rig)
    assert (turn.status, turn.reason) == (TurnStatus.MISSED, "store full")
    assert rig.service.in_flight == 0
    assert all((lease.colour == 1).all() for lease in held)
    held[0].release()
    assert capture(rig).wait(5.0).status is TurnStatus.DONE


def test_told_to_wait_a_capture_waits_for_the_renderer(rig):
    rig = rig(capacity=5)
    first = hold_up(rig)
    rig.source.changed()
    capture(rig)
    rig.source.changed()
    threading.Timer(0.1, rig.backend.gate.set).start()
    turn = capture(rig, wait=True)
    assert first.is_over
    assert turn.wait(5.0).status is TurnStatus.DONE
    assert not rig.stream.missed


def test_told_to_wait_a_capture_waits_for_a_lease(rig):
    rig = rig(capacity=1)
    lease = capture(rig).wait(5.0).lease
    threading.Timer(0.1, lease.release).start()
    assert capture(rig, wait=True).wait(5.0).status is TurnStatus.DONE


def test_leases_that_never_end_are_named_rather_than_waited_for_for_ever(rig):
    rig = rig(capacity=1, patience=0.3)
    lease = capture(rig).wait(5.0).lease
    with pytest.raises(RoqsimError, match="eye: expected one of 1 pictures to be given back within 0.3 s"):
        capture(rig, wait=True)
    lease.release()
    assert capture(rig).wait(5.0).status is TurnStatus.DONE


def test_cameras_of_one_state_share_its_snapshot(rig):
    rig = rig()
    others = [rig.service.open_view(View(f"eye {index}", 0, LENS)) for index in range(3)]
    rig.backend.gate.clear()
    turns = rig.service.capture([(stream, COLOUR, None) for stream in (rig.stream, *others)])
    assert rig.service.in_flight == 1
    rig.backend.gate.set()
    assert {turn.wait(5.0).status for turn in turns} == {TurnStatus.DONE}
    assert len({turn.stamp for turn in turns}) == 1
    assert rig.service.in_flight == 0


def test_a_picture_shows_the_state_at_its_capture_whatever_happens_later(rig):
    seen = {}

    def value(plane, shot):
        ball = [g for g in shot.scene.geoms[: shot.scene.ngeom] if g.objid == 1][0]
        seen.setdefault(len(seen), (float(ball.pos[0]), float(shot.eye.position[2])))
        return 0

    rig = rig(backend=FakeBackend(value=value))
    hold_up(rig)
    rig.source.data.qpos[0] = 4.0
    rig.source.changed()
    rig.source.model.geom_group[:] = 5
    second = capture(rig)
    rig.source.model.geom_group[:] = 0
    rig.backend.gate.set()
    assert second.wait(5.0).status is TurnStatus.MISSED  # in the second state there was no ball to find
    assert seen == {0: (pytest.approx(2.0), pytest.approx(0.5))}


def test_what_is_developed_is_the_result_and_the_picture_is_given_back(rig):
    rig = rig(capacity=1)
    for _ in range(5):
        turn = capture(rig, develop=lambda picture: int(picture.colour.sum())).wait(5.0)
        assert turn.result == LENS.width * LENS.height * 3
        assert turn.lease is None
    assert rig.stream.store.held == 0


def test_the_newest_picture_can_be_leased_from_any_thread(rig):
    rig = rig()
    assert rig.stream.latest() is None
    capture(rig, develop=lambda picture: None).wait(5.0)
    found = []
    thread = threading.Thread(target=lambda: found.append(rig.stream.latest()))
    thread.start()
    thread.join()
    with found[0] as lease:
        assert (lease.colour == 1).all()


def test_a_picture_can_be_fetched_from_any_thread(rig):
    rig = rig()
    found = []
    thread = threading.Thread(target=lambda: found.append(rig.stream.fetch(("depth",), 5.0)))
    thread.start()
    thread.join()
    with found[0] as lease:
        assert lease.planes == {"depth"}


def test_the_memory_stays_the_same_after_the_first_pictures(rig):
    rig = rig(capacity=3)
    planes = ("colour", "depth", "geoms")
    for _ in range(4):
        rig.source.changed()
        capture(rig, planes).wait(5.0).lease.release()
    before = rig.stream.store.allocated
    slots = {id(array) for slot in rig.stream.store._slots for array in slot.raw.values()}
    for _ in range(50):
        rig.source.changed()
        capture(rig, planes).wait(5.0).lease.release()
    assert rig.stream.store.allocated == before
    assert {id(array) for slot in rig.stream.store._slots for array in slot.raw.values()} == slots


def test_a_larger_camera_makes_the_buffer_grow_and_a_smaller_one_does_not(rig):
    rig = rig()
    capture(rig).wait(5.0)
    rig.service.open_view(View("small", 0, Pinhole.from_fovy(4, 4, 1.0, 0.1, 9.0)))
    capture(rig).wait(5.0)
    assert len(rig.backend.loads) == 1
    rig.service.open_view(View("wide", 0, Pinhole.from_fovy(64, 4, 1.0, 0.1, 9.0)))
    capture(rig).wait(5.0)
    sizes = [(needs.width, needs.height) for _, needs in rig.backend.loads]
    assert sizes == [(16, 12), (64, 12)]


def test_in_software_the_choice_is_told_once(rig, caplog):
    caplog.set_level("INFO", logger="roqsim")
    rig = rig()
    for _ in range(3):
        capture(rig).wait(5.0)
    told = [record.message for record in caplog.records if "in software" in record.message]
    assert len(told) == 1
    assert "shadows, reflections and multisampling are off" in told[0]


def test_on_a_card_shadows_are_drawn_and_nothing_is_told(rig, caplog):
    caplog.set_level("INFO", logger="roqsim")
    shots = []
    backend = FakeBackend(renderer="NVIDIA A100", value=lambda plane, shot: shots.append(shot.quality) or 1)
    rig = rig(backend=backend)
    capture(rig).wait(5.0)
    assert shots[0].shadows
    assert shots[0].reflections
    assert backend.loads[-1][1].samples == 4
    assert not caplog.records


def test_the_counters_tell_what_became_of_pictures(rig):
    rig = rig(capacity=1)
    lease = capture(rig).wait(5.0).lease
    capture(rig)
    lease.release()
    assert rig.service.statistics() == {
        "eye": {"captured": 1, "drawn": 1, "missed": {"store full": 1}, "bytes": 16 * 12 * 3}
    }


def test_a_closed_camera_is_forgotten(rig):
    rig = rig()
    lease = capture(rig).wait(5.0).lease
    rig.stream.close()
    rig.stream.close()
    assert rig.service.statistics() == {}
    assert (lease.colour == 1).all()


def test_a_free_camera_may_be_moved_between_captures(rig):
    eyes = []
    backend = FakeBackend(value=lambda plane, shot: eyes.append(shot.eye.position.copy()) or 1)
    rig = rig(backend=backend)
    camera = mujoco.MjvCamera()
    camera.lookat, camera.distance, camera.elevation = [1.0, 0.0, 0.0], 2.0, -90.0
    stream = rig.service.open_view(View("free", camera, LENS))
    rig.service.capture([(stream, COLOUR, None)])[0].wait(5.0).lease.release()
    camera.distance = 5.0
    rig.service.capture([(stream, COLOUR, None)])[0].wait(5.0).lease.release()
    assert np.allclose(eyes, [[1.0, 0.0, 2.0], [1.0, 0.0, 5.0]], atol=1e-6)


def test_the_context_can_be_made_before_the_first_picture(rig):
    rig = rig()
    assert rig.service.prepare(5.0).renderer == "llvmpipe (fake)"
    assert [call for call, _ in rig.backend.calls] == ["open", "load"]
    capture(rig).wait(5.0)
    assert len(rig.backend.loads) == 1


def test_a_quality_of_its_own_reaches_the_backend(rig):
    shots = []
    backend = FakeBackend(value=lambda plane, shot: shots.append(shot.quality) or 1)
    rig = rig(backend=backend, quality=Quality(shadows=True, samples=2, shadow_size=256))
    capture(rig).wait(5.0)
    assert (shots[0].shadows, shots[0].reflections) == (True, False)
    assert (backend.loads[0][1].samples, backend.loads[0][1].shadow_size) == (2, 256)


def test_what_nobody_can_draw_is_refused(rig):
    rig = rig()
    with pytest.raises(ValueError, match="expected a plane of colour, depth, geoms, got 'infrared'"):
        capture(rig, ("infrared",))
    assert rig.service.in_flight == 0
