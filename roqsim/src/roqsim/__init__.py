"""roqsim: one YAML file declares a world and its robots, a pipeline of plugins steps MuJoCo.

The public names below load on first use, so that ``import roqsim`` costs nothing and pulls in neither MuJoCo nor NumPy.
Importing the package chooses the offscreen GL backend, because MuJoCo reads that choice once, while it is imported.
"""

from __future__ import annotations

from roqsim.gl import select_offscreen_gl
from roqsim.lazy import lazy_names

__version__ = "0.1.0"

_HOMES = {
    "load_config": "roqsim.config.world",
    "load_config_from_dict": "roqsim.config.world",
    "apply_overrides": "roqsim.config.world",
    "overrides_from_dotlist": "roqsim.config.overrides",
    "SimConfig": "roqsim.config.world",
    "Engine": "roqsim.engine.engine",
    "Plugin": "roqsim.plugin",
    "SimContext": "roqsim.context.simulation",
    "Endpoint": "roqsim.context.endpoint",
    "Entity": "roqsim.context.entity",
    "RobotHandle": "roqsim.context.robot",
}

__all__ = sorted([*_HOMES, "__version__"])

__getattr__, __dir__ = lazy_names(__name__, _HOMES)

select_offscreen_gl()
