"""A window beside a scenario's run, and what a person asks of it there."""

from __future__ import annotations

import threading
import time

import pytest
from roqsim.drivers.scenario.window import has_screen, is_headless
from roqsim.errors import ConfigError, GLError

pytestmark = pytest.mark.usefixtures("no_deployment")


class Pane:
    """Stands in for the window."""

    opened: list[Pane]
    refuses = False

    def __init__(self):
        self.synced = 0
        self.is_closed = False

    def open(self, engine):
        if self.refuses:
            raise GLError("window: expected it to open, got 'no server'; check DISPLAY, or add --headless")
        self.opened.append(self)

    def sync(self):
        self.synced += 1

    def close(self):
        self.is_closed = True


@pytest.fixture
def panes(monkeypatch):
    monkeypatch.setattr("roqsim.viewer.window.Window", Pane)
    monkeypatch.setattr(Pane, "opened", [], raising=False)
    return Pane.opened


@pytest.fixture
def screen(monkeypatch):
    monkeypatch.delenv("ENABLE_X11")
    monkeypatch.setenv("DISPLAY", ":7")


def test_a_run_has_a_window_unless_it_is_headless(drop, adapters, panes, screen):
    sim = adapters(drop)
    sim.reset(headless="True")
    assert panes == []
    sim.reset()
    sim.step()
    sim.step()
    sim.reset(headless="false")
    assert [pane.synced for pane in panes] == [2], "one window holds for all trials of a world"
    sim.reset(headless=True)
    assert panes[0].is_closed
    sim.reset()
    sim.shutdown()
    assert [pane.is_closed for pane in panes] == [True, True]


def test_another_world_gets_a_window_of_its_own(variant, drop, adapters, panes, screen):
    other = variant("other.yaml", "crate", "chest")
    sim = adapters(drop)
    sim.reset()
    sim.reset(world=other)
    assert [pane.is_closed for pane in panes] == [True, False]


def test_where_nothing_is_said_a_run_without_a_screen_has_no_window(drop, adapters, panes, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    adapters(drop).reset()
    assert panes == []


def test_a_screen_that_no_window_opens_on_is_told_once_and_the_run_goes_on(
    drop, adapters, panes, screen, monkeypatch, caplog
):
    monkeypatch.setattr(Pane, "refuses", True)
    sim = adapters(drop)
    sim.reset()
    sim.reset()
    sim.step()
    assert caplog.text.count("the run has no window: window: expected it to open, got 'no server'") == 1


def test_a_window_that_is_insisted_on_has_to_open(drop, adapters, panes, screen, monkeypatch):
    monkeypatch.setattr(Pane, "refuses", True)
    sim = adapters(drop)
    with pytest.raises(GLError, match="no server"):
        sim.reset(headless="False")
    assert sim.context is None


@pytest.mark.parametrize(
    ("value", "meaning"),
    [(None, None), ("", None), (True, True), ("True", True), ("1", True), (False, False), ("no", False)],
)
def test_headless_is_said_as_a_truth_or_as_its_name(value, meaning):
    assert is_headless(value) is meaning


def test_headless_that_is_neither_is_refused():
    with pytest.raises(ConfigError, match="headless: expected true or false, got 'sometimes'"):
        is_headless("sometimes")


@pytest.mark.parametrize(
    ("environment", "is_there"),
    [
        ({"DISPLAY": ":0"}, True),
        ({"DISPLAY": ":0", "ENABLE_X11": "false"}, False),
        ({"DISPLAY": ":0", "ENABLE_X11": "true"}, True),
        ({}, False),
    ],
)
def test_a_deployment_may_say_that_it_has_no_screen(environment, is_there, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    assert has_screen(environment) is is_there


def test_a_paused_run_holds_its_scenario_until_it_goes_on(drop, adapters):
    sim = adapters(drop)
    sim.reset()
    control = sim.context.control
    control.pause()
    seen = []

    def go_on():
        deadline = time.monotonic() + 5
        while not seen and time.monotonic() < deadline:
            sim.context.post(lambda ctx: seen.append(ctx.tick))
            time.sleep(0.01)
        control.resume()

    helper = threading.Thread(target=go_on)
    helper.start()
    sim.step()
    helper.join()
    assert seen[0] == 0, "commands run while the scenario is held"
    assert sim.context.tick == 1


def test_a_paused_run_makes_the_ticks_that_are_asked_for(drop, adapters):
    sim = adapters(drop)
    sim.reset()
    control = sim.context.control
    control.pause()
    two = control.step(2)
    sim.step()
    assert not two.done()
    sim.step()
    assert two.result(0) == pytest.approx(0.008)
    control.resume()


def test_a_reset_that_is_asked_for_begins_another_episode(drop, adapters):
    sim = adapters(drop, seed=1)
    sim.reset()
    for _ in range(5):
        sim.step()
    again = sim.context.control.reset()
    sim.step()
    assert (again.result(0), sim.context.tick) == (2, 1)
    sim.reset()
    assert sim.context.episode == 3


def test_a_person_who_closes_the_window_ends_the_pause(drop, adapters):
    sim = adapters(drop)
    sim.reset()
    sim.context.control.pause()
    sim.context.request_stop("the window was closed")
    sim.step()
    assert sim.context.tick == 1
