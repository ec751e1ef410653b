"""The worlds of roqsim_sensors: one YAML file each, opened as ``roqsim_sensors:<name>``."""

from pathlib import Path

WORLDS_DIR = Path(__file__).parent
