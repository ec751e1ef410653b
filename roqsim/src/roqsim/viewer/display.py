"""Whether a window can open here, and whether drawing it costs the processor."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from roqsim.errors import ConfigError

GRAPHICS_CARDS = ("dri/renderD*", "nvidia0", "dxg")
"""What a Linux system lists in ``/dev`` for a graphics card: kernel drivers, NVIDIA's own one, the one of WSL."""


def has_display(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> bool:
    """Whether there is a screen to open a window on; on other systems than Linux there always is."""
    variables = os.environ if environment is None else environment
    return platform != "linux" or bool(variables.get("DISPLAY") or variables.get("WAYLAND_DISPLAY"))


def require_display(hint: str, environment: Mapping[str, str] | None = None) -> None:
    """Refuses a window where there is no screen.

    Args:
        hint: What to do without one.
        environment: The environment variables; this process's own by default.

    Raises:
        ConfigError: If there is none.
    """
    if not has_display(environment):
        raise ConfigError(f"sim: expected a display for the window, got none; {hint}")


def draws_in_software(
    environment: Mapping[str, str] | None = None, devices: Path = Path("/dev"), platform: str = sys.platform
) -> bool:
    """Whether OpenGL has no graphics card here, so that each frame takes processor time from the physics."""
    variables = os.environ if environment is None else environment
    if variables.get("LIBGL_ALWAYS_SOFTWARE") == "1":
        return True
    return platform == "linux" and not any(next(devices.glob(card), None) for card in GRAPHICS_CARDS)
