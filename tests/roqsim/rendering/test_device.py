from __future__ import annotations

import subprocess
import sys

import pytest
from roqsim.errors import GLError
from roqsim.rendering import check_gl_backend
from roqsim.rendering.backend import Device
from roqsim.rendering.device import explain, has_card_without_node, in_turn, leave_a_core


@pytest.mark.parametrize(
    ("environment", "bound", "cause", "cure"),
    [
        ({"MUJOCO_GL": "disable"}, "", "turns drawing off", "unset it before Python starts"),
        ({"MUJOCO_GL": "egl"}, "glfw", "`import mujoco` ran before roqsim", "import roqsim first"),
        ({"MUJOCO_GL": "osmesa"}, "egl", "got 'egl'", "export MUJOCO_GL=osmesa before Python starts"),
        ({"MUJOCO_GL": "glfw"}, "glfw", "by MUJOCO_GL=glfw", "export MUJOCO_GL=egl"),
        ({}, "glfw", "neither EGL nor OSMesa installed", "libegl1"),
    ],
)
def test_a_wrong_backend_is_reported_with_cause_and_cure(environment, bound, cause, cure):
    with pytest.raises(GLError) as caught:
        check_gl_backend(environment, bound)
    text = str(caught.value)
    assert text.startswith("MUJOCO_GL: expected ")
    assert cause in text
    assert cure in text.split(";", 1)[1]
    assert caught.value.exit_status == 3


@pytest.mark.parametrize(
    ("environment", "bound"),
    [({"MUJOCO_GL": "egl"}, "egl"), ({"MUJOCO_GL": "OSMesa "}, "osmesa"), ({"DISPLAY": ":0"}, "glfw")],
)
def test_a_backend_that_can_work_is_named(environment, bound):
    assert check_gl_backend(environment, bound) == bound


def test_mujoco_before_roqsim_is_found_out():
    program = (
        "import os; os.environ.pop('MUJOCO_GL', None)\n"
        "import mujoco.rendering.classic.gl_context, roqsim\n"
        "os.environ['MUJOCO_GL'] = 'egl'\n"
        "from roqsim.errors import GLError\n"
        "from roqsim.rendering import check_gl_backend\n"
        "try:\n    check_gl_backend()\nexcept GLError as error:\n    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={"PATH": ""})
    assert "`import mujoco` ran before roqsim" in run.stdout, run.stderr


@pytest.mark.parametrize(("cores", "threads"), [(1, "0"), (2, "1"), (8, "7")])
def test_drawing_in_software_leaves_a_core_to_the_simulation(cores, threads):
    variables = {}
    leave_a_core(variables, cores)
    assert variables == {"LP_NUM_THREADS": threads}
    mine = {"LP_NUM_THREADS": "5"}
    leave_a_core(mine, cores)
    assert mine == {"LP_NUM_THREADS": "5"}


def test_processes_take_turns_where_a_file_is_named(tmp_path):
    path = tmp_path / "turns"
    program = (
        "import sys\nfrom roqsim.rendering.device import in_turn\n"
        f"with in_turn({{'ROQSIM_GL_TURNS': {str(path)!r}}}):\n    print('mine', flush=True)\n"
    )
    with in_turn({"ROQSIM_GL_TURNS": str(path)}):
        other = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(1.5)
    assert other.communicate(timeout=20)[0] == "mine\n"


def test_a_file_for_turns_that_can_not_be_written_is_named(tmp_path):
    place = str(tmp_path / "missing" / "turns")
    with (
        pytest.raises(GLError, match="ROQSIM_GL_TURNS: expected a file that can be written"),
        in_turn({"ROQSIM_GL_TURNS": place}),
    ):
        pass


def test_what_the_driver_says_is_part_of_the_report():
    text = str(explain(ImportError("Cannot initialize a EGL\n device display"), "egl"))
    assert "Cannot initialize a EGL device display" in text
    assert "libgl1-mesa-dri" in text


@pytest.mark.parametrize(
    ("name", "software"), [("llvmpipe (LLVM 15.0.6, 256 bits)", True), ("NVIDIA GeForce RTX 4070/PCIe/SSE2", False)]
)
def test_a_renderer_without_a_card_is_known_by_its_name(name, software):
    assert Device(name, "egl").is_software is software


def test_a_card_without_a_render_node_is_found(tmp_path):
    assert not has_card_without_node(tmp_path)
    (tmp_path / "nvidia0").touch()
    assert has_card_without_node(tmp_path)
    (tmp_path / "dri").mkdir()
    (tmp_path / "dri" / "renderD128").touch()
    assert not has_card_without_node(tmp_path)
