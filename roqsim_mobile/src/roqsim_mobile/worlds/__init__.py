"""The worlds of roqsim_mobile: one YAML file each, opened as ``roqsim_mobile:<name>``."""

from pathlib import Path

WORLDS_DIR = Path(__file__).parent
