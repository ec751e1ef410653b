"""The choice of MuJoCo's offscreen GL backend, made before MuJoCo can be imported."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, MutableMapping
from pathlib import Path

RENDER_NODES = Path("/dev/dri")
"""Where Linux lists the devices that EGL can render on."""

LIBRARIES = {"egl": "libEGL.so*", "osmesa": "libOSMesa.so*"}
"""The system library behind each backend: without it, ``MUJOCO_GL=<backend>`` makes ``import mujoco`` fail."""

_SYSTEM_FOLDERS = ("/usr/local/lib", "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/lib/wsl/lib")


def library_folders() -> list[Path]:
    """Where the system's linker looks for libraries, as far as that can be told without asking it."""
    asked = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep) if folder]
    multiarch = getattr(sys.implementation, "_multiarch", "")
    system = [folder for base in _SYSTEM_FOLDERS for folder in (base, f"{base}/{multiarch}")]
    return [Path(folder) for folder in [*asked, f"{sys.prefix}/lib", *system]]


def select_offscreen_gl(
    environment: MutableMapping[str, str] | None = None,
    nodes: Path = RENDER_NODES,
    folders: Iterable[Path] | None = None,
) -> str | None:
    """Sets ``MUJOCO_GL`` where the user left it unset.

    A machine with a render node gets ``egl``, another one ``osmesa``, or the other of the two where the library of the
    first is missing; with neither library, and on other systems than Linux, nothing is set. An existing ``MUJOCO_GL``
    is kept, and ``ROQSIM_NO_GL_SELECT=1`` leaves everything to MuJoCo. ``DISPLAY`` plays no part: a window brings its
    own context.

    Args:
        environment: The variables to read and write; those of the process by default.
        nodes: The directory that holds the render nodes (``renderD*``).
        folders: Where libraries may be; ``library_folders()`` by default.

    Returns:
        The value that was set, or None where nothing was.
    """
    variables = os.environ if environment is None else environment
    if variables.get("MUJOCO_GL") or variables.get("ROQSIM_NO_GL_SELECT") or sys.platform != "linux":
        return None
    places = library_folders() if folders is None else list(folders)
    order = ("egl", "osmesa") if any(nodes.glob("renderD*")) else ("osmesa", "egl")
    for backend in order:
        if any(next(folder.glob(LIBRARIES[backend]), None) for folder in places):
            variables["MUJOCO_GL"] = backend
            return backend
    return None


SOFTWARE = re.compile(r"llvmpipe|softpipe|swrast|swiftshader|software|basic render", re.IGNORECASE)
"""What the names of renderers without a graphics card have in common."""


def is_software(renderer: str) -> bool:
    """Whether a renderer, by its GL name, draws without a graphics card."""
    return bool(SOFTWARE.search(renderer))
