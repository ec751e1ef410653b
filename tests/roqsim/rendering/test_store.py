from __future__ import annotations

import gc

import numpy as np
import pytest
from roqsim.errors import RoqsimError
from roqsim.generation import FrameGeneration
from roqsim.rendering.store import FrameStore

ONE = FrameGeneration(1)


def fill(store, value, planes=("colour",)):
    """Puts a picture of one value into a store and leases it."""
    slot = store.reserve()
    for plane in planes:
        slot.plane(plane)[...] = value
    slot.drawn = frozenset(planes)
    return store.commit(slot)


def test_a_leased_picture_is_never_overwritten():
    store = FrameStore(4, 3, 2, ONE)
    first = fill(store, 1)
    for value in range(2, 9):
        fill(store, value).release()
        assert (first.colour == 1).all()


def test_a_full_store_has_nothing_to_give():
    store = FrameStore(4, 3, 2, ONE)
    leases = [fill(store, 1), fill(store, 2)]
    assert store.held == 2
    assert store.reserve() is None
    leases[0].release()
    assert store.reserve() is not None


def test_the_newest_picture_is_the_last_to_be_given_up():
    store = FrameStore(4, 3, 2, ONE)
    fill(store, 1).release()
    fill(store, 2).release()
    slot = store.reserve()
    with store.newest() as newest:
        assert (newest.colour == 2).all()
    store.abandon(slot)


def test_a_store_of_one_gives_up_its_newest_picture():
    store = FrameStore(4, 3, 1, ONE)
    fill(store, 1).release()
    assert store.reserve() is not None
    assert store.newest() is None


def test_a_reserved_slot_is_not_given_twice():
    store = FrameStore(4, 3, 2, ONE)
    one, two = store.reserve(), store.reserve()
    assert one is not two
    assert store.reserve() is None
    store.abandon(one)
    assert store.reserve() is one


def test_pictures_are_read_only_and_begin_with_the_top_row():
    store = FrameStore(2, 3, 1, ONE)
    slot = store.reserve()
    slot.plane("depth")[...] = [[0, 0], [1, 1], [2, 2]]
    slot.drawn = frozenset({"depth"})
    with store.commit(slot) as lease:
        assert lease.depth[:, 0].tolist() == [2, 1, 0]
        with pytest.raises(ValueError, match="read-only"):
            lease.depth[0, 0] = 5


def test_a_lease_ends_with_its_block_and_says_so():
    store = FrameStore(4, 3, 1, ONE)
    with fill(store, 1) as lease:
        assert lease.is_held
    assert store.held == 0
    with pytest.raises(RoqsimError, match="expected a lease that is held, got one that was released"):
        _ = lease.colour


def test_a_forgotten_lease_gives_its_picture_back():
    store = FrameStore(4, 3, 1, ONE)
    lease = fill(store, 1)
    assert store.held == 1
    del lease
    gc.collect()
    assert store.held == 0


def test_two_leases_of_one_picture_are_counted_apart():
    store = FrameStore(4, 3, 1, ONE)
    first = fill(store, 1)
    second = store.newest()
    first.release()
    first.release()
    assert store.reserve() is None
    second.release()
    assert store.reserve() is not None


def test_a_plane_that_is_missing_says_why():
    store = FrameStore(4, 3, 1, ONE)
    slot = store.reserve()
    slot.plane("colour")[...] = 1
    slot.drawn, slot.failed = frozenset({"colour"}), {"depth": "RuntimeError: no depth buffer"}
    with store.commit(slot) as lease:
        assert lease.planes == {"colour"}
        with pytest.raises(RoqsimError, match="no depth buffer"):
            _ = lease.depth
        with pytest.raises(RoqsimError, match="it was not asked for"):
            _ = lease.geoms


def test_memory_is_made_at_the_first_use_of_a_plane_and_then_kept():
    store = FrameStore(4, 3, 2, ONE)
    assert store.allocated == 0
    for value in range(10):
        fill(store, value).release()
    assert store.allocated == 2 * 4 * 3 * 3
    addresses = {fill(store, value).colour.__array_interface__["data"][0] for value in range(10)}
    assert len(addresses) == 2


def test_a_store_needs_room_for_a_picture():
    with pytest.raises(ValueError, match="expected a capacity >= 1, got 0"):
        FrameStore(4, 3, 0, ONE)


def test_planes_have_the_types_that_are_promised():
    store = FrameStore(4, 3, 1, ONE)
    with fill(store, 1, ("colour", "depth", "geoms")) as lease:
        assert (lease.colour.dtype, lease.colour.shape) == (np.uint8, (3, 4, 3))
        assert (lease.depth.dtype, lease.depth.shape) == (np.float32, (3, 4))
        assert (lease.geoms.dtype, lease.geoms.shape) == (np.int32, (3, 4))
