"""Plots: one panel a quantity, one line a thing, axes with names and units; a long row of numbers as a picture."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np

from roqsim.analysis.curves import Line, Panel
from roqsim.errors import ConfigError
from roqsim.extras import load_extra

LOG = logging.getLogger("roqsim")

MOST_PANELS = 6
"""More of them can not be read on one page."""

MOST_LINES = 12
"""More lines in one panel can not be told apart."""

LONG_ROW = 32
"""Lines of one thing from which on they are the rows of a picture."""

SIZE = (9.0, 2.1)
"""Inches: the width of a page, and the height of a panel."""

STYLE = MappingProxyType(
    {
        "figure.dpi": 110.0,
        "axes.grid": True,
        "grid.alpha": 0.3,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.titlesize": "medium",
        "lines.linewidth": 1.4,
        "legend.frameon": False,
        "legend.fontsize": "small",
        "font.size": 10.0,
    }
)

SUFFIXES = (".png", ".svg", ".pdf")
"""The kinds of files that a plot can be."""


def check_plot(path: Path) -> None:
    """Makes sure that a plot can be made here.

    Raises:
        ConfigError: matplotlib is missing, or the file is of another kind.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise ConfigError(f"--plot: expected a file that ends in {', '.join(SUFFIXES)}, got {str(path)!r}")
    _pyplot()


def draw(panels: Sequence[Panel], title: str, path: Path, kind: str) -> None:
    """Draws panels into a file.

    Args:
        panels: What is drawn, from top to bottom.
        title: Over the panels.
        path: The file.
        kind: Its kind, such as ``png``.

    Raises:
        ConfigError: There is nothing to draw.
    """
    if not panels:
        raise ConfigError("--plot: expected something to draw, got no row; widen --from and --to, or take other names")
    if len(panels) > MOST_PANELS:
        # A picture says most, so that it is not what is left out.
        panels = sorted(panels, key=lambda panel: len(panel.lines) < LONG_ROW)[:MOST_PANELS]
        LOG.warning("--plot: drawn are %d panels of what changes; csv and parquet have all columns", MOST_PANELS)
    pyplot = _pyplot()
    with pyplot.rc_context(dict(STYLE)):
        size = (SIZE[0], 1.0 + SIZE[1] * len(panels))
        figure, axes = pyplot.subplots(len(panels), 1, sharex=True, squeeze=False, layout="constrained", figsize=size)
        for ax, panel in zip(axes[:, 0], panels, strict=True):
            _draw_panel(figure, ax, panel)
        axes[-1, 0].set_xlabel("simulated time [s]")
        figure.suptitle(title)
        figure.align_ylabels(axes[:, 0])
        figure.savefig(path, format=kind)
        pyplot.close(figure)


def _draw_panel(figure: object, ax: object, panel: Panel) -> None:
    if len(panel.lines) >= LONG_ROW and all(line.name.startswith("[") for line in panel.lines):
        _draw_picture(figure, ax, panel)
        return
    for line in _most_lively(panel):
        drawn = line.with_gaps()
        ax.plot(drawn.times, drawn.values, label=line.name or None, marker="o" if len(line.times) < 3 else None)
    ax.set_ylabel(panel.label)
    ax.ticklabel_format(axis="y", useOffset=False)
    ax.margins(x=0.01)
    if any(line.name for line in panel.lines):
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _most_lively(panel: Panel) -> list[Line]:
    """The lines that change most, in their own order."""
    if len(panel.lines) <= MOST_LINES:
        return panel.lines
    ranked = sorted(range(len(panel.lines)), key=lambda place: -panel.lines[place].extent)[:MOST_LINES]
    text = "--plot: %s: drawn are the %d of %d lines that change most; name things to see them"
    LOG.warning(text, panel.label, MOST_LINES, len(panel.lines))
    return [panel.lines[place] for place in sorted(ranked)]


def _draw_picture(figure: object, ax: object, panel: Panel) -> None:
    """A row of numbers over time: one column of pixels a moment."""
    values = np.array([line.values for line in panel.lines])
    times = panel.lines[0].times
    step = float(np.median(np.diff(times))) if len(times) > 1 else 1.0
    extent = (float(times[0]) - step / 2.0, float(times[-1]) + step / 2.0, -0.5, len(values) - 0.5)
    masked = np.ma.masked_invalid(values)
    image = ax.imshow(masked, aspect="auto", origin="lower", extent=extent, interpolation="nearest")
    ax.grid(False)
    ax.set_ylabel("index")
    figure.colorbar(image, ax=ax, label=panel.label, pad=0.01)


def _pyplot() -> object:
    load_extra("matplotlib", "plot", "--plot").use("Agg")
    from matplotlib import pyplot

    return pyplot
