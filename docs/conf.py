"""Sphinx settings of the manual; `make docs` builds it with warnings as errors."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "roqsim"
author = "the roqsim authors"
extensions = ["myst_parser", "roqsim_reference"]
exclude_patterns = ["_build", "_ext"]
html_theme = "furo"
html_title = "roqsim"
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
