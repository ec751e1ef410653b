"""World files: YAML text in, a typed description of the run out."""

from __future__ import annotations

from roqsim.lazy import lazy_names

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

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
