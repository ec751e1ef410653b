"""The manual's pictures are those that ``make pictures`` renews, they are shown, and they are small."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
PICTURES = runpy.run_path(str(ROOT / "docs" / "_ext" / "gallery.py"))["PICTURES"]
LARGEST = 150_000


def test_every_picture_can_be_renewed():
    assert {path.name for path in IMAGES.iterdir()} == {f"{name}.jpg" for name in PICTURES}


@pytest.mark.parametrize("name", list(PICTURES))
def test_a_picture_is_small_and_in_the_gallery(name):
    assert (IMAGES / f"{name}.jpg").stat().st_size <= LARGEST
    assert f"](images/{name}.jpg)" in (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")


def test_the_readme_shows_one():
    assert "](docs/images/turtlebot4_room.jpg)" in (ROOT / "README.md").read_text(encoding="utf-8")
