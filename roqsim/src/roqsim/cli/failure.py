"""What a user sees of an exception: one text on standard error and an exit status, never a traceback."""

from __future__ import annotations

import errno
import os
import traceback
from pathlib import Path

import click

from roqsim.errors import GLError, RoqsimError, os_reason


class Failure(click.ClickException):
    """An error whose text is shown as it is.

    Attributes:
        exit_code: What the process ends with.
    """

    def __init__(self, text: str, exit_code: int) -> None:
        super().__init__(text)
        self.exit_code = exit_code

    def show(self, file: object | None = None) -> None:
        """Writes the text to standard error."""
        click.echo(self.message, file=file, err=True)


def failure(error: Exception) -> Failure | None:
    """How an exception is shown.

    Args:
        error: What a command raised.

    Returns:
        The text with its exit status; None for what click itself tells the user.
    """
    if isinstance(error, click.ClickException | click.Abort | click.exceptions.Exit):
        return None
    if isinstance(error, RoqsimError):
        return Failure(str(error), error.exit_status)
    if (shown := _mujoco_failure(error)) is not None:
        return shown
    if type(error).__name__ == "FatalError" and type(error).__module__.startswith("mujoco"):
        return Failure(f"mujoco: expected a simulation that goes on, got {' '.join(str(error).split())!r}", 1)
    if isinstance(error, OSError):
        return _os_failure(error)
    if isinstance(error, ImportError):
        name = error.name or "a module"
        text = f"{name}: expected a module that can be imported, got {str(error)!r}; 'roqsim doctor' says what is wrong"
        return Failure(text, 1)
    return _bug(error)


def _mujoco_failure(error: Exception) -> Failure | None:
    """What to say where MuJoCo cannot be imported: it loads its GL library by then, so often that is the reason."""
    files = [Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]
    if not any(file.parts[-2:] == ("mujoco", "__init__.py") for file in files):
        return None
    reason = f"{type(error).__name__}: {error}"
    if any(file.name == "gl_context.py" for file in files):
        name = f"MUJOCO_GL={os.environ.get('MUJOCO_GL', '')}"
        text = f"{name}: expected an OpenGL backend that works, got {reason}; 'roqsim doctor' names one that does"
        return Failure(text, GLError.exit_status)
    return Failure(f"mujoco: expected a package that works, got {reason}; 'roqsim doctor' says what is wrong", 1)


def _os_failure(error: OSError) -> Failure | None:
    if error.errno == errno.EPIPE:
        return None
    if error.filename is None:
        return _bug(error)
    return Failure(f"{error.filename}: expected a file that can be used, got {os_reason(error)!r}", 2)


def _bug(error: Exception) -> Failure:
    last = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" at {Path(last[0].filename).name}:{last[0].lineno}" if last else ""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Failure(f"roqsim: unexpected {what}{place}; this is a bug in roqsim, 'roqsim --traceback …' shows where", 1)
