"""Our part of the viewer, without a viewer around it."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest


class Wire:
    def __init__(self):
        self.sent = []

    def send(self, message):
        self.sent.append(message)


FIRST, SECOND = SimpleNamespace(path="world 1"), SimpleNamespace(path="world 2")
"""What Studio says once it shows the model of a world."""


@pytest.fixture
def page(ball, studio, monkeypatch):
    """A page that shows a world; Studio's interface, which hooks into its process, is left out."""
    from roqsim.viewer.browser import page as page_module

    monkeypatch.setattr(page_module, "App", lambda config: SimpleNamespace(config=config, status=""))

    def make(**view):
        model = ball().ctx.model
        facts = {"title": "t", "model": pickle.dumps(model), "control": False, "streams": []}
        made = page_module.Page(Wire(), {**facts, "view": view, "targets": [("robot", 1)]})
        data = mujoco.MjData(model)
        made.viewer = SimpleNamespace(vis_options=mujoco.MjvOption(), camera=mujoco.MjvCamera(), data=data)
        return made

    return make


def test_what_is_absent_stays_hidden_whatever_is_switched_on(page):
    shown = page()
    shown.on_model(FIRST)
    options = shown.viewer.vis_options
    options.geomgroup[:] = options.sitegroup[:] = 1
    shown.on_update(None)
    assert options.geomgroup.tolist() == options.sitegroup.tolist() == [1, 1, 1, 1, 1, 0]


def test_the_first_camera_is_the_worlds_and_later_models_keep_it(page):
    shown = page(lookat=(1.0, 2.0, 3.0), distance=4.0, azimuth=30.0, elevation=-20.0)
    camera = shown.viewer.camera
    shown.on_model(FIRST)
    assert (camera.lookat.tolist(), camera.distance) == ([1.0, 2.0, 3.0], 4.0)
    assert (camera.azimuth, camera.elevation) == (30.0, -20.0)
    camera.distance = 9.0
    shown.on_model(FIRST)
    assert camera.distance == 9.0
    assert shown._connection.sent == [("ready",)]


def test_a_camera_can_follow_an_entity_and_turn_with_it(page):
    shown = page(track="robot", follow_heading=True, azimuth=10.0)
    shown.on_model(FIRST)
    camera, data = shown.viewer.camera, shown.viewer.data
    assert camera.type == int(mujoco.mjtCamera.mjCAMERA_TRACKING)
    assert camera.trackbodyid == 1
    data.xmat[1] = [0, -1, 0, 1, 0, 0, 0, 0, 1]
    shown.on_update(None)
    assert camera.azimuth == pytest.approx(100.0)


def other_world(**facts):
    """What a run says of a world that it has gone over to: one joint, one stream."""
    xml = "<mujoco><worldbody><body name='b'><joint/><geom size='.1'/></body></worldbody></mujoco>"
    model = pickle.dumps(mujoco.MjModel.from_xml_string(xml))
    known = {
        "title": "u",
        "model": model,
        "view": {"distance": 3.0},
        "targets": [("robot", 1)],
        "streams": [("a/b", "")],
    }
    return {**known, **facts}


@pytest.mark.parametrize(("targets", "distance"), [([("robot", 1)], 9.0), ([], 3.0)])
def test_another_world_keeps_the_camera_unless_it_followed_what_is_gone(page, targets, distance):
    shown = page(track="robot", distance=4.0)
    shown.on_model(FIRST)
    shown.viewer.camera.distance = 9.0
    shown._change_world(other_world(targets=targets))
    (*_, event) = shown.intake.events.get()
    assert event.path == "world 2"
    shown.before_model(event)
    shown.viewer.camera.distance = 77.0
    shown.on_model(SECOND)
    assert shown.viewer.camera.distance == distance
    assert shown._connection.sent == [("ready",), ("watch", [])]
    assert shown.panel._streams == [("a/b", "")]


def test_a_state_of_the_world_before_is_not_taken_for_one_of_this(page):
    shown = page()
    shown.on_model(FIRST)
    old = np.zeros(shown.intake.size)
    shown.on_state(SimpleNamespace(state=old))
    assert shown.intake.shown is old
    shown._change_world(other_world())
    shown.on_model(SECOND)
    assert shown.intake.shown is None and shown.intake.size != old.size
    shown.on_state(SimpleNamespace(state=old))
    assert shown.intake.shown is None


def test_quit_in_the_menu_is_a_request_and_ends_no_page(page):
    shown = page()
    event = SimpleNamespace(reason="")
    assert shown.on_exit(event) is True
    assert shown._connection.sent == [("quit",)]
    shown.intake.leave()
    assert shown.on_exit(event) is False


def test_a_failure_of_the_viewer_is_let_through(page):
    assert page().on_exit(SimpleNamespace(reason="ValueError: broken")) is False


def test_new_looks_are_published_as_the_same_scene(page):
    shown = page()
    first = shown.intake.get_sim_events()
    colours = np.full((2, 4), 0.5, np.float32)
    shown._change_looks({"geom_rgba": colours})
    (event,) = shown.intake.get_sim_events()
    assert np.array_equal(event.model.geom_rgba, colours)
    assert [each.path for each in (*first, event)] == ["world 1", "world 1"]
    assert event.model is not first[0].model


def test_a_refusal_is_shown_in_the_status_bar_and_the_widgets_are_put_right(page):
    shown = page()
    shown._notice("the page only watches")
    assert shown.app.status == "the page only watches"
    names = {type(snapshot).__name__ for snapshot in shown.intake.get_sim_snapshots()}
    assert names == {"StepControlSnapshot", "MjOptionSnapshot"}


def test_a_run_that_is_gone_ends_the_page(page):
    shown = page()

    def hang_up(message):
        raise BrokenPipeError

    shown._connection.send = hang_up
    shown.send("step")
    assert shown.intake.leaving
