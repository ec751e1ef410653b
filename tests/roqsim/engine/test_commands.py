from __future__ import annotations

import threading

import pytest

WORLD = """
sim: {timestep: 0.002}
components:
  - boxes: {instances: [{name: crate, size: [0.2, 0.2, 0.2], pose: {position: {z: 0.1}}}]}
    name: props
"""


def test_commands_run_first_come_first_served_at_the_next_tick(world):
    engine = world(WORLD)
    seen = []
    for index in range(5):
        engine.ctx.post(lambda ctx, index=index: seen.append((index, ctx.tick)))
    assert seen == []
    engine.step()
    assert seen == [(index, 0) for index in range(5)]


def test_a_poster_gets_the_result_from_the_physics_thread(world):
    engine = world(WORLD)
    results = []
    caller = threading.Thread(target=lambda: results.append(engine.ctx.call(lambda ctx: ctx.tick, timeout=10)))
    caller.start()
    while caller.is_alive():
        engine.idle()
        caller.join(0.001)
    assert results == [0]


def test_a_call_from_the_physics_thread_runs_at_once(world):
    engine = world(WORLD)
    assert engine.ctx.call(lambda ctx: ctx.tick) == 0


def test_a_command_that_nobody_runs_times_out_and_is_withdrawn(world):
    engine = world(WORLD)
    outcome = []

    def caller() -> None:
        try:
            engine.ctx.call(lambda ctx: outcome.append("ran"), timeout=0.01)
        except TimeoutError as error:
            outcome.append(str(error))

    thread = threading.Thread(target=caller)
    thread.start()
    thread.join()
    engine.step()
    assert outcome == ["the simulation did not run a command within 0.01 s"]


def test_a_failing_command_hands_its_exception_to_the_poster_and_the_run_goes_on(world, caplog):
    engine = world(WORLD)
    future = engine.ctx.post(lambda ctx: 1 / 0)
    engine.step()
    with pytest.raises(ZeroDivisionError):
        future.result()
    assert "a posted command failed: ZeroDivisionError" in caplog.text
    engine.step()
    assert engine.ctx.tick == 2


def test_commands_after_the_end_are_cancelled(world):
    engine = world(WORLD)
    engine.shutdown()
    assert engine.ctx.post(lambda ctx: None).cancelled()


def test_a_paused_world_moves_an_entity_and_shows_it_without_a_step(world):
    engine = world(WORLD)

    def move(ctx):
        body = ctx.entities.require("crate").body
        start = ctx.model.jnt_qposadr[ctx.model.body_jntadr[body]]
        ctx.data.qpos[start] = 3.0

    engine.ctx.post(move)
    engine.idle()
    engine.ctx.refresh()
    assert engine.ctx.data.body("crate").xpos[0] == 3.0
    assert engine.ctx.tick == 0


def test_a_snapshot_is_published_once_somebody_asks(world):
    engine = world(WORLD)
    assert engine.ctx.read_snapshot() is None
    engine.step()
    first = engine.ctx.read_snapshot()
    assert (first.tick, first.time_ns) == (1, 2_000_000)
    engine.advance(10)
    assert engine.ctx.read_snapshot().tick == 11
    assert first.tick == 1
