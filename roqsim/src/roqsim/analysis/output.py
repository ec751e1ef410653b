"""Files that are whole or not there: written beside their place and moved into it at the end."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from roqsim.errors import ConfigError, RoqsimError


def check_output(path: Path, where: str, *, force: bool) -> None:
    """Makes sure that a file can be written, before anything is computed for it.

    Args:
        path: The file.
        where: Whose option asks; an error begins with it.
        force: Whether a file that is there may be replaced.

    Raises:
        ConfigError: It is there already, is a folder, or its folder can not be written.
    """
    folder = path.parent
    if path.is_dir():
        raise ConfigError(f"{where}: expected a file, got the folder {str(path)!r}; name a file in it")
    if path.exists() and not force:
        raise ConfigError(f"{where}: expected a new file, got {str(path)!r}, which exists; add --force to replace it")
    if not folder.is_dir():
        raise ConfigError(f"{where}: expected a folder to write to, got {str(folder)!r}; create it first")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ConfigError(f"{where}: expected a folder to write to, got {str(folder)!r}: {_why(error)}") from None


@contextmanager
def replacing(path: Path, where: str) -> Iterator[Path]:
    """Gives a path beside a file to write to, and moves it onto the file in the end; on an error nothing changes.

    Raises:
        RoqsimError: The file could not be written to its end, with the reason.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        mask = os.umask(0)
        os.umask(mask)
        beside.chmod(0o666 & ~mask)
        beside.replace(path)
    except OSError as error:
        if error.filename is not None and Path(error.filename) not in (path, beside):
            raise
        raise RoqsimError(f"{where}: expected to write {str(path)!r}, got {_why(error)!r}; nothing was kept") from None
    finally:
        beside.unlink(missing_ok=True)


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
