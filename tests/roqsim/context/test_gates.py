from __future__ import annotations

import pytest
from roqsim.context import SimContext


def test_gates_are_listed_in_the_order_of_registration_and_wait_until_satisfied():
    ctx = SimContext()
    scan, control = ctx.register_gate("scan", "producer"), ctx.register_gate("control", "consumer")
    assert ctx.gates() == [scan, control]
    assert scan.pending and control.pending
    scan.satisfy()
    assert [gate.pending for gate in ctx.gates()] == [False, True]


def test_a_reset_makes_every_gate_pending_again(world):
    engine = world({"components": []})
    gate = engine.ctx.register_gate("scan", "producer")
    gate.satisfy()
    engine.reset()
    assert gate.pending


def test_a_gate_of_a_taken_name_or_an_unknown_role_is_refused():
    ctx = SimContext()
    ctx.register_gate("scan", "producer")
    with pytest.raises(ValueError, match="expected a gate name of its own, got 'scan' again"):
        ctx.register_gate("scan", "consumer")
    with pytest.raises(ValueError, match="expected a role of producer or consumer, got 'watcher'"):
        ctx.register_gate("other", "watcher")
