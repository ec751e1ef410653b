from __future__ import annotations

import os
import subprocess
import sys

import pytest
from roqsim.gl import library_folders, select_offscreen_gl


@pytest.fixture
def machine(tmp_path):
    """Makes a machine: whether it has a render node, and which GL libraries."""

    def make(*, node: bool, libraries: tuple[str, ...]):
        nodes, folder = tmp_path / "dri", tmp_path / "lib"
        nodes.mkdir()
        folder.mkdir()
        if node:
            (nodes / "renderD128").touch()
        for library in libraries:
            (folder / library).touch()
        return {"nodes": nodes, "folders": [tmp_path / "nowhere", folder]}

    return make


@pytest.mark.parametrize(
    ("node", "libraries", "chosen"),
    [
        (True, ("libEGL.so.1", "libOSMesa.so.8"), "egl"),
        (True, ("libOSMesa.so.8",), "osmesa"),
        (False, ("libEGL.so.1", "libOSMesa.so.8"), "osmesa"),
        (False, ("libEGL.so.1",), "egl"),
        (False, ("libEGL_mesa.so.0",), None),
        (True, (), None),
    ],
)
def test_the_backend_is_one_that_the_machine_has(machine, node, libraries, chosen):
    environment = {"DISPLAY": ":0"}
    assert select_offscreen_gl(environment, **machine(node=node, libraries=libraries)) == chosen
    assert environment.get("MUJOCO_GL") == chosen


@pytest.mark.parametrize("name", ["MUJOCO_GL", "ROQSIM_NO_GL_SELECT"])
def test_a_choice_of_the_user_is_kept(machine, name):
    environment = {name: "1"}
    assert select_offscreen_gl(environment, **machine(node=True, libraries=("libEGL.so.1",))) is None
    assert environment == {name: "1"}


def test_another_system_is_left_to_mujoco(machine, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert select_offscreen_gl({}, **machine(node=True, libraries=("libEGL.so.1",))) is None


def test_the_linkers_own_path_comes_first(monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/mesa/lib:/opt/other")
    assert [str(folder) for folder in library_folders()[:2]] == ["/opt/mesa/lib", "/opt/other"]


def test_mujoco_can_be_imported_after_roqsim():
    environment = {
        name: value for name, value in os.environ.items() if name not in ("MUJOCO_GL", "ROQSIM_NO_GL_SELECT")
    }
    program = "import roqsim, sys; assert 'mujoco' not in sys.modules; import mujoco"
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
