from __future__ import annotations

import pytest
from roqsim.context import Endpoint
from roqsim.errors import RoqsimError
from roqsim.rates import snap


class Clock:
    """A simulation's clock that counts how often it was asked for coherent poses."""

    def __init__(self):
        self.tick = self.version = self.refreshed = 0

    def refresh(self):
        self.refreshed += 1


@pytest.fixture
def clock():
    return Clock()


def bound(clock, read, **options):
    endpoint = Endpoint("scan", "out", "robot", read, **options)
    endpoint.bind(clock, None)
    return endpoint


def test_a_payload_is_computed_once_a_state_however_many_ask(clock):
    computed = []
    endpoint = bound(clock, lambda: computed.append(clock.tick) or len(computed))
    assert [endpoint.read() for _ in range(3)] == [1, 1, 1]
    clock.tick = 1
    assert [endpoint.read() for _ in range(3)] == [2, 2, 2]
    clock.version = 1
    assert endpoint.read() == 3
    assert endpoint.counters.produced == 3


def test_derived_poses_are_made_coherent_before_a_payload_is_computed(clock):
    bound(clock, lambda: 1).read()
    assert clock.refreshed == 1
    bound(clock, lambda: 1, reads_derived=False).read()
    assert clock.refreshed == 1


def test_nothing_to_send_counts_as_nothing_produced(clock):
    endpoint = bound(clock, lambda: None)
    assert endpoint.read() is None
    assert endpoint.counters.produced == 0


@pytest.mark.parametrize(("holds", "produced"), [(True, 2), (False, 4)])
def test_a_held_payload_counts_once(clock, holds, produced):
    payloads = [object(), object()]
    endpoint = bound(clock, lambda: payloads[clock.tick // 2], holds=holds)
    for clock.tick in range(4):
        endpoint.read()
    assert endpoint.counters.produced == produced


def test_an_endpoint_of_no_simulation_reads_straight_through():
    values = iter([1, 2])
    endpoint = Endpoint("scan", "out", read=lambda: next(values))
    assert [endpoint.read(), endpoint.read()] == [1, 2]


def test_written_payloads_are_counted_and_handed_over(clock):
    taken = []
    endpoint = Endpoint("cmd_vel", "in", "robot", write=lambda payload: taken.append(payload) or "done")
    assert endpoint.write(5) == "done"
    assert taken == [5]
    assert endpoint.counters.received == 1


def test_a_port_of_the_other_direction_is_refused_by_name():
    taken = []
    scan = Endpoint("scan", "out", "robot", read=lambda: 1)
    cmd_vel = Endpoint("cmd_vel", "in", "robot", write=taken.append)
    scan.on_write = lambda endpoint, payload: taken.append(payload)
    with pytest.raises(RoqsimError, match="^robot/scan: expected an 'in' endpoint to write to, got an 'out' one"):
        scan.write(5)
    with pytest.raises(RoqsimError, match="^robot/cmd_vel: expected an 'out' endpoint to read, got an 'in' one"):
        cmd_vel.read()
    assert taken == [] and scan.counters.received == 0


@pytest.mark.parametrize(
    ("direction", "given", "expected"),
    [
        ("sideways", {}, "expected a direction of 'out' or 'in', got 'sideways'"),
        ("out", {"write": print}, "expected a `read` callable for direction 'out', got None"),
        ("in", {"read": print}, "expected a `write` callable for direction 'in', got None"),
    ],
)
def test_a_port_without_its_callable_is_refused(direction, given, expected):
    with pytest.raises(ValueError, match=expected):
        Endpoint("scan", direction, **given)


@pytest.mark.parametrize(("rate", "due"), [(None, 100), (snap(50, 0.002), 10), (snap(0, 0.002), 0)])
def test_due_publications_follow_from_the_tick(clock, rate, due):
    endpoint = Endpoint("scan", "out", read=lambda: 1)
    endpoint.bind(clock, rate)
    assert endpoint.due(100) == due


@pytest.mark.parametrize("told", [True, False, None])
def test_listeners_are_known_where_a_transport_knows(told):
    assert Endpoint("scan", "out", read=lambda: 1, has_subscribers=told).is_watched is told
    assert Endpoint("scan", "out", read=lambda: 1, has_subscribers=lambda: told).is_watched is told


def test_drops_are_counted_by_reason():
    counters = Endpoint("scan", "out", read=lambda: 1).counters
    for reason in ("late", "full", "late"):
        counters.drop(reason)
    assert counters.dropped == {"late": 2, "full": 1}


def test_the_path_names_the_owner():
    assert Endpoint("scan", "out", "robot", lambda: 1).path == "robot/scan"
    assert Endpoint("clock", "out", read=lambda: 1).path == "clock"
