"""The view that a person found, written into the world's own file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from roqsim.config.world import SimConfig
from roqsim.destination import new_file
from roqsim.errors import NotFoundError, RoqsimError
from roqsim.viewer.view_text import with_view
from roqsim.worlds import YAML, resolve_world


def save_view(cfg: SimConfig, view: Mapping[str, object]) -> Path:
    """Writes a view into the file that a world was loaded from; the worlds that it extends are left alone.

    Args:
        cfg: The world.
        view: In the words of ``sim.view``; what says nothing (None, False) is written only where it undoes something.

    Returns:
        The file.

    Raises:
        RoqsimError: If there is no such file, or its text can not be edited; the file is then as it was.
    """
    path = _file_of(cfg)
    before = cfg.sim.view
    said = {key: value for key, value in view.items() if value or getattr(before, key, None)}
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RoqsimError(f"{path}: expected a readable UTF-8 file, got {str(error)!r}") from None
    with new_file(path, overwrite=True) as beside:
        beside.write_bytes(with_view(text, said, os.fspath(path)).encode())
    return path


def _file_of(cfg: SimConfig) -> Path:
    try:
        found = resolve_world(cfg.source)
    except NotFoundError:
        raise RoqsimError(
            f"{cfg.source}: expected a world that was loaded from a file, got one made by a program"
        ) from None
    if found.path.suffix.lower() not in YAML:
        raise RoqsimError(f"{cfg.source}: expected a YAML world, got an MJCF file; write a world that names it")
    if found.package is not None:
        raise RoqsimError(f"{cfg.source}: expected a world of your own, got a packaged one; write one that extends it")
    return found.path
