"""Plots: what is drawn of a table, and that a picture comes of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PIL import Image
from roqsim.analysis.curves import Curves
from roqsim.analysis.plot import MOST_LINES, check_plot, draw
from roqsim.analysis.table import TIME, Column, Table
from roqsim.errors import ConfigError

POSES = (TIME, Column("body", kind=str), *(Column(f"position.{axis}", "m") for axis in "xyz"), Column("yaw", "rad"))


def curves(columns, rows, keys=(), drawn=()):
    noted = Curves(Table("t", columns, rows, keys, drawn))
    for _ in noted.watched().rows:
        pass
    return noted


def moving(count=50, bodies=("a", "b")):
    return [
        (0.1 * step, body, step * (index + 1.0), 0.0, 1.0, math.sin(step))
        for step in range(count)
        for index, body in enumerate(bodies)
    ]


def test_axes_share_a_panel_and_other_quantities_have_their_own():
    panels = curves(POSES, moving(), ("body",)).panels()
    assert [panel.label for panel in panels] == ["position [m]", "yaw [rad]"]
    assert [line.name for line in panels[0].lines] == ["a x", "a y", "a z", "b x", "b y", "b z"]
    assert [line.name for line in panels[1].lines] == ["a", "b"]


def test_a_line_holds_the_values_of_its_thing():
    panels = curves(POSES, moving(), ("body",)).panels()
    assert panels[0].lines[3].values.tolist() == [2.0 * step for step in range(50)]


def test_what_never_changes_is_left_out_unless_nothing_does():
    columns = (TIME, Column("still"), Column("moving"))
    assert [p.label for p in curves(columns, [(t, 1.0, t) for t in (0.0, 1.0)]).panels()] == ["moving"]
    assert len(curves(columns, [(t, 1.0, 2.0) for t in (0.0, 1.0)]).panels()) == 2


def test_names_leave_out_what_all_lines_have_in_common():
    columns = (TIME, Column("first", kind=str), Column("second", kind=str), Column("normal", "N"))
    rows = [(t, "robot", tyre, t) for t in (0.0, 1.0) for tyre in ("left", "right")]
    (panel,) = curves(columns, rows, ("first", "second")).panels()
    assert [line.name for line in panel.lines] == ["left", "right"]


def test_only_some_columns_are_drawn_where_a_quantity_says_so():
    assert [p.label for p in curves(POSES, moving(), ("body",), ("yaw",)).panels()] == ["yaw [rad]"]


def test_a_line_breaks_where_its_thing_is_away():
    rows = [(t, "a", t, 0.0, 0.0, 0.0) for t in (0.0, 0.1, 0.2, 0.9, 1.0)]
    line = curves(POSES, rows, ("body",)).panels()[0].lines[0].with_gaps()
    assert np.isnan(line.values).tolist() == [False, False, False, True, False, False]


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_a_plot_is_drawn(tmp_path, kind):
    path = tmp_path / f"plot.{kind}"
    draw(curves(POSES, moving(), ("body",)).panels(), "poses", path, kind)
    assert path.stat().st_size > 3000
    if kind == "png":
        picture = np.asarray(Image.open(path).convert("RGB"), dtype=int)
        assert picture.shape[1] == 990
        # matplotlib's first two colours, of the lines of both bodies.
        for colour in ((31, 119, 180), (255, 127, 14)):
            assert (np.abs(picture - colour).max(axis=2) < 10).sum() > 100


def test_a_long_row_of_numbers_is_a_picture(tmp_path):
    columns = (TIME, *(Column(f"ranges[{index}]", "m") for index in range(90)))
    rows = [(t, *(index + t for index in range(89)), math.inf) for t in (0.0, 0.1, 0.2)]
    draw(curves(columns, rows).panels(), "scan", tmp_path / "plot.png", "png")
    picture = np.asarray(Image.open(tmp_path / "plot.png").convert("RGB")).reshape(-1, 3)
    assert len(np.unique(picture, axis=0)) > 100


def test_of_many_lines_the_liveliest_are_drawn_and_it_is_said(tmp_path, caplog):
    bodies = [f"body{index}" for index in range(30)]
    panels = curves(POSES, moving(5, bodies), ("body",)).panels()
    draw(panels, "poses", tmp_path / "plot.png", "png")
    assert f"drawn are the {MOST_LINES} of 90 lines that change most" in caplog.text


def test_nothing_to_draw_and_other_kinds_of_files_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="expected something to draw, got no row"):
        draw(curves(POSES, [], ("body",)).panels(), "poses", tmp_path / "plot.png", "png")
    with pytest.raises(ConfigError, match=r"--plot: expected a file that ends in \.png, \.svg, \.pdf"):
        check_plot(tmp_path / "plot.jpg")
