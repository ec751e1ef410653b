"""The models of roqsim_mobile: one folder each, named after the model."""

from pathlib import Path

MODELS_DIR = Path(__file__).parent
