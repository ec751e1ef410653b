"""The manual as plain pages: ``sphinx-build -b pages`` writes one reStructuredText-like file a page.

RoboVAST shows the pages ``/opt/roqsim/docs/*.rst`` of an image to whoever asks what the simulator in it can do.
"""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.builders.text import TextBuilder


class PagesBuilder(TextBuilder):
    """Writes pages that are read as they stand: underlined titles, indented examples, tables in characters."""

    name = "pages"
    out_suffix = ".rst"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the builder."""
    app.add_builder(PagesBuilder)
    return {"parallel_read_safe": True}
