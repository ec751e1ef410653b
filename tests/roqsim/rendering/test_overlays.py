"""What is painted on a picture, and who may paint."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image
from roqsim.errors import ConfigError, NotFoundError, PluginError
from roqsim.render_overlays import ANCHORS, Placement, paste
from roqsim.rendering.clock import Clock
from roqsim.rendering.overlays import Overlays, load_overlay, overlay_entries

OVERLAYS = """
class Plain:
    def __init__(self, placement, *, shade=1):
        self.name, self.placement, self.shade = "plain", placement, shade

    def draw(self, frame, t):
        frame[:] = self.shade
        return frame


class Picky:
    name = "picky"

    @classmethod
    def from_spec(cls, options, placement):
        if set(options) != {"file"}:
            raise ValueError(f"expected a file, got {options!r}")
        made = cls()
        made.options = options
        return made

    def draw(self, frame, t):
        return frame
"""


def black(width=40, height=30):
    """An empty frame."""
    return np.zeros((height, width, 3), np.uint8)


def painted(frame):
    """First and last row and column that are not black."""
    rows, columns = np.nonzero(frame.any(axis=2))
    return rows.min(), rows.max(), columns.min(), columns.max()


WHITE = Image.new("RGB", (10, 5), (255, 255, 255))


@pytest.mark.parametrize(
    ("anchor", "expected"),
    {
        "top-left": (2, 6, 2, 11),
        "top": (2, 6, 15, 24),
        "right": (12, 16, 28, 37),
        "center": (12, 16, 15, 24),
        "bottom-right": (23, 27, 28, 37),
    }.items(),
)
def test_an_image_stands_at_its_anchor(anchor, expected):
    frame = paste(black(), WHITE, Placement(anchor=anchor, margin=0.05))
    assert painted(frame) == expected


def test_there_are_nine_anchors():
    assert len(ANCHORS) == 9
    assert {"top-left", "left", "center", "bottom"} <= set(ANCHORS)


def test_a_width_scales_the_image_and_the_frame_bounds_it():
    frame = paste(black(), WHITE, Placement(width=0.5, margin=0.0))
    assert painted(frame) == (0, 9, 0, 19)
    tall = Image.new("RGB", (10, 100), (255, 255, 255))
    assert painted(paste(black(), tall, Placement(width=1.0, margin=0.0)))[:2] == (0, 29)


def test_what_is_transparent_leaves_the_frame_as_it_is():
    image = Image.new("RGBA", (4, 4), (200, 100, 0, 128))
    frame = paste(black(), image, Placement(margin=0.0))
    assert frame[0, 0].tolist() == pytest.approx([100, 50, 0], abs=1)
    assert not paste(black(), Image.new("RGBA", (4, 4), (9, 9, 9, 0)), Placement()).any()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"anchor": "topleft"}, "anchor: expected one of top-left, top, .* got 'topleft'"),
        ({"width": 0}, "width: expected a fraction of the frame, .* got 0"),
        ({"width": True}, "width: expected a fraction"),
        ({"margin": 0.5}, "margin: expected a fraction of the frame, .* got 0.5"),
        ({"margin": "wide"}, "margin: .* got 'wide'"),
    ],
)
def test_a_placement_refuses_what_is_no_place(options, complaint):
    with pytest.raises(ValueError, match=complaint):
        Placement(**options)


def test_a_clock_tells_the_time():
    clock = Clock(Placement(), decimals=1, label="")
    assert clock.text(12.34) == "12.3 s"
    assert Clock(Placement()).text(0.5) == "t = 0.50 s"


def test_a_clock_paints_in_its_corner_and_keeps_its_size():
    clock = Clock(Placement(anchor="bottom-right", margin=0.0))
    clock.prepare(320, 180)
    before, after = (painted(255 - clock.draw(np.full((180, 320, 3), 255, np.uint8), t)) for t in (1.11, 8.88))
    assert before == after
    assert (before[1], before[3]) == (179, 319)
    assert before[0] > 140


def test_a_clock_is_as_wide_as_it_is_told():
    clock = Clock(Placement(width=0.5, margin=0.0))
    clock.prepare(320, 180)
    _, _, first, last = painted(255 - clock.draw(np.full((180, 320, 3), 255, np.uint8), 3.0))
    assert last - first + 1 == pytest.approx(160, abs=1)


def test_the_clock_ships_with_roqsim():
    shipped = {entry.name: entry.dist for entry in overlay_entries()}
    assert shipped["clock"] == "roqsim"
    overlay = load_overlay("clock:anchor=top-right,width=0.2,decimals=3")
    assert overlay.text(1.0) == "t = 1.000 s"


@pytest.fixture
def painters(install):
    """A package with two overlays."""
    points = {"roqsim.render_overlays": {"plain": "painters.all:Plain", "picky": "painters.all:Picky"}}
    return install("painters", {"painters/__init__.py": "", "painters/all.py": OVERLAYS}, points)


def test_another_packages_overlay_gets_its_options_and_its_place(painters):
    overlay = load_overlay("plain:shade=7,anchor=bottom,width=0.25")
    assert overlay.placement == Placement(anchor="bottom", width=0.25)
    assert np.all(Overlays([overlay]).draw(black(), 0.0) == 7)


def test_an_overlay_may_read_its_options_itself(painters):
    assert load_overlay("picky:file=a.yaml").options == {"file": "a.yaml"}
    with pytest.raises(ConfigError, match="--overlay picky:fiel=a: expected a file, got"):
        load_overlay("picky:fiel=a")


@pytest.mark.parametrize(
    ("text", "error", "complaint"),
    [
        ("clok", NotFoundError, "--overlay clok: expected an installed overlay, got 'clok'; did you mean 'clock'"),
        ("clock:decimal=2", ConfigError, "expected an option of the overlay, got 'decimal'; did you mean 'decimals'"),
        ("clock:decimals=many", ConfigError, "decimals: expected a whole number from 0 to 9, got 'many'"),
        ("clock:anchor", ConfigError, "expected KEY=VALUE, got 'anchor'"),
        ("clock:width=2", ConfigError, "width: expected a fraction of the frame"),
    ],
)
def test_a_wrong_overlay_is_refused_with_what_to_write(text, error, complaint):
    with pytest.raises(error, match=complaint) as raised:
        load_overlay(text)
    assert raised.value.exit_status == 2


class Broken:
    """An overlay that gives back whatever it is told to."""

    name = "broken"

    def __init__(self, made):
        self.made = made

    def draw(self, frame, t):
        return self.made(frame)


@pytest.mark.parametrize(
    "made",
    [lambda frame: frame[:-1], lambda frame: frame.astype(float), lambda frame: None],
    ids=["cut", "float", "none"],
)
def test_a_frame_of_another_size_or_type_is_refused_by_the_overlays_name(made):
    with pytest.raises(PluginError, match=r"overlay 'broken': expected draw to give a uint8 array \(30, 40, 3\), got"):
        Overlays([Broken(made)]).draw(black(), 0.0)


def test_an_overlay_that_fails_is_named():
    with pytest.raises(PluginError, match="overlay 'broken': draw failed: ZeroDivisionError"):
        Overlays([Broken(lambda frame: 1 / 0)]).draw(black(), 0.0)


def test_overlays_are_prepared_once_and_paint_in_their_order():
    calls = []

    class Noting:
        def __init__(self, name):
            self.name = name

        def prepare(self, width, height, *, state):
            calls.append((self.name, width, height, state))

        def draw(self, frame, t):
            calls.append((self.name, t))
            return frame

    overlays = Overlays([Noting("a"), Broken(lambda frame: frame), Noting("b")])
    overlays.prepare(40, 30)
    overlays.draw(black(), 1.5)
    assert calls == [("a", 40, 30, None), ("b", 40, 30, None), ("a", 1.5), ("b", 1.5)]
