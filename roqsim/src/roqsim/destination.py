"""Where results go: files that are written beside their place and moved there when they are whole."""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from roqsim.errors import ConfigError, RoqsimError, os_reason

BESIDE = ".export."
"""How the name of a folder begins in which the files of another are written."""

BROKEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What is no mistake of whoever named the place."""

FORCE = "name another, or add --force"
"""What to do about a file that is there already."""


def check_file(path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Makes sure that ``new_file`` can write a file, before anything is computed for it; nothing is left behind.

    Args:
        path: The file that is to be; its folder need not be there.
        overwrite: Whether a file of that name may be replaced.

    Raises:
        ConfigError: The file exists, or cannot be written.
    """
    target = Path(path)
    with _told(target):
        if target.is_dir():
            raise ConfigError(f"{target}: expected a file to write, got a folder; name a file in it")
        if target.exists() and not target.is_file():
            raise ConfigError(f"{target}: expected a file to write, got a device; name a file")
        if target.exists() and not overwrite:
            raise ConfigError(f"{target}: expected a file that is not there yet, got one; {FORCE}")
        probe(target)


def probe(path: Path) -> None:
    """Makes sure that a file can be made, in folders that need not be there; nothing is left behind.

    Raises:
        OSError: It can not.
    """
    above = next(each for each in path.absolute().parents if each.exists())
    try:
        with tempfile.TemporaryFile(dir=above):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


@contextmanager
def new_file(path: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[Path]:
    """A place to write a file, which becomes ``path`` when the block ends well.

    Args:
        path: The file that is to be; its folder is made where there is none.
        overwrite: Whether a file of that name may be replaced.

    Yields:
        The file to write, in the same folder and with the same ending.

    Raises:
        ConfigError: The file exists, or cannot be written.
        RoqsimError: The disk is full or broken.
    """
    target = Path(path)
    check_file(target, overwrite=overwrite)
    place = target.resolve()
    with _told(target), _made(place.parent):
        number, name = tempfile.mkstemp(dir=place.parent, prefix=f".{target.stem}.", suffix=target.suffix)
        os.close(number)
        beside = Path(name)
        try:
            yield beside
            _put(beside, place)
        finally:
            beside.unlink(missing_ok=True)


@contextmanager
def new_folder(path: str | os.PathLike[str], last: Sequence[str], *, overwrite: bool = False) -> Iterator[Path]:
    """A folder to write files in, which are moved to ``path`` when the block ends well.

    What else is in ``path`` stays there.

    Args:
        path: The folder that is to be; it is made where there is none.
        last: The files that make the export valid, moved after all others, the last one at the very end.
        overwrite: Whether such files may be replaced.

    Yields:
        An empty folder.

    Raises:
        ConfigError: One of the files ``last`` exists, or the folder cannot be written.
        RoqsimError: The disk is full or broken.
    """
    target = Path(path)
    if target.exists() and not target.is_dir():
        raise ConfigError(f"{target}: expected a folder to write, got a file; name another")
    there = next((name for name in last if (target / name).exists()), None)
    if there is not None and not overwrite:
        rule = f"expected a folder without {there}, got one that holds an export"
        raise ConfigError(f"{target}: {rule}; {FORCE}")
    with _told(target), _made(target):
        beside = Path(tempfile.mkdtemp(dir=target, prefix=BESIDE))
        try:
            yield beside
            others = sorted(each.name for each in beside.iterdir() if each.name not in last)
            for name in [*others, *(name for name in last if (beside / name).exists())]:
                _put(beside / name, target / name)
        finally:
            shutil.rmtree(beside, ignore_errors=True)


def write_json(path: Path, content: object) -> None:
    """Puts a JSON document in the place of an earlier one, at once.

    Raises:
        ConfigError: It cannot be written.
        RoqsimError: The disk is full or broken.
    """
    with new_file(path, overwrite=True) as beside:
        beside.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


@contextmanager
def _told(target: Path) -> Iterator[None]:
    """Names the target in an error of the operating system, rather than the file that is written beside it."""
    try:
        yield
    except OSError as error:
        if error.filename is not None and not _is_of(Path(os.fsdecode(error.filename)), target):
            raise
        reason = os_reason(error)
        kind = RoqsimError if error.errno in BROKEN else ConfigError
        raise kind(f"{target}: expected a place that can be written, got {reason!r}; name another") from error


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Makes a folder and those above it where there are none, and takes them away again if the block fails."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for each in missing:
            with suppress(OSError):
                each.rmdir()
        raise


def _is_of(path: Path, target: Path) -> bool:
    """Whether a file that an error names is the target, a folder above it, or one of those that are written beside."""
    beside = {part for part in path.parts if part.startswith((BESIDE, f".{target.stem}."))}
    return bool(beside) or target.absolute().is_relative_to(path.absolute())


def _put(beside: Path, place: Path) -> None:
    """Moves a file to its place, with the mode of the one that it replaces, else that of any new file."""
    if place.exists():
        mode = place.stat().st_mode & 0o7777
    else:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    beside.chmod(mode)
    os.replace(beside, place)
