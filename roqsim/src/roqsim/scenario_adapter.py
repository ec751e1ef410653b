"""What ``scenario_execution --simulation roqsim.scenario_adapter:MujocoSim`` loads."""

from __future__ import annotations

from roqsim.drivers.scenario_adapter import MujocoSim
from roqsim.drivers.scenario_host import register

__all__ = ["MujocoSim"]

register(MujocoSim)
