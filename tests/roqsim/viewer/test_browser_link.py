from __future__ import annotations

import socket
import threading
import time
from multiprocessing.connection import Connection

import pytest
from roqsim.viewer.browser.link import Link


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    ended = threading.Event()
    received = []
    link = Link(Connection(ours.detach()), received.append, ended.set)
    far = Connection(theirs.detach())
    yield link, far, received, ended
    far.close()
    link.close()


def test_messages_arrive_in_order(pair):
    link, far, _, _ = pair
    for number in range(100):
        link.put("number", number)
    assert [far.recv() for _ in range(100)] == [("number", number) for number in range(100)]


def test_a_later_state_overtakes_an_earlier_one_that_waits(pair):
    link, far, _, _ = pair
    for number in range(2000):
        link.put_latest("state", "state", number, b"x" * 1000)
    states = [far.recv()[1]]
    while states[-1] != 1999:
        states.append(far.recv()[1])
    assert states == sorted(states)
    assert len(states) < 2000


def test_putting_never_waits_for_a_page_that_does_not_read(pair):
    link = pair[0]
    began = time.perf_counter()
    for number in range(300):
        link.put_latest("state", "state", number, b"x" * 1_000_000)
    assert time.perf_counter() - began < 1.0


def test_what_comes_back_is_received(pair):
    _, far, received, _ = pair
    far.send(("pause", True))
    deadline = time.monotonic() + 5
    while not received and time.monotonic() < deadline:
        time.sleep(0.01)
    assert received == [("pause", True)]


def test_the_end_of_the_page_is_noticed(pair):
    _, far, _, ended = pair
    far.close()
    assert ended.wait(5)


def test_a_closed_link_leaves_no_thread(pair):
    link, far, _, _ = pair
    far.close()
    link.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("roqsim-browser")]
