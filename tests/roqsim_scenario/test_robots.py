"""The vocabulary on a robot with real devices."""

from __future__ import annotations

from pathlib import Path

import pytest
from roqsim.scenario_adapter import MujocoSim
from roqsim.testing.scenarios import run_scenario

pytest.importorskip("roqsim_mobile.plugins")

WORLD = """
sim: {timestep: 0.0025, seed: 1}
components:
  - spawn_robot: {model: turtlebot4}
    name: robot
    components:
      - diff_drive: {test_cmd: [{at: 0.0, linear: 0.25}]}
      - contact_monitor: {}
      - spawn_sensor: {model: rplidar_a1}
        name: rplidar
        components:
          - lidar: {fault: {dropout_percent: 100}}
  - boxes: {motion: static, instances: [{name: wall, size: [0.1, 2, 0.5], pose: {position: {x: 0.8, z: 0.25}}}]}
    name: walls
"""

SCENARIO = """
import osc.helpers
import osc.roqsim

scenario into_the_wall_with_a_scanner_that_fails_for_a_while:
    timeout(30s)
    do parallel:
        serial:
            entity_reports(entity: 'robot.rplidar', value: 'scan.ranges.0', expected: '5', operator: '<')
            set_sensor_override(instance: 'robot.rplidar.lidar')
            entity_reports(entity: 'robot.rplidar', value: 'scan.ranges.0', expected: '.inf', dwell: 0.3)
            entity_call(entity: 'robot', command: 'rplidar.lidar/fault', value: 'false')
            entity_reports(entity: 'robot', value: 'scan.ranges.0', expected: '5', operator: '<')
        serial:
            entity_moved(entities: ['robot'], threshold: 0.3, mode: displacement_mode!planar)
            entity_reports(entity: 'robot', value: 'collision.in_contact', expected: 'true')
            entity_reports(entity: 'robot', value: 'collision.touches.0.other.entity', expected: 'wall')
        serial:
            wait elapsed(1s)
            entity_call(entity: 'robot', command: 'cmd_vel', value: '{linear: [0.25, 0, 0], angular: [0, 0, 0]}')

scenario over_the_course:
    timeout(120s)
    world: string = 'roqsim_mobile:turtlebot4_room'
    do serial:
        run_ended(require_success: true)
        entity_reports(entity: 'robot', value: 'course_status.is_complete', expected: 'true')
"""


def test_a_robot_is_watched_driven_and_broken(tmp_path, monkeypatch):
    monkeypatch.setenv("ENABLE_X11", "false")
    world = tmp_path / "world.yaml"
    world.write_text(WORLD)
    outcome = run_scenario(SCENARIO, MujocoSim(world), Path(tmp_path / "out"))
    assert outcome.results == [True, True], outcome.reason
