"""Sphinx settings of the manual; `make docs` builds it with warnings as errors."""

import logging
import sys
from pathlib import Path

from pygments.lexers import PythonLexer
from sphinx.highlighting import lexers

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

# The theme's highlighter opens the root logger to every library; OpenGL reports its own import there.
logging.getLogger("OpenGL").setLevel(logging.WARNING)

# Scenarios are indented as Python is; nothing knows their own words.
lexers["osc"] = PythonLexer()

project = "roqsim"
author = "the roqsim authors"
extensions = ["myst_parser", "plain_pages", "roqsim_reference"]
exclude_patterns = ["_build", "_ext"]
html_theme = "furo"
html_title = "roqsim"
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
