"""The rows between the two threads: nothing is lost, nothing is read twice, and who waits is told of a failure."""

from __future__ import annotations

import threading
import time

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from roqsim.context import SimContext
from roqsim.mj.state import size, take
from roqsim.recording.ring import Ring

MODEL = mujoco.MjModel.from_xml_string(
    "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
)


def made(capacity: int | None = None, batch: int | None = None) -> tuple[Ring, SimContext]:
    ctx = SimContext()
    ctx.model, ctx.data, ctx.dt = MODEL, mujoco.MjData(MODEL), MODEL.opt.timestep
    ring = Ring(size(MODEL), ctx.dt)
    if capacity is not None:
        ring.capacity, ring.batch = capacity, batch or capacity
        ring._limit, ring._wake_at = ring.capacity, ring.capacity // 2
    return ring, ctx


def test_memory_is_fixed_whatever_the_size_of_a_state():
    for numbers in (1, 100, 20_000):
        ring = Ring(numbers, 0.002)
        assert ring.capacity >= 16
        assert ring._states.nbytes < 8.0 * 1024**2 or ring.capacity == 16


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40))
def test_samples_come_out_as_they_went_in_whatever_the_turns(turns):
    ring, ctx = made(capacity=16, batch=5)
    sample = ring.sampler(ctx)
    put, got = [], []
    for puts, takes in turns:
        for _ in range(min(puts, 16 - (ring.head - ring.tail))):
            ctx.tick += 3
            ctx.data.qpos[0] = ctx.tick
            sample(ctx)
            put.append((ctx.tick, take(MODEL, ctx.data).tobytes()))
        for _ in range(takes):
            batch = ring.peek(ring.head)
            if batch is None:
                break
            assert batch.first == len(got) and 0 < len(batch) <= 5
            assert batch.times.tolist() == [tick * ctx.dt for tick in batch.ticks]
            got += [(int(tick), state.tobytes()) for tick, state in zip(batch.ticks, batch.states, strict=True)]
            ring.give_back(batch)
    assert got == put[: len(got)] and len(put) - len(got) == ring.head - ring.tail


def test_a_full_ring_lets_the_physics_wait_until_there_is_room():
    ring, ctx = made()
    sample = ring.sampler(ctx)
    for _ in range(ring.capacity):
        sample(ctx)
    waiting = threading.Thread(target=sample, args=(ctx,))
    waiting.start()
    time.sleep(0.05)
    assert waiting.is_alive() and ring.head == ring.capacity
    ring.give_back(ring.peek(ring.head))
    waiting.join(5.0)
    assert not waiting.is_alive() and ring.head == ring.capacity + 1


def test_a_failure_of_the_writer_reaches_the_next_sample_and_whoever_waits():
    ring, ctx = made()
    sample = ring.sampler(ctx)
    sample(ctx)
    ring.fail(OSError("disk full"))
    with pytest.raises(OSError, match="disk full"):
        sample(ctx)
    ring.give_back(ring.peek(ring.head))
    with pytest.raises(OSError, match="disk full"):
        sample(ctx)


def test_the_writer_is_woken_once_half_of_the_rows_are_full():
    ring, ctx = made()
    sample = ring.sampler(ctx)
    ring.wait(0.0)
    for _ in range(ring.capacity // 2 - 1):
        sample(ctx)
    assert not ring._filled.is_set()
    sample(ctx)
    assert ring._filled.is_set()


def test_walls_grow():
    ring, ctx = made()
    sample = ring.sampler(ctx)
    for _ in range(50):
        sample(ctx)
    walls = ring.peek(ring.head).walls
    assert len(walls) == 50 and (np.diff(walls) >= 0).all() and walls[-1] <= time.monotonic()
