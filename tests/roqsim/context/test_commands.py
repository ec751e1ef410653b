from __future__ import annotations

import threading
from concurrent.futures import CancelledError

import pytest
from roqsim.context import CommandQueue, SimContext


def test_commands_run_first_come_first_served():
    queue, ran = CommandQueue(), []
    for number in range(5):
        queue.post(lambda ctx, number=number: ran.append((ctx, number)))
    assert queue.drain("context") == 5
    assert ran == [("context", number) for number in range(5)]
    assert not queue


def test_what_cannot_be_called_is_refused_where_it_is_posted():
    queue = CommandQueue()
    with pytest.raises(TypeError, match="^post: expected something to call with the context, got 3$"):
        queue.post(3)
    assert not queue


def test_a_command_that_posts_another_waits_for_the_next_boundary():
    queue, ran = CommandQueue(), []
    queue.post(lambda ctx: queue.post(lambda ctx: ran.append("second")))
    assert queue.drain(None) == 1
    assert ran == []
    assert queue.wait(0)
    assert queue.drain(None) == 1
    assert ran == ["second"]


def test_a_command_that_fails_stops_nobody_else(caplog):
    queue = CommandQueue()
    bad = queue.post(lambda ctx: 1 / 0)
    good = queue.post(lambda ctx: "fine")
    queue.drain(None)
    with pytest.raises(ZeroDivisionError):
        bad.result(0)
    assert good.result(0) == "fine"
    assert "a posted command failed: ZeroDivisionError" in caplog.text


def test_a_cancelled_command_does_not_run():
    queue, ran = CommandQueue(), []
    queue.post(lambda ctx: ran.append(1)).cancel()
    assert queue.drain(None) == 0
    assert ran == []


def test_what_is_left_at_the_end_is_cancelled_and_so_is_what_comes_later():
    queue = CommandQueue()
    left = queue.post(lambda ctx: 1)
    queue.close()
    for future in (left, queue.post(lambda ctx: 1)):
        with pytest.raises(CancelledError):
            future.result(0)
    assert not queue


def test_waiting_ends_when_a_command_comes():
    queue = CommandQueue()
    assert not queue.wait(0)
    threading.Timer(0.02, lambda: queue.post(lambda ctx: None)).start()
    assert queue.wait(5.0)


def test_a_caller_on_the_physics_thread_does_not_wait_for_itself():
    ctx = SimContext()
    ctx.claim_thread()
    assert ctx.call(lambda c: c is ctx) is True
    assert ctx.version == 1


def test_a_caller_elsewhere_gets_the_result_or_a_timeout_and_then_withdraws():
    ctx, ran, results = SimContext(), [], []
    ctx.claim_thread()

    def ask(timeout):
        try:
            results.append(ctx.call(lambda c: ran.append(1) or "done", timeout))
        except TimeoutError as error:
            results.append(str(error))

    late = threading.Thread(target=ask, args=(0.01,))
    late.start()
    late.join()
    ctx.drain_commands()
    assert (results, ran) == (["the simulation did not run a command within 0.01 s"], [])
    soon = threading.Thread(target=ask, args=(5.0,))
    soon.start()
    assert ctx.commands.wait(5.0)
    ctx.drain_commands()
    soon.join()
    assert results[1:] == ["done"]
    assert ctx.version == 1
    assert ctx.changed_tick == 0
