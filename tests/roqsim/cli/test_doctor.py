"""``roqsim doctor``: what is wrong is found, named, and answered with something to do."""

from __future__ import annotations

import json
import os

import pytest
from roqsim.drivers.answers import doctor, probe
from roqsim.drivers.answers.probe import Answer
from roqsim.scene.mujoco_versions import complaint

CHECKS = ["python", "mujoco", "gl", "display", "ros", "package", "entry points"]


@pytest.fixture
def answers(monkeypatch):
    """What the probes say; a healthy machine unless a test changes it."""
    said = {
        "version": Answer([{"package": "3.17.0", "library": "3.17.0", "file": "/x/mujoco/__init__.py"}]),
        "gl": Answer([{"backend": "egl"}, {"renderer": "NVIDIA RTX", "version": "4.6", "shows": True}]),
        "entries": Answer([{"group": "roqsim.plugins", "name": "dummy", "dist": "roqsim", "reason": ""}]),
    }
    asked = []

    def ask(question, environment=None):
        backend = (environment or {}).get("MUJOCO_GL")
        asked.append((question, backend))
        return said.get((question, backend), said[question])

    monkeypatch.setattr(doctor, "ask", ask)
    monkeypatch.setattr(doctor, "_versions_of", lambda name: ["3.17.0"] if name == "mujoco" else [])
    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.setenv("DISPLAY", "elsewhere:0")
    monkeypatch.delenv("ROS_DISTRO", raising=False)
    return said


def report(cli) -> tuple[int, dict[str, list[dict]]]:
    """Exit status and findings by check."""
    result = cli("doctor", "--json")
    assert len(result.stdout.splitlines()) == 1
    found: dict[str, list[dict]] = {}
    for finding in json.loads(result.stdout)["findings"]:
        found.setdefault(finding["check"], []).append(finding)
    return result.exit_code, found


@pytest.mark.slow
def test_this_machine_is_examined_for_real(cli):
    status, found = report(cli)
    assert list(found) == CHECKS
    wrong = [finding for findings in found.values() for finding in findings if finding["status"] == "wrong"]
    assert status == (5 if wrong else 0)
    assert found["mujoco"][0]["status"] == "ok", found["mujoco"]


def test_a_healthy_machine_is_told_so(cli, answers):
    status, found = report(cli)
    assert status == 0
    assert {finding["status"] for findings in found.values() for finding in findings} <= {"ok", "note"}
    assert "NVIDIA RTX" in found["gl"][0]["detail"]
    text = cli("doctor")
    assert text.exit_code == 0
    assert text.stderr == ""


def test_software_rendering_is_a_note(cli, answers):
    answers["gl"].lines[1]["renderer"] = "llvmpipe (LLVM 15.0.6, 256 bits)"
    status, found = report(cli)
    assert status == 0
    assert found["gl"][0]["status"] == "note"
    assert "software" in found["gl"][0]["hint"]


def test_a_broken_backend_is_answered_with_one_that_works(cli, answers):
    answers["gl"] = Answer([], "AttributeError: 'NoneType' object has no attribute 'glGetError'")
    answers["gl", "osmesa"] = Answer([{"renderer": "llvmpipe", "shows": True}])
    status, found = report(cli)
    assert status == 5
    assert "glGetError" in found["gl"][0]["detail"]
    assert found["gl"][0]["hint"] == "export MUJOCO_GL=osmesa, which works here"


def test_no_backend_at_all_names_what_to_install(cli, answers):
    answers["gl"] = Answer([], "the process was ended by SIGSEGV")
    status, found = report(cli)
    assert status == 5
    assert "SIGSEGV" in found["gl"][0]["detail"]
    assert "libegl1" in found["gl"][0]["hint"]


def test_an_empty_picture_is_no_picture(cli, answers):
    answers["gl"].lines[1]["shows"] = False
    assert report(cli)[0] == 5


@pytest.mark.parametrize("version", ["4.0.0", "3.16.1", "5.0.0"])
def test_a_bad_version_of_mujoco_is_wrong(cli, answers, monkeypatch, version):
    answers["version"].lines[0] |= {"package": version, "library": version}
    monkeypatch.setattr(doctor, "_versions_of", lambda name: [version] if name == "mujoco" else [])
    status, found = report(cli)
    assert status == 5
    assert version in found["mujoco"][0]["detail"]
    assert "install" in found["mujoco"][0]["hint"]


@pytest.mark.parametrize("version", ["3.17.0", "3.17", "3.21.4", "4.0.1", "4.2.0"])
def test_a_good_version_of_mujoco_has_no_complaint(version):
    assert complaint(version) == ""


def test_a_mujoco_that_cannot_be_imported_is_wrong_and_the_only_thing_told(cli, answers):
    answers["version"] = Answer([], "ModuleNotFoundError: No module named 'mujoco'")
    status, found = report(cli)
    assert status == 5
    assert "No module named 'mujoco'" in found["mujoco"][0]["detail"]
    assert found["gl"][0]["status"] == found["entry points"][0]["status"] == "note"


def test_an_upgrade_that_broke_the_import_is_recognised_by_what_is_installed(cli, answers, monkeypatch):
    answers["version"] = Answer([], "OSError: libmujoco.so.3.17.0: cannot open shared object file")
    monkeypatch.setattr(doctor, "_versions_of", lambda name: ["3.17.0"] if name == "mujoco" else ["4.0.1"])
    detail = report(cli)[1]["mujoco"][0]["detail"]
    assert "mujoco 3.17.0, mujoco-core 4.0.1" in detail


@pytest.mark.parametrize(
    ("installed", "package", "library"),
    [
        ({"mujoco": ["3.17.0"]}, "3.17.0", "3.17.0"),
        ({"mujoco-core": ["4.0.1"]}, "4.0.1", "4.0.1"),
        ({"mujoco": ["4.0.1"], "mujoco-core": ["4.0.1"]}, "4.0.1", "4.0.1"),
        ({}, "4.1.0", "4.1.0"),
    ],
)
def test_a_whole_mujoco_is_no_broken_upgrade(installed, package, library):
    assert doctor.broken_upgrade(installed, package, library) == ""


@pytest.mark.parametrize(
    ("installed", "package", "library", "reason"),
    [
        ({"mujoco": ["3.17.0"], "mujoco-core": ["4.0.1"]}, "4.0.1", "4.0.1", "left both"),
        ({"mujoco": ["3.17.0", "4.0.1"]}, "4.0.1", "4.0.1", "over each other"),
        ({"mujoco": ["4.0.1"], "mujoco-core": ["4.0.1"]}, "3.17.0", "4.0.1", "the files are 3.17.0"),
        ({"mujoco-core": ["4.0.1"]}, "4.0.1", "3.17.0", "the library is 3.17.0"),
    ],
)
def test_a_broken_upgrade_is_recognised(installed, package, library, reason):
    assert reason in doctor.broken_upgrade(installed, package, library)


def test_an_entry_point_that_fails_is_named_with_its_package_and_reason(cli, installed, monkeypatch):
    installed(
        "wreck",
        {"roqsim.plugins": {"ruin": "wreck.parts:Ruin"}, "roqsim.worlds": {"wreck": "wreck.none"}},
        parts="1 / 0",
    )
    lines = list(probe.answer("entries"))
    broken = {(line["group"], line["name"]): line for line in lines if line["reason"]}
    assert "ZeroDivisionError" in broken["roqsim.plugins", "ruin"]["reason"]
    assert "wreck.none" in broken["roqsim.worlds", "wreck"]["reason"]
    assert broken["roqsim.plugins", "ruin"]["dist"] == "wreck"


def test_a_broken_entry_point_is_wrong_and_the_others_are_still_counted(cli, answers):
    answers["entries"].lines.append({"group": "g", "name": "x", "dist": "wreck", "reason": "no such thing"})
    status, found = report(cli)
    assert status == 5
    assert found["entry points"][0]["detail"] == "g: no such thing"
    assert found["entry points"][0]["hint"] == "repair or uninstall wreck"


def test_a_package_for_another_version_of_the_core_is_wrong(cli, answers, installed):
    folder = installed("wings", {"roqsim.commands": {"fly": "wings.cli:command"}})
    with (folder.parent / "wings-1.0.dist-info" / "METADATA").open("a") as metadata:
        metadata.write("Requires-Dist: roqsim==99.0\n")
    status, found = report(cli)
    assert status == 5
    wrong = [finding["detail"] for finding in found["package"] if finding["status"] == "wrong"]
    assert len(wrong) == 1
    assert wrong[0].startswith("wings 1.0 needs roqsim 99.0")


@pytest.mark.parametrize(("display", "status"), [("", "note"), (":4711", "note"), ("elsewhere:0", "ok")])
def test_a_display_without_server_is_a_note(cli, answers, monkeypatch, display, status):
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert report(cli)[1]["display"][0]["status"] == status


def test_a_ros_of_another_python_is_told(cli, answers, monkeypatch):
    monkeypatch.setenv("ROS_DISTRO", "jazzy")
    monkeypatch.setattr(doctor.util, "find_spec", lambda name: None)
    finding = report(cli)[1]["ros"][0]
    assert finding["status"] == "note"
    assert "jazzy" in finding["detail"]
    assert "rclpy" in finding["detail"]


def test_the_last_line_for_people_says_what_is_wrong(cli, answers):
    answers["gl"] = Answer([], "broken")
    result = cli("doctor")
    assert result.exit_code == 5
    assert result.stderr.splitlines()[-1] == "1 thing is wrong: gl"
    assert "WRONG" in result.stdout


def test_a_probe_that_crashes_is_an_answer(monkeypatch, tmp_path):
    program = tmp_path / "python"
    program.write_text('#!/bin/sh\necho \'{"backend": "egl"}\'\nkill -SEGV $$\n')
    program.chmod(0o755)
    monkeypatch.setattr(probe.sys, "executable", str(program))
    answer = probe.ask("gl")
    assert answer.value("backend") == "egl"
    assert answer.failure == "the process was ended by SIGSEGV"


def test_a_probe_that_hangs_is_an_answer(monkeypatch, tmp_path):
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(probe.sys, "executable", str(program))
    monkeypatch.setattr(probe, "TIMEOUT", 0.2)
    assert "no answer" in probe.ask("gl").failure


def test_a_probe_with_a_wrong_backend_says_why(monkeypatch):
    answer = probe.ask("gl", {"MUJOCO_GL": "no_such_backend"})
    assert "MUJOCO_GL" in answer.failure
    assert os.environ.get("MUJOCO_GL") != "no_such_backend"
