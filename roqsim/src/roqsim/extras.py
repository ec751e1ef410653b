"""Packages that only some installations have: the extras of roqsim."""

from __future__ import annotations

import importlib
from types import ModuleType

from roqsim.errors import ConfigError


def load_extra(module: str, extra: str, where: str, *, package: str = "", otherwise: str = "") -> ModuleType:
    """Imports a module that an extra brings.

    Args:
        module: Its name.
        extra: The extra of roqsim that brings it.
        where: What needs it; an error begins with it.
        package: What its package is called; as the module by default.
        otherwise: What to do instead of installing it, such as ``, or write a .gif``.

    Raises:
        ConfigError: It is not installed; it says how to get it.
    """
    try:
        return importlib.import_module(module)
    except ImportError:
        name = package or module.partition(".")[0]
        hint = f"install it with: pip install 'roqsim[{extra}]'{otherwise}"
        raise ConfigError(f"{where}: expected the package {name}, got none; {hint}") from None
