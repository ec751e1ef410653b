"""What a machine offers a simulation, and what is wrong with it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata, util
from pathlib import Path

from roqsim import __version__ as core
from roqsim.drivers.answers.probe import Answer, ask
from roqsim.gl import is_software
from roqsim.registry import COMMANDS, MODELS, OVERLAYS, PLUGINS, WORLDS, entries
from roqsim.scene.mujoco_versions import complaint

BACKENDS = ("egl", "osmesa", "glfw")
"""The values of ``MUJOCO_GL`` that can draw."""

WITHOUT_GL = {"MUJOCO_GL": "disable"}
"""With this, MuJoCo can be imported where OpenGL is broken."""

UNTRIED = "not tried, because MuJoCo cannot be imported"

REINSTALL = "pip uninstall -y mujoco mujoco-core, then install roqsim again"


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    Attributes:
        check: What was looked at.
        status: ``ok``, ``note`` (worth knowing) or ``wrong``.
        detail: What was found.
        hint: What to do about it, or an empty text.
    """

    check: str
    status: str
    detail: str
    hint: str = ""

    def __str__(self) -> str:
        mark = {"ok": "ok", "note": "note", "wrong": "WRONG"}[self.status]
        return f"{self.check:<13} {mark:<6} {self.detail}" + (f"; {self.hint}" if self.hint else "")

    def as_dict(self) -> dict[str, str]:
        """The finding as plain data."""
        return asdict(self)


def examine() -> Iterator[Finding]:
    """Looks at everything, one finding after the other; nothing that fails here ends the process."""
    yield Finding("python", "ok", f"{sys.version.split()[0]} at {sys.executable}")
    version = ask("version", WITHOUT_GL)
    yield _mujoco(version)
    if version.failure:
        yield Finding("gl", "note", UNTRIED)
    else:
        drawing = ask("gl")
        yield _gl(drawing)
    yield _display()
    yield _ros()
    yield from _packages()
    if version.failure:
        yield Finding("entry points", "note", UNTRIED)
    else:
        yield from _entries(ask("entries", WITHOUT_GL if drawing.failure else {}))


# MuJoCo


def _mujoco(answer: Answer) -> Finding:
    installed = {name: found for name in ("mujoco", "mujoco-core") if (found := _versions_of(name))}
    package, library = answer.value("package"), answer.value("library")
    if package is None:
        mixed = broken_upgrade(installed, "", "")
        return Finding("mujoco", "wrong", mixed or f"cannot be imported: {answer.failure}", REINSTALL)
    if broken := broken_upgrade(installed, str(package), str(library)):
        return Finding("mujoco", "wrong", broken, REINSTALL)
    if bad := complaint(str(package)):
        reason, _, hint = bad.rpartition("; ")
        return Finding("mujoco", "wrong", f"{package}: {reason}", hint)
    return Finding("mujoco", "ok", f"{package} at {Path(str(answer.value('file'))).parent}")


def _versions_of(distribution: str) -> list[str]:
    """Every installed version of a distribution; more than one is left by an upgrade that failed halfway."""
    name = distribution.replace("-", "_").lower()
    found = {dist.version for dist in metadata.distributions() if (dist.name or "").replace("-", "_").lower() == name}
    return sorted(found)


def broken_upgrade(installed: dict[str, list[str]], package: str, library: str) -> str:
    """How the files of two MuJoCo versions got mixed; empty where they did not.

    Before version 4 the distribution ``mujoco`` held the package ``mujoco``; since then ``mujoco-core`` does.
    Installing one over the other leaves files of both.

    Args:
        installed: The versions that the metadata states, by distribution.
        package: What ``mujoco.__version__`` says; empty where nobody knows.
        library: What ``mj_versionString`` says; empty where nobody knows.
    """
    several = [f"{name} {' and '.join(found)}" for name, found in installed.items() if len(found) > 1]
    if several:
        return f"two versions are installed over each other: {', '.join(several)}"
    versions = {name: found[0] for name, found in installed.items()}
    stated = ", ".join(f"{name} {version}" for name, version in versions.items())
    if "mujoco-core" in versions and int(versions.get("mujoco", "4").split(".")[0]) < 4:
        return f"an upgrade from 3 to 4 left both: {stated} write the same files"
    owner = versions.get("mujoco-core") or versions.get("mujoco")
    if owner is not None and package and owner != package:
        return f"the files are {package}, but the installed packages are {stated}"
    if package != library:
        return f"the Python files are {package}, but the library is {library}"
    return ""


# Pictures


def _gl(answer: Answer) -> Finding:
    backend = os.environ.get("MUJOCO_GL", "")
    name = f"MUJOCO_GL={backend or '(unset)'}"
    if not answer.value("shows"):
        reason = answer.failure or "the picture is empty"
        return Finding("gl", "wrong", f"{name} does not work: {reason}", _other_backend(backend))
    renderer = str(answer.value("renderer"))
    if is_software(renderer):
        return Finding("gl", "note", f"{name}: {renderer}", "it draws in software: expect few pictures a second")
    return Finding("gl", "ok", f"{name}: {renderer}")


def _other_backend(broken: str) -> str:
    for backend in BACKENDS:
        if backend != broken and ask("gl", {"MUJOCO_GL": backend}).value("shows"):
            return f"export MUJOCO_GL={backend}, which works here"
    return "no other backend works here either: install libegl1 and libgl1-mesa-dri, or libosmesa6"


def _display() -> Finding:
    display, wayland = os.environ.get("DISPLAY"), os.environ.get("WAYLAND_DISPLAY")
    if not display and not wayland:
        return Finding("display", "note", "none", "no window can open: run with --browser or --headless")
    if display and not wayland and not _has_server(display):
        return Finding(
            "display", "note", f"DISPLAY={display}, where no X server answers", "run with --browser or --headless"
        )
    return Finding("display", "ok", " ".join(filter(None, (display, wayland))))


def _has_server(display: str) -> bool:
    """Whether the socket of a local X display exists; a display of another machine is taken on trust."""
    host, _, number = display.partition(":")
    return bool(host and host != "unix") or Path("/tmp/.X11-unix", f"X{number.partition('.')[0]}").exists()


# What surrounds the simulator


def _ros() -> Finding:
    distribution = os.environ.get("ROS_DISTRO")
    has_rclpy = util.find_spec("rclpy") is not None
    if distribution and has_rclpy:
        return Finding("ros", "ok", f"ROS 2 {distribution}")
    if distribution:
        version = ".".join(map(str, sys.version_info[:2]))
        hint = "--ros needs it: use the Python that this ROS was built for, and source its setup.bash"
        return Finding("ros", "note", f"ROS 2 {distribution} is sourced, but Python {version} has no rclpy", hint)
    return Finding("ros", "note", "not sourced", "only --ros needs it")


def _packages() -> Iterator[Finding]:
    groups = (PLUGINS, MODELS, WORLDS, COMMANDS, OVERLAYS)
    announced = {entry.dist for group in groups for entry in entries(group)} - {"roqsim", "?"}
    names = announced | {dist.name for dist in metadata.distributions() if (dist.name or "").startswith("roqsim_")}
    yield Finding("package", "ok", f"roqsim {core}")
    for name in sorted(names):
        version = metadata.version(name)
        wanted = _wanted_core(name)
        if wanted and wanted != core:
            detail = f"{name} {version} needs roqsim {wanted}, and roqsim {core} is installed"
            yield Finding("package", "wrong", detail, "install the same version of both")
        else:
            yield Finding("package", "ok", f"{name} {version}")


def _wanted_core(distribution: str) -> str:
    """The exact version of roqsim that a distribution asks for; empty where it does not."""
    for requirement in metadata.requires(distribution) or ():
        if match := re.match(r"roqsim\s*\(?==\s*([\w.]+)", requirement):
            return match[1]
    return ""


def _entries(answer: Answer) -> Iterator[Finding]:
    broken = [line for line in answer.lines if line["reason"]]
    for line in broken:
        detail = f"{line['group']}: {line['reason']}"
        yield Finding("entry points", "wrong", detail, f"repair or uninstall {line['dist']}")
    if answer.failure:
        yield Finding("entry points", "wrong", f"loading them failed: {answer.failure}")
    elif not broken:
        yield Finding("entry points", "ok", f"all {len(answer.lines)} load")
