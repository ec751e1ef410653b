"""The rows between a run and what writes it: nothing is lost, nothing is read twice, and who waits is told why."""

from __future__ import annotations

import time

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from roqsim.context import SimContext
from roqsim.mj.state import size, take
from roqsim.recording.ring import COUNT, LIMIT, Inlet, Outlet, Rows

MODEL = mujoco.MjModel.from_xml_string(
    "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
)


class Sides:
    """Both sides of rows for a free body."""

    def __init__(self, capacity=None, batch=None, wait=lambda: None):
        self.ctx = SimContext()
        self.ctx.model, self.ctx.data, self.ctx.dt = MODEL, mujoco.MjData(MODEL), MODEL.opt.timestep
        self.rows, self.tended = Rows(size(MODEL)), 0
        if capacity is not None:
            self.rows.capacity, self.rows.batch = capacity, batch
        self.inlet = Inlet(self.rows, self.tend, wait)
        self.outlet = Outlet(Rows(size(MODEL), self.rows.file), self.ctx.dt)
        self.outlet._rows.capacity, self.outlet._rows.batch = self.rows.capacity, self.rows.batch
        self.sample = self.inlet.sampler(self.ctx)

    def tend(self):
        self.tended += 1

    def take(self):
        self.outlet.head = self.inlet.head
        return self.outlet.peek()


def test_memory_is_fixed_whatever_the_size_of_a_state():
    for numbers in (1, 100, 20_000):
        rows = Rows(numbers)
        assert rows.capacity >= 16
        assert rows.states.nbytes < 8.0 * 1024**2 or rows.capacity == 16


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40))
def test_samples_come_out_as_they_went_in_whatever_the_turns(turns):
    sides = Sides(capacity=16, batch=5)
    ctx, put, got = sides.ctx, [], []
    for puts, takes in turns:
        for _ in range(min(puts, 15 - (sides.inlet.head - sides.outlet.tail))):
            ctx.tick += 3
            ctx.data.qpos[0] = ctx.tick
            sides.sample(ctx)
            put.append((ctx.tick, take(MODEL, ctx.data).tobytes()))
        for _ in range(takes):
            batch = sides.take()
            if batch is None:
                break
            assert batch.first == len(got) and 0 < len(batch) <= 5
            assert batch.times.tolist() == [tick * ctx.dt for tick in batch.ticks]
            got += [(int(tick), state.tobytes()) for tick, state in zip(batch.ticks, batch.states, strict=True)]
            sides.outlet.give_back(batch)
    assert got == put[: len(got)] and len(put) - len(got) == sides.inlet.head - sides.outlet.tail


def test_a_sample_counts_for_the_other_process_once_the_next_one_begins():
    sides = Sides()
    for number in range(5):
        sides.sample(sides.ctx)
        sides.outlet.count()
        assert sides.outlet.head == number


def test_a_full_ring_lets_the_physics_wait_until_there_is_room():
    def make_room():
        waited.append(sides.inlet.head)
        if len(waited) == 3:
            sides.outlet.give_back(sides.take())

    waited = []
    sides = Sides(wait=make_room)
    for _ in range(sides.rows.capacity - 1):
        sides.sample(sides.ctx)
    assert waited == []
    sides.sample(sides.ctx)
    assert waited == [sides.rows.capacity] * 3
    sides.sample(sides.ctx)
    assert len(waited) == 3


def test_after_a_failure_whoever_fills_the_rows_asks_why():
    def tell():
        raise OSError("disk full")

    sides = Sides(wait=tell)
    sides.outlet.fail()
    with pytest.raises(OSError, match="disk full"):
        for _ in range(sides.rows.capacity // 2):
            sides.sample(sides.ctx)
    assert sides.rows.counters[LIMIT] == -1 and sides.rows.counters[COUNT] == sides.rows.capacity // 2 - 1


def test_whoever_tends_the_rows_is_called_for_each_half_of_them():
    sides = Sides()
    sides.inlet._pause_by = np.inf
    half = sides.rows.capacity // 2
    for _ in range(half - 1):
        sides.sample(sides.ctx)
    assert sides.tended == 0
    sides.sample(sides.ctx)
    assert sides.tended == 1


def test_whoever_tends_the_rows_is_called_each_second(monkeypatch):
    sides, now = Sides(), time.monotonic()
    monkeypatch.setattr("time.monotonic", lambda: now)
    sample = sides.inlet.sampler(sides.ctx)
    called = []
    for _ in range(35):
        sample(sides.ctx)
        called.append(sides.tended)
        now += 0.1
    assert called[8:13] == [0, 0, 1, 1, 1] and called[-1] == 3


def test_walls_grow():
    sides = Sides()
    for _ in range(50):
        sides.sample(sides.ctx)
    walls = sides.take().walls
    assert len(walls) == 50 and (np.diff(walls) >= 0).all() and walls[-1] <= time.monotonic()
