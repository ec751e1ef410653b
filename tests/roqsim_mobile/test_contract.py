"""Every plugin of the family keeps the plugin contract, reset audit included."""

from __future__ import annotations

import pytest
from roqsim.testing import check_plugin
from roqsim_mobile.plugins.course import Course
from roqsim_mobile.plugins.diff_drive import DiffDrive
from roqsim_mobile.plugins.floorplan import Floorplan
from roqsim_mobile.plugins.omni_drive import OmniDrive
from roqsim_mobile.plugins.spawn_robot import SpawnRobot

SIM = "sim: {timestep: 0.004, integrator: implicitfast}\n"
NOISE = "odom_noise: {linear_scale: 1.05, linear_stddev: 0.05, angular_stddev: 0.1}"
DIFFERENTIAL = f"""{SIM}
components:
  - floorplan: {{outline: [[-3, -3], [3, -3], [3, 3], [-3, 3]], walls: [[1, -1, 1, 1]]}}
  - name: robot
    spawn_robot: {{model: turtlebot4}}
    components:
      - diff_drive: {{{NOISE}, test_cmd: [{{at: 0.1, linear: 0.2, angular: 0.5, until: 0.7}}]}}
"""
HOLONOMIC = f"""{SIM}
components:
  - name: robot
    spawn_robot: {{model: ridgeback}}
    components:
      - omni_drive: {{{NOISE}, test_cmd: [{{at: 0.1, linear: 0.2, lateral: 0.3, angular: 0.5, until: 0.7}}]}}
"""
COURSE = f"""{SIM}
components:
  - name: robot
    spawn_robot: {{model: turtlebot4}}
    components:
      - course: {{waypoints: [[0.2, 0], [0.2, 0.2]], on_complete: hold}}
"""


@pytest.mark.parametrize(
    ("plugin", "document"),
    [
        (DiffDrive, DIFFERENTIAL),
        (OmniDrive, HOLONOMIC),
        (Course, COURSE),
        (Floorplan, DIFFERENTIAL),
        (SpawnRobot, DIFFERENTIAL),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_plugin_keeps_the_contract(plugin, document):
    check_plugin(plugin, document, seconds=1.0)
