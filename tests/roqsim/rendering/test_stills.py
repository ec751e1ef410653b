"""Developed pictures: their size, their pixels and their bytes."""

from __future__ import annotations

import io

import mujoco
import numpy as np
import pytest
from PIL import Image
from roqsim.errors import RoqsimError
from roqsim.rendering import RenderService
from roqsim.rendering.fake import FakeBackend
from roqsim.rendering.grade import AUTO, GRADES, NAMES, grade
from roqsim.rendering.pinhole import Pinhole
from roqsim.rendering.stills import NEAREST, Photographer, clip_for, encode, shrunk
from roqsim.rendering.viewpoint import Viewpoint


@pytest.fixture
def services(still):
    """Makes render services on a still; they are closed at the end."""
    opened = []

    def make(backend=None):
        opened.append(RenderService(still(), backend=backend))
        return opened[-1]

    yield make
    for service in opened:
        service.close()


def camera():
    """A free camera that looks at the ball."""
    free = mujoco.MjvCamera()
    Viewpoint((2.0, 0.0, 0.5), 1.5, 0.0, -10.0).aim(free)
    return free


@pytest.mark.parametrize("name", list(GRADES))
def test_a_picture_has_the_size_that_was_asked_for(services, name):
    photographer = Photographer(
        services(FakeBackend()), camera(), Pinhole.from_fovy(16, 9, 0.8, 0.05, 100.0), GRADES[name]
    )
    picture = photographer.take()
    assert picture.shape == (9, 16, 3)
    assert picture.flags.writeable
    assert np.all(picture == FakeBackend.VALUES["colour"])


def test_a_picture_that_cannot_be_drawn_says_why(services):
    backend = FakeBackend()
    backend.broken.add("colour")
    photographer = Photographer(services(backend), camera(), Pinhole.from_fovy(8, 8, 0.8, 0.05, 100.0), GRADES["low"])
    with pytest.raises(RoqsimError, match="expected a picture, got none; .*colour is broken"):
        photographer.take()


def test_shrinking_takes_the_mean_of_every_block():
    picture = np.arange(4 * 4 * 3, dtype=np.uint8).reshape(4, 4, 3)
    means = picture.reshape(2, 2, 2, 2, 3).astype(float).mean(axis=(1, 3))
    assert np.array_equal(shrunk(picture, 2), np.floor(means + 0.5))
    assert np.array_equal(shrunk(picture, 1), picture)
    assert shrunk(np.full((8, 8, 3), 255, np.uint8), 4).max() == 255


@pytest.mark.parametrize(("suffix", "kind"), [(".png", "PNG"), (".jpg", "JPEG"), (".jpeg", "JPEG")])
def test_a_file_holds_the_picture_and_the_same_bytes_every_time(suffix, kind):
    picture = np.tile(np.linspace(0, 255, 32, dtype=np.uint8)[None, :, None], (16, 1, 3))
    content = encode(picture, suffix)
    read = Image.open(io.BytesIO(content))
    assert (read.format, read.size) == (kind, (32, 16))
    assert np.abs(np.asarray(read).astype(int) - picture).max() <= (0 if kind == "PNG" else 8)
    assert encode(picture, suffix) == content


def test_the_clip_range_follows_the_subject_from_millimetres_to_kilometres():
    for distance in (0.01, 1.0, 2000.0):
        near, far = clip_for(distance, extent=distance)
        assert near <= min(distance / 10.0, NEAREST)
        assert far >= 10.0 * distance


def test_auto_is_beautiful_for_a_still_and_quick_for_a_video_in_software():
    assert grade(AUTO, software=True, moving=False) is GRADES["high"]
    assert grade(AUTO, software=True, moving=True) is GRADES["medium"]
    assert grade(AUTO, software=False, moving=True) is GRADES["high"]
    assert all(grade(name, software=True, moving=True) is GRADES[name] for name in NAMES if name != AUTO)


def test_a_huge_picture_is_not_drawn_larger_still():
    assert GRADES["high"].oversize_for(1280, 720) == 2
    assert GRADES["high"].oversize_for(8192, 8192) == 1


@pytest.mark.gl
def test_an_oversized_drawing_shows_the_same_picture(services):
    service = services()
    lens = Pinhole.from_fovy(192, 128, 0.8, 0.05, 100.0)
    small, large = (Photographer(service, camera(), lens, GRADES[name]).take() for name in ("low", "high"))
    red = [np.argwhere((p[..., 0] > 100) & (p[..., 1] < 60)) for p in (small, large)]
    assert len(red[0]) > 100
    np.testing.assert_allclose(red[0].mean(axis=0), red[1].mean(axis=0), atol=0.5)
    assert len(red[0]) == pytest.approx(len(red[1]), rel=0.05)
    smooth, jagged = (len(np.unique(p.reshape(-1, 3), axis=0)) for p in (large, small))
    assert smooth > jagged
