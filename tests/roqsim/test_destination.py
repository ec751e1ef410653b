"""Where results go: whole files or none, good ones kept, one clear error."""

from __future__ import annotations

import errno
import os

import pytest
from roqsim.destination import check_file, new_file, new_folder
from roqsim.errors import ConfigError, RoqsimError


@pytest.fixture
def good(tmp_path):
    """A file that is there already."""
    path = tmp_path / "t.csv"
    path.write_text("good")
    return path


def write(path, text="new", **options):
    with new_file(path, **options) as beside:
        beside.write_text(text)


def test_a_file_that_is_there_is_kept_unless_told_otherwise(good):
    for attempt in (check_file, write):
        with pytest.raises(ConfigError, match=r"t\.csv: expected a file that is not there yet, got one; .*--force"):
            attempt(good)
    check_file(good, overwrite=True)
    assert good.read_text() == "good"
    write(good, overwrite=True)
    assert good.read_text() == "new"


def test_folders_are_made_where_there_are_none_and_only_by_writing(tmp_path):
    path = tmp_path / "a" / "b" / "t.csv"
    check_file(path)
    assert not list(tmp_path.iterdir())
    write(path)
    assert path.read_text() == "new"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("", "expected a file to write, got a folder; name a file in it"),
        ("t.csv/x.csv", "expected a place that can be written, got 'not a directory'"),
        ("null", "expected a file to write, got a device; name a file"),
        ("/sys/t.csv", "expected a place that can be written, got 'permission denied'"),
    ],
)
def test_a_place_that_takes_no_file_is_refused_by_the_check_as_by_the_writing(good, name, text):
    (good.parent / "null").symlink_to("/dev/null")
    for attempt in (check_file, write):
        with pytest.raises(ConfigError, match=text):
            attempt(good.parent / name, overwrite=True)


def test_what_fails_half_way_leaves_the_old_file_and_nothing_beside_it(good):
    with pytest.raises(ZeroDivisionError), new_file(good, overwrite=True) as beside:
        beside.write_text("half")
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), new_file(good.parent / "made" / "t.csv"):
        raise ZeroDivisionError
    assert [each.name for each in good.parent.iterdir()] == ["t.csv"]
    assert good.read_text() == "good"


def test_a_full_disk_is_a_failure_rather_than_a_wrong_input(good):
    with (
        pytest.raises(RoqsimError, match=r"t\.csv: expected a place that can be written, got 'no space left") as caught,
        new_file(good, overwrite=True),
        open("/dev/full", "w") as file,
    ):
        file.write("x" * 100_000)
    assert caught.value.exit_status == 1
    with pytest.raises(RoqsimError) as caught, new_folder(good.parent / "out", ()):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert caught.value.exit_status == 1
    assert [each.name for each in good.parent.iterdir()] == ["t.csv"]


def test_a_link_is_written_through(good):
    link = good.parent / "latest.csv"
    link.symlink_to("t.csv")
    write(link, overwrite=True)
    assert link.is_symlink()
    assert good.read_text() == "new"


def test_a_file_keeps_its_mode(good):
    good.chmod(0o640)
    write(good, overwrite=True)
    assert good.stat().st_mode & 0o7777 == 0o640


def test_a_new_file_can_be_read_by_whoever_may_read_others(tmp_path):
    write(tmp_path / "t.csv")
    (tmp_path / "other").touch()
    assert (tmp_path / "t.csv").stat().st_mode == (tmp_path / "other").stat().st_mode
