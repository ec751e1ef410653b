"""A process that draws and simply ends is silent and successful."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.gl

OPEN = """
import roqsim, mujoco
from roqsim.rendering import Pinhole, RenderService, StillSource, View
model = mujoco.MjModel.from_xml_string(
    "<mujoco><worldbody><light pos='0 0 3'/><geom size='1' pos='3 0 0'/>"
    "<camera xyaxes='0 -1 0 0 0 1'/></worldbody></mujoco>"
)
def open_service():
    service = RenderService(StillSource(model, mujoco.MjData(model)))
    return service, service.open_view(View("eye", 0, Pinhole.from_fovy(64, 48, 1.0, 0.1, 10.0)))
service, stream = open_service()
"""


def run(program):
    """What a program leaves: its exit status, and what it printed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", OPEN + program], capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stdout.strip(), done.stderr.strip()


@pytest.mark.parametrize(
    "ending",
    [
        "",
        "lease = stream.fetch()",
        "service.capture([(stream, ('colour',), None)])",
        "stream.fetch().release(); other, eye = open_service(); eye.fetch()",
        "service.prepare(); service.close()",
        "stream.fetch(); service.close(); service.close()",
        "service.prepare(); del service, stream",
    ],
)
def test_a_script_that_draws_and_exits_is_silent(ending):
    assert run(ending) == (0, "", "")


def test_a_script_that_raises_shows_only_its_own_error():
    status, _, errors = run("stream.fetch()\nraise SystemExit('enough')")
    assert (status, errors) == (1, "enough")


def test_an_exit_in_the_middle_of_a_picture_is_silent():
    program = (
        "service.prepare(); [service.capture([(stream, ('colour',), None)]) for _ in range(3)]; raise SystemExit(0)"
    )
    assert run(program) == (0, "", "")


def test_a_service_is_closed_on_its_own_thread_before_gl_ends():
    program = """
import atexit, threading
from roqsim.rendering.classic import ClassicBackend
atexit.register(lambda: print("last"))
close = ClassicBackend.close
def told(self):
    print(threading.current_thread().name)
    close(self)
ClassicBackend.close = told
stream.fetch()
"""
    assert run(program) == (0, "roqsim-render\nlast", "")


def test_mujoco_may_be_imported_first():
    program = "import mujoco\n" + OPEN + "print(stream.fetch().colour.shape)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "(48, 64, 3)", done.stderr
