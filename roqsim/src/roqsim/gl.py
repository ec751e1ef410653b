"""The choice of MuJoCo's offscreen GL backend, made before MuJoCo can be imported."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path

RENDER_NODES = Path("/dev/dri")
"""Where Linux lists the devices that EGL can render on."""


def select_offscreen_gl(environment: MutableMapping[str, str] | None = None, nodes: Path = RENDER_NODES) -> str | None:
    """Sets ``MUJOCO_GL`` where the user left it unset.

    A machine with a render node gets ``egl``, another one ``osmesa``. An existing ``MUJOCO_GL`` is kept, and
    ``ROQSIM_NO_GL_SELECT=1`` leaves everything to MuJoCo. ``DISPLAY`` plays no part: a window brings its own context.

    Args:
        environment: The variables to read and write; those of the process by default.
        nodes: The directory that holds the render nodes (``renderD*``).

    Returns:
        The value that was set, or None where nothing was.
    """
    variables = os.environ if environment is None else environment
    if variables.get("MUJOCO_GL") or variables.get("ROQSIM_NO_GL_SELECT"):
        return None
    chosen = "egl" if any(nodes.glob("renderD*")) else "osmesa"
    variables["MUJOCO_GL"] = chosen
    return chosen
