"""World files: YAML text in, a typed description of the run out."""

from __future__ import annotations

import importlib

_HOMES = {
    "BUILTIN_WORLDS": "roqsim.config.sim",
    "Pose": "roqsim.config.pose",
    "PluginSpec": "roqsim.config.entries",
    "SimConfig": "roqsim.config.world",
    "SimOptions": "roqsim.config.sim",
    "apply_overrides": "roqsim.config.world",
    "drop_transport": "roqsim.config.transport",
    "drop_transport_plugins": "roqsim.config.transport",
    "instantiate_plugins": "roqsim.config.world",
    "load_config": "roqsim.config.world",
    "load_config_from_dict": "roqsim.config.world",
    "overrides_from_dotlist": "roqsim.config.overrides",
    "with_transport": "roqsim.config.transport",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'roqsim.config' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
