"""Is there a GL that can draw, and if not: why, and what to do about it?"""

from __future__ import annotations

import contextlib
import functools
import importlib
import logging
import os
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path

from roqsim.errors import GLError

LOG = logging.getLogger("roqsim")

OFF = ("disable", "disabled", "off", "false", "0")
"""The values of ``MUJOCO_GL`` by which MuJoCo does without GL."""

TURNS = "ROQSIM_GL_TURNS"
"""The variable that names the file by which processes take turns in making their contexts."""

INSTALL = "install libegl1, libegl-mesa0 and libgl1-mesa-dri (or libosmesa6)"

WRONG_DRIVERS = "export MUJOCO_GL=egl or MUJOCO_GL=osmesa, whichever `roqsim doctor` finds to work; else " + INSTALL


def bound_backend() -> str:
    """What MuJoCo bound while it was imported: ``egl``, ``osmesa``, ``glfw``, ``cgl``, or empty for nothing."""
    context = importlib.import_module("mujoco.rendering.classic.gl_context")
    chosen = getattr(context, "GLContext", None)
    return "" if chosen is None else chosen.__module__.rpartition(".")[2]


def check_gl_backend(environment: Mapping[str, str] | None = None, bound: str | None = None) -> str:
    """Finds out, before anything is drawn, whether MuJoCo is bound to a backend that can work here.

    Args:
        environment: The variables of the process; its own by default.
        bound: What MuJoCo is bound to; ``bound_backend()`` by default.

    Returns:
        The bound backend.

    Raises:
        GLError: If it can not; it names the cause and the cure.
    """
    variables = os.environ if environment is None else environment
    found = bound_backend() if bound is None else bound
    asked = variables.get("MUJOCO_GL", "").lower().strip()
    if not found:
        raise GLError(
            f"MUJOCO_GL: expected a backend that draws, got {asked!r}, which turns drawing off; unset it before "
            "Python starts, or export MUJOCO_GL=egl"
        )
    if asked in ("egl", "osmesa") and found != asked:
        raise GLError(
            f"MUJOCO_GL: expected MuJoCo to be bound to {asked!r}, got {found!r}, because `import mujoco` ran before "
            "roqsim chose and MuJoCo reads the choice only once; import roqsim first, or export "
            f"MUJOCO_GL={asked} before Python starts"
        )
    has_display = variables.get("DISPLAY") or variables.get("WAYLAND_DISPLAY")
    if found == "glfw" and sys.platform == "linux" and not has_display:
        chosen = f"MUJOCO_GL={asked}" if asked else "no MUJOCO_GL, and neither EGL nor OSMesa installed"
        raise GLError(
            f"MUJOCO_GL: expected a backend that draws without a display, got 'glfw' by {chosen}; {WRONG_DRIVERS}"
        )
    return found


def usable_backend() -> str:
    """The backend of this package's own renderer: the one that was asked for, even where MuJoCo is bound to another.

    MuJoCo's ``Renderer`` takes what was bound at its import; a context can be made of any backend whose Python module
    can still be imported, which PyOpenGL allows as long as it is not bound to another platform itself.

    Raises:
        GLError: As ``check_gl_backend``.
    """
    asked = os.environ.get("MUJOCO_GL", "").lower().strip()
    platform = os.environ.get("PYOPENGL_PLATFORM", "").lower()
    if asked in ("egl", "osmesa") and bound_backend() not in ("", asked) and sys.platform == "linux":
        if platform == asked or (not platform and "OpenGL" not in sys.modules):
            return asked
    return check_gl_backend()


def explain(error: BaseException, backend: str) -> GLError:
    """What to raise for a GL context that could not be made."""
    reason = " ".join(str(error).split()) or type(error).__name__
    return GLError(f"MUJOCO_GL: expected {backend or 'a backend'!r} to draw, got: {reason}; {WRONG_DRIVERS}")


def leave_a_core(environment: MutableMapping[str, str] | None = None, cores: int | None = None) -> None:
    """Keeps Mesa's software renderer off one core, unless the user has set ``LP_NUM_THREADS``.

    It takes every core by default, and a simulation that steps meanwhile then runs at a third of its speed. Mesa reads
    the variable when the first context of a process is made.
    """
    variables = os.environ if environment is None else environment
    count = len(os.sched_getaffinity(0)) if cores is None and hasattr(os, "sched_getaffinity") else cores
    variables.setdefault("LP_NUM_THREADS", str(max((count or os.cpu_count() or 1) - 1, 0)))


@contextlib.contextmanager
def in_turn(environment: Mapping[str, str] | None = None) -> Iterator[None]:
    """Makes the processes of a campaign create their GL contexts one after the other, where ``ROQSIM_GL_TURNS`` asks.

    The variable names a file that all of them may lock; a driver that is short of memory or slow to start then sees one
    context at a time.
    """
    path = (os.environ if environment is None else environment).get(TURNS)
    if not path or sys.platform == "win32":
        yield
        return
    import fcntl

    try:
        file = open(path, "a")  # noqa: SIM115 - closed below, whereupon the lock is free again
    except OSError as error:
        raise GLError(f"{TURNS}: expected a file that can be written, got {path!r}: {error.strerror}") from None
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def has_card_without_node(devices: Path = Path("/dev")) -> bool:
    """Whether an NVIDIA card is here that EGL can not reach: ``/dev/nvidia0`` without ``/dev/dri/renderD*``."""
    return any(devices.glob("nvidia[0-9]*")) and not any(devices.glob("dri/renderD*"))


@functools.cache
def note_missing_render_node() -> None:
    """Says once in a process that a card is here and can not be used."""
    if has_card_without_node():
        LOG.warning(
            "/dev/nvidia* is here but no render node under /dev/dri, so pictures are drawn in software; give the "
            "process access to /dev/dri (in a container: --device /dev/dri)"
        )
