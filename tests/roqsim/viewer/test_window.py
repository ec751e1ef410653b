"""The window itself, on a virtual screen: what opens, what keys and mouse do, what never happens to the run."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from roqsim.config.world import load_config
from roqsim.drivers.runner import Limits, Runner
from roqsim.engine import Engine
from roqsim.errors import GLError
from roqsim.mj import state
from roqsim.presence import set_present
from roqsim.viewer.window import Window

pytestmark = [pytest.mark.gl, pytest.mark.slow, pytest.mark.screen]

CYCLES = int(os.environ.get("ROQSIM_WINDOW_CYCLES", "3"))
"""How often a window is opened and closed in a row."""

CONTROL = 640
"""Where the titles of the right panel begin, in pixels."""

WORLD = """
sim: {timestep: 0.002, seed: 1, name: crates}  # a small world
components:
  - boxes:
      instances:
        - {name: crate, size: [0.4, 0.4, 0.4], pose: {position: {z: 1.0}}, rgba: [1, 0, 0, 1]}
"""


@pytest.fixture
def window(screen):
    """A window under this test's own hand; closed in the end."""
    window = Window()
    yield window
    window.close()


@pytest.fixture
def show(screen, window, world, until):
    """Opens the window on a world: ``engine, wait = show()``; the run is served and synced while ``wait`` waits.

    It is open when the picture stands still: MuJoCo's first frames have another camera.
    """

    def open_on(document=WORLD, **options):
        engine = world(document, **options)
        window.open(engine)

        def tick():
            if engine.ctx.control.has_requests:
                for future in engine.ctx.control.take_resets():
                    engine.reset()
                    future.set_result(engine.ctx.episode)
                for n, future in engine.ctx.control.take_steps():
                    engine.advance(n)
                    future.set_result(engine.ctx.sim_time)
            engine.idle()
            window.sync()
            time.sleep(0.01)

        def wait(holds, what, patience=30.0):
            until(holds, what, tick, patience)

        pictures = [None]

        def is_steady():
            wait(after(0.3), "another picture")
            pictures.append(screen.picture().copy())
            return pictures[-1].any() and np.array_equal(pictures[-1], pictures.pop(0))

        wait(is_steady, "a picture that stands still")
        return engine, wait

    return open_on


def after(seconds):
    """Becomes true when so much wall time has passed."""
    then = time.monotonic() + seconds
    return lambda: time.monotonic() > then


def come_through(screen, engine, wait):
    """Returns when the window has seen all that was done before: a key arrives behind it."""
    paused = engine.ctx.control.paused
    screen.do("key", "space")
    wait(lambda: engine.ctx.control.paused != paused, "a change between pause and run")


def is_red(picture):
    red, green, blue = (picture[:, :, channel].astype(int) for channel in range(3))
    return (red > 120) & (green < 60) & (blue < 60)


def test_the_world_is_to_be_seen(screen, show):
    _, wait = show()
    wait(lambda: is_red(screen.picture()).any(), "a red crate on the screen")
    assert screen.do("getwindowname", screen.focus()) == "MuJoCo : crates"


def test_a_body_that_moves_moves_on_the_screen(screen, show):
    engine, wait = show()
    wait(lambda: is_red(screen.picture()).any(), "a red crate on the screen")

    def height():
        rows = np.flatnonzero(is_red(screen.picture()).any(axis=1))
        return rows.mean() if rows.size else 0.0

    before = height()
    engine.advance(200)
    wait(lambda: height() > before + 5, "the crate further down")


def test_what_is_absent_and_what_only_collides_is_not_to_be_seen(screen, show, tmp_path):
    (tmp_path / "w.xml").write_text(
        "<mujoco><worldbody><light pos='0 0 3'/><geom type='box' size='.3 .3 .3' rgba='1 0 0 1' group='3'/>"
        "<geom pos='1 0 0' size='.2' rgba='0 1 0 1'/></worldbody></mujoco>"
    )
    absent = WORLD + "    present: false\n"
    engine, wait = show(absent.replace("name: crates", f"world: {tmp_path / 'w.xml'}"))
    assert not is_red(screen.picture()).any()
    set_present(engine.ctx, "crate", True)
    wait(lambda: is_red(screen.picture()).any(), "the crate that was spawned")


def test_keys_pause_step_and_reset_by_way_of_the_engine(screen, show):
    engine, wait = show()
    control = engine.ctx.control
    engine.advance(10)
    screen.press("space")
    wait(lambda: control.paused, "a pause")
    screen.press("Right", "Right")
    wait(lambda: engine.ctx.tick == 12, "two steps")
    screen.press("BackSpace")
    wait(lambda: (engine.ctx.episode, engine.ctx.tick) == (2, 0), "a reset")
    screen.press("space")
    wait(lambda: not control.paused, "the end of the pause")
    assert engine.ctx.episode == 2


def test_the_key_list_comes_and_goes(screen, show):
    _, wait = show()

    def corner():
        return screen.picture()[5:160, 480:845].astype(int)

    before = corner()

    def toggle(holds, what):
        # A virtual screen may swallow a key while the window draws its first frames.
        for _ in range(5):
            screen.press("F1")
            with contextlib.suppress(AssertionError):
                return wait(holds, what, patience=6.0)
        return wait(holds, what)

    toggle(lambda: np.abs(corner() - before).mean() > 20, "the list in its corner")
    toggle(lambda: np.abs(corner() - before).mean() < 2, "the corner without it")


def test_the_view_is_saved_into_the_file_with_its_comments(screen, show, tmp_path, monkeypatch):
    path = tmp_path / "world.yaml"
    path.write_text(WORLD)
    _, wait = show(path)
    screen.press("F9", "F8")
    wait(lambda: "view" in path.read_text(), "a saved view")
    view = load_config(path).sim.view
    assert (view.track, view.follow_heading) == ("crate", False)
    assert view.distance > 0
    assert "}  # a small world\n" in path.read_text()


def test_flying_moves_the_eye_and_switches_nothing(screen, show, tmp_path):
    path = tmp_path / "world.yaml"
    path.write_text(WORLD)
    _, wait = show(path)

    def lookat():
        path.write_text(WORLD)
        screen.press("F8")
        wait(lambda: "lookat" in path.read_text(), "a saved view")
        return np.array(load_config(path).sim.view.lookat)

    before = lookat()
    screen.press("F10")
    screen.do("keydown", "w")
    wait(after(1.0), "a second of flight")
    screen.do("keyup", "w")
    screen.press("F10")
    assert np.linalg.norm(lookat() - before) > 0.5
    assert load_config(path).sim.view.distance > 1.0


def test_a_pull_with_the_mouse_becomes_a_force_and_ends_with_it(screen, show):
    engine, wait = show()
    force = engine.ctx.data.xfrc_applied[engine.ctx.entities.get("crate").body]
    screen.focus()

    def pull():
        """A double-click on the crate and a pull; on a busy machine the window may take the clicks for single ones."""
        screen.do("mouseup", "3", "keyup", "ctrl")
        rows, columns = np.nonzero(is_red(screen.picture()))
        place = (str(int(np.median(columns))), str(int(np.median(rows))))
        screen.do("mousemove", *place, "click", "--repeat", "2", "--delay", "10", "1")
        come_through(screen, engine, wait)
        screen.do("keydown", "ctrl", "mousedown", "3")
        come_through(screen, engine, wait)
        for _ in range(3):
            screen.do("mousemove_relative", "--", "8", "0")
            come_through(screen, engine, wait)
        return force.any()

    assert any(pull() for _ in range(10))
    screen.do("mouseup", "3", "keyup", "ctrl")
    wait(lambda: not engine.ctx.data.xfrc_applied.any(), "the end of the force")


@pytest.mark.parametrize("manual", [True, False])
def test_a_slider_sets_a_control_where_the_person_owns_it(screen, show, window, tmp_path, manual):
    path = tmp_path / "arm.xml"
    path.write_text(
        "<mujoco><worldbody><body><joint name='j'/><geom size='0.1'/></body></worldbody>"
        "<actuator><motor joint='j' ctrlrange='-1 1'/></actuator></mujoco>"
    )
    window._panels = (False, True)
    engine, wait = show(path, manual_control=manual)
    title, slider, end = (CONTROL, 55), (CONTROL + 160, 115), (CONTROL + 170, 115)
    screen.focus()
    screen.do("mousemove", *map(str, title), "click", "1")
    come_through(screen, engine, wait)
    screen.do("mousemove", *map(str, slider), "mousedown", "1")
    come_through(screen, engine, wait)
    screen.do("mousemove", *map(str, end), "mouseup", "1")
    for _ in range(2):
        come_through(screen, engine, wait)
    wait(after(0.5), "some time in which it stays")
    assert engine.ctx.data.ctrl[0] == (pytest.approx(0.7, abs=0.1) if manual else 0.0)


def test_closing_the_window_ends_the_run_by_the_usual_door(screen, world, until):
    engine = world(WORLD, reset=False)
    ended = []

    def close():
        until(lambda: is_red(screen.picture()).any(), "a picture")
        screen.press("ctrl+q")

    hand = threading.Thread(target=close)
    hand.start()
    summary = Runner(engine, 1.0, Limits(seconds=60.0), views=[Window()]).run()
    hand.join()
    ended.append(summary)
    assert (summary.reason, summary.failed) == ("the window was closed", False)
    assert screen.windows() == []


def test_a_window_that_dies_ends_the_run_as_failed(screen, show, window):
    engine, wait = show()
    os.kill(window._process.pid, 9)
    wait(lambda: engine.ctx.stop_requested, "a stop request")
    assert engine.ctx.stop_failed
    assert engine.ctx.stop_reason == "the window ended by itself: exit status -9"


def test_opening_and_closing_leaves_nothing(screen, world):
    engine = world(WORLD)
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for _ in range(CYCLES):
        window = Window()
        window.open(engine)
        folder, pid = Path(window._folder.name), window._process.pid
        engine.advance(5)
        window.sync()
        window.close()
        window.close()
        assert not Path(f"/proc/{pid}").exists()
        assert not folder.exists()
    assert screen.windows() == []
    assert (threading.active_count(), len(os.listdir("/proc/self/fd"))) == (threads, files)


def test_a_run_that_ends_at_once_closes_its_window_in_order(screen, world):
    summary = Runner(world(WORLD, reset=False), 1.0, Limits(steps=1), views=[Window()]).run()
    assert summary.steps == 1
    assert screen.windows() == []


def test_a_window_that_nobody_touches_changes_no_bit(screen, tmp_path):
    path = tmp_path / "world.yaml"
    path.write_text(WORLD + "  - dummy: {}\n")

    def last(views, pacing):
        engine = Engine(load_config(path))
        engine.setup()
        found = []
        shutdown = engine.shutdown

        def look_and_shut_down(**options):
            found.append(state.take(engine.ctx.model, engine.ctx.data))
            return shutdown(**options)

        engine.shutdown = look_and_shut_down
        Runner(engine, pacing, Limits(steps=600), views=views).run()
        return found[0].tobytes()

    assert last([Window(left_ui=True, right_ui=True)], 1.0) == last([], None)


class Hidden(Window):
    """Lets the run begin when the window is out of sight."""

    def __init__(self, screen, until):
        super().__init__()
        self._screen, self._until = screen, until

    def open(self, engine):
        super().open(engine)
        self._until(lambda: is_red(self._screen.picture()).any(), "a picture")
        self._screen.do("windowunmap", "--sync", *self._screen.windows())


def test_a_hidden_window_does_not_slow_the_physics(screen, world, until):
    reached = []
    while len(reached) < 3 and max(reached, default=0.0) < 0.99:
        engine = world(WORLD, reset=False)
        summary = Runner(engine, 1.0, Limits(seconds=3.0), views=[Hidden(screen, until)]).run()
        reached.append(summary.simulated / summary.wall)
    assert max(reached) == pytest.approx(1.0, abs=0.01), f"expected 1.0 x real time once, got {reached}"


def test_states_are_handed_over_at_most_sixty_times_a_second(show, window):
    engine, _ = show()
    before, start = int(window._block._head[0]), time.perf_counter()
    while time.perf_counter() < start + 0.5:
        engine.step()
        window.sync()
    assert 2 <= (int(window._block._head[0]) - before) / 2 <= 31


def test_a_window_that_hangs_neither_holds_the_run_up_nor_stays(screen, show, window):
    engine, wait = show()
    os.kill(window._process.pid, 19)
    start = time.perf_counter()
    for _ in range(300):
        engine.step()
        window.sync()
    assert time.perf_counter() - start < 1.0
    pid = window._process.pid
    window.close()
    assert not Path(f"/proc/{pid}").exists()


def test_without_a_server_behind_the_display_the_reason_is_told(world, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":4999")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(GLError, match=r"window: expected it to open, got .*:4999.*; check DISPLAY, or add --headless"):
        Runner(world(WORLD, reset=False), None, Limits(steps=1), views=[Window()]).run()
