"""What ``scenario_execution --simulation roqsim.scenario_adapter:MujocoSim`` loads."""

from __future__ import annotations

from roqsim.drivers.scenario.adapter import MujocoSim
from roqsim.drivers.scenario.host import register

__all__ = ["MujocoSim"]

register(MujocoSim)
